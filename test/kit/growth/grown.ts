import { base58 } from '../../../src/platform/kernel/encoding/bytes.js';
import { operatorOf } from '../../../src/domain/access/index.js';
import { createApplication } from '../../../src/domain/organizations/index.js';
import { type Foundation, sql } from '../../../src/platform/database/index.js';
import type { Id } from '../../../src/platform/kernel/ids.js';
import { seedAsset } from '../ledger/confidential-records.js';
import { seedOrganization, type SeededOrganization } from '../seed.js';

function addressOf(byte: number): string {
  return base58.encode(new Uint8Array(32).fill(byte));
}

/** The time of the first row. Each row is one second later than the previous one. */
const BEGIN = Date.UTC(2026, 0, 1);
export const secondsIn = (seconds: number) => new Date(BEGIN + seconds * 1000);

export const ROWS = 20_000;
/** An account with a tenth of the records. */
export const WHALE = addressOf(1);
/** An account with the last twenty records. */
export const NEWCOMER = addressOf(2);
/** An account without records. */
export const STRANGER = addressOf(3);

export interface Grown {
  readonly acme: SeededOrganization;
  readonly assetId: Id<'ast'>;
  /** An application with the ten oldest entries of the log. */
  readonly quietApplication: Id<'app'>;
}

/** 20,000 rows in each large table, with skew: values that most rows have, rare ones among the oldest, and absent ones. */
export async function grow(foundation: Foundation): Promise<Grown> {
  const acme = await seedOrganization(foundation, { name: 'Acme' });
  const organizationId = acme.organization.id;
  const { id: assetId } = await seedAsset(foundation, organizationId, { applicationId: acme.application.id });
  const { id: quietApplication } = await createApplication(foundation, operatorOf(organizationId), {
    foreignId: 'quiet',
    name: 'Quiet',
  });
  const { database } = foundation;
  const begin = secondsIn(0);
  await database.transaction(async (transaction) => {
    const insert = (statement: ReturnType<typeof sql>) => transaction.rows(statement);
    await insert(sql`
      insert into transactions (id, asset_id, position, signature, path, type, slot, block_time, signer,
        source_account, destination_account, public_data, ciphertexts, indexed_at)
      select 'txn_' || lpad(n::text, 26, '0'), ${assetId}, n, substr(repeat(md5(n::text), 3), 1, 88), '{3,0,0}',
        case when n < 20 then 'confidential_burn' when n % 20 = 0 then 'confidential_deposit'
          else 'confidential_transfer' end,
        n, 1767225600 + n, md5((n % 977)::text),
        case when n % 10 = 3 then ${WHALE} when n > ${ROWS}::integer - 20 then ${NEWCOMER} else md5((n % 4999)::text) end,
        md5((n % 4987)::text), '{}', '{}', ${begin}::timestamptz + n * interval '1 second'
      from generate_series(1, ${ROWS}::integer) as n`);
    await insert(sql`
      update indexed_mints set record_count = ${ROWS}::integer, verified = true where asset_id = ${assetId}`);
    await insert(sql`
      insert into activity_entries (id, organization_id, application_id, event_type, actor_id, entry, salts,
        created_at, leaf_hash, log_index)
      select 'log_' || lpad(n::text, 26, '0'), ${organizationId},
        case when n <= 10 then ${quietApplication} when n % 3 = 0 then ${acme.application.id} end,
        case when n < 20 then 'report.downloaded' else 'case.viewed' end,
        case when n < 20 then 'usr_' || repeat('1', 26) else 'usr_' || lpad((n % 20)::text, 26, '0') end,
        jsonb_build_object('user', 'Somebody', 'object', jsonb_build_object('type', 'asset', 'id',
          case when n < 20 then 'rare' when n % 10 = 0 then 'tenth' else n::text end), 'details', '{}'::jsonb,
          'application_foreign_id', null), '{}',
        ${begin}::timestamptz + n * interval '1 second', sha256(n::text::bytea), n + 1000000
      from generate_series(1, ${ROWS}::integer) as n`);
    await insert(sql`
      insert into relay_requests (id, pool_selector, program_id, package_digest, sealed_package, status, reason,
        sequence, created_at, updated_at)
      select 'rly_' || lpad(n::text, 26, '0'), case when n < 20 then 'rare' else 'main' end, 'program',
        sha256(n::text::bytea), 'sealed', case when n < 20 then 'failed' else 'succeeded' end,
        case when n < 20 then 'expired' end, 5, ${begin}::timestamptz + n * interval '1 second',
        ${begin}::timestamptz + n * interval '1 second'
      from generate_series(1, ${ROWS}::integer) as n`);
    await insert(sql`
      insert into relay_organizations (organization_id, request_id, accepted_at, pool_selector, status)
      select ${organizationId}, id, created_at, pool_selector, status from relay_requests`);
    await insert(sql`
      insert into relay_applications (application_id, request_id, organization_id, accepted_at)
      select case when n <= 10 then ${quietApplication} else ${acme.application.id} end,
        'rly_' || lpad(n::text, 26, '0'), ${organizationId}, ${begin}::timestamptz + n * interval '1 second'
      from generate_series(1, ${ROWS}::integer) as n`);
    await insert(sql`
      insert into disclosures (id, organization_id, asset_id, purpose, scope, format, status, requested_by,
        requested_at, change)
      select 'dsc_' || lpad(n::text, 26, '0'), ${organizationId}, ${assetId}, 'audit', '{}', 'json',
        case when n < 20 then 'pending' else 'rejected' end, 'key', ${begin}::timestamptz, n
      from generate_series(1, ${ROWS}::integer) as n`);
    await insert(sql`
      insert into case_requests (id, organization_id, application_id, status, reason, requested_by, period_from,
        period_to, access_days, disclosure_flags, auditor_ids, asset_ids, created_at, decided_at, change)
      select 'crq_' || lpad(n::text, 26, '0'), ${organizationId}, ${acme.application.id},
        case when n < 20 then 'pending' else 'closed' end, 'audit', ${acme.owner.principal.userId}, '2026-01-01',
        '2026-02-01', 10, '{}', '{}', '{}', ${begin}::timestamptz, case when n >= 20 then ${begin}::timestamptz end, n
      from generate_series(1, ${ROWS}::integer) as n`);
    await insert(sql`
      insert into security_events (organization_id, event, client_address, request_id, created_at)
      select ${organizationId}, 'sign_in.failed', '192.0.2.1', 'request', ${begin}::timestamptz
      from generate_series(1, ${ROWS}::integer) as n`);
    await insert(sql`
      insert into address_checks (id, organization_id, application_id, network, address, check_application_id,
        approved, reason, decided_by, policy_version, checked_at, metadata_hash)
      select 'chk_' || lpad(n::text, 26, '0'), ${organizationId},
        case when n % 3 = 0 then ${quietApplication} else ${acme.application.id} end, 'solana',
        case when n % 10 = 1 then 'tenth' else md5(n::text) end, 'check',
        true, 'approved', 'address_list', 1, ${begin}::timestamptz, sha256(n::text::bytea)
      from generate_series(1, ${ROWS}::integer) as n`);
    await insert(sql`
      insert into application_addresses (application_id, network, address, status, reason, changed_by, changed_at)
      select ${acme.application.id}, 'solana', md5(n::text), case when n < 20 then 'revoked' else 'approved' end,
        'checked', 'usr', ${begin}::timestamptz
      from generate_series(1, ${ROWS}::integer) as n`);
  });
  await database.rows(sql`vacuum (analyze)`);
  return { acme, assetId, quietApplication };
}
