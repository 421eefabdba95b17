import { randomBytes } from 'node:crypto';
import { PERMISSIONS } from '../../../src/domain/access/index.js';
import { proposalId } from '../../../src/domain/organizations/second-person/open-proposals.js';
import { sql } from '../../../src/platform/database/index.js';
import { newCapabilityId, newId } from '../../../src/platform/kernel/ids.js';
import { randomAddress } from '../../kit/ledger/confidential-records.js';
import type { TestApp } from '../../kit/app.js';
import { askAs } from '../../kit/follow.js';
import {
  seedApiKey,
  seedMember,
  type SeededOrganization,
  type SeededUser,
  seedSession,
} from '../../kit/seed.js';
import { seedThings } from './seed-things.js';

/** A user with all permissions in an organization, and one object of each kind that the organization has. */
export interface Belongings {
  readonly caller: SeededUser;
  /** A user who signs in with only the password. */
  readonly clerk: SeededUser;
  /** The secret of a key with every scope. */
  readonly apiKey: string;
  /** By the prefixes of ids and other identifiers. `auditor` may be one of them, and `actor` is in every log. */
  readonly ids: Readonly<Record<IdKind, string>>;
}

export type IdKind =
  | ('org' | 'usr' | 'inv' | 'pky' | 'grt' | 'ast' | 'txn' | 'dsc' | 'rcp' | 'dpl')
  | ('crq' | 'cas' | 'rpt' | 'log' | 'chk' | 'rly' | 'key' | 'ses' | 'hld' | 'prp')
  | ('foreignId' | 'signature' | 'auditor' | 'actor');

export async function seedBelongings(app: TestApp, organization: SeededOrganization): Promise<Belongings> {
  const { foundation } = app.application;
  const { database } = foundation;
  const organizationId = organization.organization.id;
  const { foreignId, checkApplicationId } = organization.application;
  const things = await seedThings(foundation, organization);
  const { owner, common, administrator, auditor } = PERMISSIONS;
  const caller = await seedMember(foundation, organizationId, {
    owner,
    applications: [{ foreignId, common, administrator, auditor }],
  });
  const { userId, accountId } = caller.principal;
  const { principal: second } = await seedSession(foundation, organizationId, {
    id: userId,
    name: 'Member',
    email: caller.email,
  });
  const { secret } = await seedApiKey(foundation, organizationId);

  const ask = <Data>(query: string, variables: object) => askAs<Data>(app, caller, query, variables);
  const request = async () => {
    const input = {
      ...{ foreignId, reason: 'Audit', periodFrom: '2026-01-01', periodTo: '2026-01-31', accessDays: 1 },
      ...{ disclosureFlags: {}, auditorIds: [userId, things['auditor']] },
    };
    const made = await ask<{ createCaseRequest: { id: string } }>(
      'mutation ($input: CreateCaseRequestInput!) { createCaseRequest(input: $input) { id } }',
      { input },
    );
    return made.createCaseRequest.id;
  };
  const { approveCaseRequest } = await ask<{ approveCaseRequest: { id: string } }>(
    'mutation ($input: ApproveCaseRequestInput!) { approveCaseRequest(input: $input) { id } }',
    { input: { foreignId, id: await request() } },
  );
  const { generateCaseReport } = await ask<{ generateCaseReport: { id: string } }>(
    'mutation ($input: GenerateCaseReportInput!) { generateCaseReport(input: $input) { id } }',
    { input: { foreignId, caseId: approveCaseRequest.id, reportType: 'transaction_detail', wait: true } },
  );
  const { checkAddress } = await ask<{ checkAddress: { checkId: string } }>(
    'mutation ($input: CheckAddressInput!) { checkAddress(input: $input) { checkId } }',
    { input: { network: 'solana', address: randomAddress(), checkApplicationId } },
  );
  const { inviteMember } = await ask<{ inviteMember: { invitation: { id: string } } }>(
    'mutation { inviteMember(input: { email: "invited@example.test", name: "Invited" }) { invitation { id } } }',
    {},
  );

  // Objects that need ceremonies, second persons or proofs. Here, their existence is enough.
  const [rly, pky, grt, hld] = [newCapabilityId('rly'), newId('pky'), newId('grt'), newId('hld')];
  const now = foundation.clock.now();
  await database.rows(sql`
    insert into relay_requests (id, pool_selector, program_id, package_digest, sealed_package, status, sequence, created_at,
      updated_at)
    values (${rly}, 'pool', 'program', ${randomBytes(32)}, 'sealed', 'succeeded', 5, ${now}, ${now})`);
  await database.rows(sql`
    insert into relay_organizations (organization_id, request_id, pool_selector, status)
    values (${organizationId}, ${rly}, 'pool', 'succeeded')`);
  await database.rows(sql`
    insert into passkeys (id, account_id, credential_id, public_key, user_handle, sign_count, transports, name, created_at)
    values (${pky}, ${accountId}, ${randomBytes(16)}, ${randomBytes(77)}, ${randomBytes(16)}, 0, '{}', 'Laptop', ${now})`);
  await database.rows(sql`
    insert into pending_permission_grants (id, organization_id, user_id, bucket, permission, granted_by, created_at)
    values (${grt}, ${organizationId}, ${things['member']}, 'owner', 'policies:manage', ${organization.owner.principal.userId},
      ${now})`);
  await database.rows(sql`
    insert into legal_holds (id, organization_id, kinds, reason, placed_by, placed_at)
    values (${hld}, ${organizationId}, '{reports}', 'Audit', ${userId}, ${now})`);
  const proposal = { operation: 'setRetention', inputDigest: randomBytes(32), proposedAt: now } as const;
  await database.rows(sql`
    insert into proposed_operations (organization_id, operation, input_digest, input, proposed_by, proposed_at, expires_at)
    values (${organizationId}, ${proposal.operation}, ${proposal.inputDigest}, '{}', ${userId}, ${now},
      now() + interval '1 hour')`);
  const [policy] = await database.rows(
    sql<{ id: string }>`select id from disclosure_policies where organization_id = ${organizationId}`,
  );
  const [entry] = await database.rows(
    sql<{ id: string }>`select id from activity_entries where organization_id = ${organizationId} limit 1`,
  );
  const [record] = await database.rows(
    sql<{ signature: string }>`select signature from transactions where id = ${things['transaction']}`,
  );
  return {
    caller,
    clerk: await seedMember(foundation, organizationId),
    apiKey: secret,
    ids: {
      ...{
        org: organizationId,
        usr: things['member']!,
        auditor: things['auditor']!,
        actor: userId,
        foreignId,
      },
      ...{ ses: second.sessionId, key: things['key']!, inv: inviteMember.invitation.id, pky, grt },
      ...{ ast: things['asset']!, txn: things['transaction']!, signature: record!.signature },
      ...{ dsc: things['disclosure']!, rcp: things['receipt']!, dpl: policy!.id },
      ...{ crq: await request(), cas: approveCaseRequest.id, rpt: generateCaseReport.id },
      ...{ log: entry!.id, chk: checkAddress.checkId, rly, hld },
      prp: proposalId(proposal),
    },
  };
}
