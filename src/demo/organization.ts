import { randomBytes } from 'node:crypto';
import {
  type Database,
  type Foundation,
  storeSetting,
  type Transaction,
} from '../platform/database/index.js';
import {
  addMember,
  createApiKey,
  createApplication,
  createOrganization,
  setPermissions,
} from '../domain/organizations/index.js';
import { API_KEY_SCOPES, operatorOf, PERMISSIONS } from '../domain/access/index.js';
import { DemoFailed } from './gateway.js';

/** One demo organization in `demo.json`, with the credentials to sign in and call the API. */
export interface DemoOrganization {
  readonly organization: { readonly id: string; readonly name: string };
  readonly apiKey: string;
  readonly applications: readonly {
    readonly foreignId: string;
    readonly name: string;
    readonly checkApplicationId: string;
  }[];
  readonly users: readonly DemoUser[];
}

export interface DemoUser {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly password: string;
  readonly role: 'owner' | 'administrator' | 'auditor';
}

/** `demo.json`: everything needed to try Lucarne. Its credentials belong to demo organizations only. */
export interface DemoFile extends DemoOrganization {
  readonly baseUrl: string;
  readonly ledger: { readonly rpcUrl: string; readonly wsUrl: string };
  /** The address that pays for and signs relays, and the pools it serves. */
  readonly relayer: { readonly address: string; readonly pools: readonly string[] };
  readonly other: DemoOrganization;
}

/** The first owner of an organization. Every organization is created with one. */
export function ownerOf({ users }: DemoOrganization): DemoUser {
  const owner = users.find(({ role }) => role === 'owner');
  if (!owner) throw new DemoFailed('demo.json has no owner.');
  return owner;
}

const MARKER = 'demo';

/**
 * Creates the demo organizations, once per database, in one transaction that commits only after `keep` has stored the
 * credentials. A killed start leaves no organization without known passwords. Resolves to whether it created them.
 */
export function createDemoOrganizations(
  { database, ...foundation }: Foundation,
  keep: (made: { first: DemoOrganization; other: DemoOrganization }) => unknown,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    const isFirst = await storeSetting(transaction, MARKER, { madeAt: foundation.clock.now().toISOString() });
    if (!isFirst) return false;
    await keep(await createBoth({ ...foundation, database: joining(database, transaction) }));
    return true;
  });
}

/** Operations open transactions. With this database, all of them write in the given one. */
const joining = (database: Database, transaction: Transaction): Database => ({
  ...database,
  rows: (query) => transaction.rows(query),
  transaction: (work) => work(transaction),
});

async function createBoth(
  foundation: Foundation,
): Promise<{ first: DemoOrganization; other: DemoOrganization }> {
  const first = await createDemoOrganization(foundation, {
    name: 'Demo Bank',
    domain: 'demo-bank.example',
    application: { foreignId: 'payments-demo', name: 'Payments Demo' },
    people: [
      { name: 'Ada Administrator', role: 'administrator' },
      { name: 'Ana Auditor', role: 'auditor' },
      { name: 'Abel Auditor', role: 'auditor' },
    ],
  });
  const other = await createDemoOrganization(foundation, {
    name: 'Other Bank',
    domain: 'other-bank.example',
    application: { foreignId: 'other-demo', name: 'Other Demo' },
    people: [],
  });
  return { first, other };
}

interface DemoPlan {
  readonly name: string;
  readonly domain: string;
  readonly application: { readonly foreignId: string; readonly name: string };
  readonly people: readonly { readonly name: string; readonly role: 'administrator' | 'auditor' }[];
}

async function createDemoOrganization(foundation: Foundation, plan: DemoPlan): Promise<DemoOrganization> {
  const ownerAccount = accountOf('Olga Owner', plan.domain);
  const organization = await createOrganization(foundation, { name: plan.name, owner: ownerAccount });
  const operator = operatorOf(organization.id);
  const application = await createApplication(foundation, operator, plan.application);
  const { foreignId } = plan.application;
  await setPermissions(foundation, operator, {
    memberId: organization.owner.id,
    permissions: { owner: PERMISSIONS.owner, applications: [{ foreignId, common: PERMISSIONS.common }] },
  });
  const users: DemoUser[] = [{ ...ownerAccount, id: organization.owner.id, role: 'owner' }];
  for (const person of plan.people) {
    const account = accountOf(person.name, plan.domain);
    const member = await addMember(foundation, operator, {
      ...account,
      permissions: {
        applications: [{ foreignId, common: PERMISSIONS.common, [person.role]: PERMISSIONS[person.role] }],
      },
    });
    users.push({ ...account, id: member.id, role: person.role });
  }
  const { secret } = await createApiKey(foundation, operator, {
    name: 'Demo backend',
    scopes: Object.keys(API_KEY_SCOPES),
  });
  return {
    organization: { id: organization.id, name: plan.name },
    apiKey: secret,
    applications: [{ ...plan.application, checkApplicationId: application.checkApplicationId }],
    users,
  };
}

function accountOf(name: string, domain: string) {
  const email = `${name.toLowerCase().replace(' ', '.')}@${domain}`;
  return { name, email, password: randomBytes(15).toString('base64url') };
}
