import { randomBytes } from 'node:crypto';
import { jsonb, sql, type Database, type Foundation, type Transaction } from '../../database/index.js';
import {
  addMember,
  createApiKey,
  createApplication,
  createOrganization,
  operatorOf,
  PERMISSIONS,
  API_KEY_SCOPES,
  setPermissions,
} from '../../organizations/index.js';
import { DemoFailed } from './gateway.js';

/** What `demo.json` says of one demo organization, with everything needed to sign in and call. */
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

/** `demo.json`: how to try Lucarne. It holds working credentials of demo organizations only. */
export interface DemoFile extends DemoOrganization {
  readonly baseUrl: string;
  readonly ledger: { readonly rpcUrl: string; readonly wsUrl: string };
  /** Who pays for and signs relays, and the pools that packages may name. */
  readonly relayer: { readonly address: string; readonly pools: readonly string[] };
  readonly other: DemoOrganization;
}

/** The owner of the first organization: every organization is made with one. */
export function ownerOf({ users }: DemoOrganization): DemoUser {
  const owner = users.find(({ role }) => role === 'owner');
  if (!owner) throw new DemoFailed('demo.json has no owner.');
  return owner;
}

const MARKER = 'demo';

/**
 * Makes the demo organizations once per database. All of it is one transaction, which `keep` ends by storing their
 * credentials: a start that is killed leaves none whose password nobody knows. Whether they were made now.
 */
export function createDemoOrganizations(
  { database, ...foundation }: Foundation,
  keep: (made: { first: DemoOrganization; other: DemoOrganization }) => Promise<unknown>,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    const [claimed] = await transaction.rows(sql`
      insert into settings (name, value) values (${MARKER}, ${jsonb({ madeAt: foundation.clock.now() })})
      on conflict do nothing returning name`);
    if (!claimed) return false;
    await keep(await createBoth({ ...foundation, database: joining(database, transaction) }));
    return true;
  });
}

/** Operations open transactions of their own; these all write in this one. */
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
