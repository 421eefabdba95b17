import { notFound } from '../../../platform/kernel/errors.js';
import type { OpenIdProvider } from '../oidc/openid-provider.js';

/** A user of the embedded demo, whose password this process knows. */
export interface DemoAccount {
  readonly id: string;
  readonly name: string;
  readonly role: 'owner' | 'administrator' | 'auditor';
  readonly organization: string;
  readonly email: string;
  readonly password: string;
}

/** The users who can sign in with one click on the sign-in page. Empty except in the embedded demo. */
export type DemoAccounts = () => readonly DemoAccount[];

export interface SignInOptions {
  readonly password: boolean;
  readonly oidc: boolean;
  readonly demoUsers: readonly Pick<DemoAccount, 'id' | 'name' | 'role' | 'organization'>[];
}

/** The ways to sign in here. The sign-in page reads them without credentials. */
export function signInOptions(
  provider: OpenIdProvider | undefined,
  demoAccounts: DemoAccounts,
): SignInOptions {
  const demoUsers = demoAccounts().map(({ id, name, role, organization }) => ({
    id,
    name,
    role,
    organization,
  }));
  return { password: true, oidc: provider !== undefined, demoUsers };
}

export function findDemoAccount(demoAccounts: DemoAccounts, id: string): DemoAccount {
  const account = demoAccounts().find((known) => known.id === id);
  if (!account) throw notFound('demo user');
  return account;
}
