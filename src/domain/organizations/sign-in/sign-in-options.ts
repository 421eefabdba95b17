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

/** The embedded demo of this gateway. Any other gateway has no accounts in it. */
export interface EmbeddedDemo {
  /** The users who can sign in with one click on the sign-in page. */
  accounts(): readonly DemoAccount[];
  /** Whether its sample data is being created. */
  isFilling(): boolean;
}

export const NO_DEMO: EmbeddedDemo = { accounts: () => [], isFilling: () => false };

export interface SignInOptions {
  readonly password: boolean;
  readonly oidc: boolean;
  readonly demoUsers: readonly Pick<DemoAccount, 'id' | 'name' | 'role' | 'organization'>[];
  readonly demoFilling: boolean;
}

/** The ways to sign in here. The sign-in page reads them without credentials. */
export function signInOptions(provider: OpenIdProvider | undefined, demo: EmbeddedDemo): SignInOptions {
  const demoUsers = demo.accounts().map(({ id, name, role, organization }) => ({
    id,
    name,
    role,
    organization,
  }));
  return { password: true, oidc: provider !== undefined, demoUsers, demoFilling: demo.isFilling() };
}

export function findDemoAccount(demo: EmbeddedDemo, id: string): DemoAccount {
  const account = demo.accounts().find((known) => known.id === id);
  if (!account) throw notFound('demo user');
  return account;
}
