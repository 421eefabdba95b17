import { type Foundation, sql } from '../../../src/platform/database/index.js';
import type { Id } from '../../../src/platform/kernel/ids.js';
import { seedAsset } from '../ledger/confidential-records.js';
import { type Grown, ROWS, secondsIn } from './grown.js';
import { seedMember, type SeededUser } from '../seed.js';

const BOTH = ['payments', 'quiet'];

export interface GrownLists extends Grown {
  /** Sees everything of both applications, and is no auditor of a case. */
  readonly administrator: SeededUser;
  /** An auditor of the ten oldest cases, the only ones that are open. */
  readonly auditor: SeededUser;
  /** An asset whose mint had 20,000 auditor keys. */
  readonly restlessAssetId: Id<'ast'>;
}

/** 20,000 rows in each table of {@link Grown} that people fill, with values that only the oldest rows have. */
export async function growLists(foundation: Foundation, grown: Grown): Promise<GrownLists> {
  const { acme, assetId, quietApplication } = grown;
  const organizationId = acme.organization.id;
  const applicationId = acme.application.id;
  const administrator = await seedMember(foundation, organizationId, {
    owner: ['applications:read', 'members:manage', 'api_keys:manage', 'policies:manage', 'reports:list'],
    applications: BOTH.map((foreignId) => ({
      foreignId,
      administrator: ['cases:approve_creation', 'reports:list', 'disclosures:decide'],
    })),
  });
  const auditor = await seedMember(foundation, organizationId, {
    applications: [{ foreignId: 'payments', auditor: ['cases:create', 'reports:view_transactions'] }],
  });
  const { userId } = auditor.principal;
  const { id: restlessAssetId } = await seedAsset(foundation, organizationId, {});
  const begin = secondsIn(0);
  const { database } = foundation;
  await database.transaction(async (transaction) => {
    const insert = (statement: ReturnType<typeof sql>) => transaction.rows(statement);
    await insert(sql`
      insert into users (id, email, name, created_at, organization_id, ended_at)
      select 'usr_' || lpad(n::text, 26, '0'), n || '@example.test', 'Member', ${begin}::timestamptz, ${organizationId},
        case when n < ${ROWS}::integer - 10 then ${begin}::timestamptz end
      from generate_series(1, ${ROWS}::integer) as n`);
    await insert(sql`
      insert into cases (id, organization_id, application_id, request_id, reason, period_from, period_to, access_days,
        disclosure_flags, asset_ids, approved_by, created_at, expires_at, change)
      select 'cas_' || lpad(n::text, 26, '0'), ${organizationId},
        case when n % 3 = 0 then ${quietApplication} else ${applicationId} end, 'crq_' || lpad(n::text, 26, '0'), 'audit',
        '2026-01-01', '2030-01-01', 10, '{"fullTxIds": true}', array[${assetId}::text], ${acme.owner.principal.userId},
        ${begin}::timestamptz, case when n < 20 then timestamptz '2100-01-01' else ${begin}::timestamptz end, n
      from generate_series(1, ${ROWS}::integer) as n`);
    await insert(sql`
      insert into case_auditors (case_id, user_id)
      select 'cas_' || lpad(n::text, 26, '0'), case when n <= 10 then ${userId} else ${acme.owner.principal.userId} end
      from generate_series(1, ${ROWS}::integer) as n`);
    await insert(sql`update applications set case_changes = ${ROWS}::integer where id = ${applicationId}`);
    await insert(sql`
      insert into reports (id, organization_id, application_id, case_id, report_type, format, record_count, generated_by,
        generated_at, log_entry_id, content_id, sealed_digest)
      select 'rpt_' || lpad(n::text, 26, '0'), ${organizationId},
        case when n <= 10 then ${applicationId} else ${quietApplication} end,
        case when n <= 10 then 'cas_' || lpad('1', 26, '0') end,
        case when n = 1 then 'activity_log' else 'transaction_detail' end,
        'csv', 1, ${userId}, ${begin}::timestamptz, 'log_' || lpad(n::text, 26, '0'), n::text, 'sealed'
      from generate_series(1, ${ROWS}::integer) as n`);
    await insert(sql`
      insert into invitations (id, organization_id, email, name, permissions, token_hash, invited_by, created_at, expires_at)
      select 'inv_' || lpad(n::text, 26, '0'), ${organizationId}, n || '@example.test', 'Guest', '{}',
        sha256(n::text::bytea), ${userId}, ${begin}::timestamptz, ${begin}::timestamptz
      from generate_series(1, ${ROWS}::integer) as n`);
    await insert(sql`
      insert into api_keys (id, organization_id, name, scopes, display_prefix, secret_hash, created_at, created_by)
      select 'key_' || lpad(n::text, 26, '0'), ${organizationId}, 'Backend', '{}', 'lck_', sha256(n::text::bytea),
        ${begin}::timestamptz, ${userId}
      from generate_series(1, ${ROWS}::integer) as n`);
    await insert(sql`
      insert into applications (id, organization_id, foreign_id, name, check_application_id, created_at)
      select 'app_' || lpad(n::text, 26, '0'), ${organizationId}, 'desk-' || lpad(n::text, 5, '0'), 'Desk', 'chk_' || n,
        ${begin}::timestamptz
      from generate_series(1, ${ROWS}::integer) as n`);
    await insert(sql`
      insert into assets (id, organization_id, application_id, name, symbol, decimals, auditor_public_key,
        auditor_key_epoch, status, created_at, updated_at)
      select 'ast_' || lpad(n::text, 26, '0'), ${organizationId},
        case when n < 20 then ${quietApplication} else ${applicationId} end, 'Euro', 'EUR', 2, sha256('key'),
        (select max(epoch) from auditor_keys where organization_id = ${organizationId}), 'pending', ${begin}::timestamptz,
        ${begin}::timestamptz
      from generate_series(1, ${ROWS}::integer) as n`);
    await insert(sql`
      insert into mint_auditor_keys (asset_id, from_slot, path, public_key, signature, position)
      select ${restlessAssetId}, n, '{0}', sha256(n::text::bytea), n::text, 1
      from generate_series(1, ${ROWS}::integer) as n`);
    await insert(sql`
      insert into disclosure_policies (id, organization_id, key, name, rules, created_at)
      select 'dpl_' || lpad(n::text, 26, '0'), ${organizationId}, n::text, 'Policy', '{}', ${begin}::timestamptz
      from generate_series(1, ${ROWS}::integer) as n`);
    await insert(sql`
      insert into pending_permission_grants (id, organization_id, user_id, application_id, bucket, permission, granted_by,
        created_at)
      select 'grt_' || lpad(n::text, 26, '0'), ${organizationId}, 'usr_' || lpad(n::text, 26, '0'), ${applicationId},
        'auditor', 'cases:create', ${acme.owner.principal.userId}, ${begin}::timestamptz
      from generate_series(1, ${ROWS}::integer) as n`);
    await insert(sql`
      insert into sessions (id, token_hash, user_id, organization_id, created_at, last_seen_at, expires_at, ended_at)
      select 'ses_' || lpad(n::text, 26, '0'), sha256(n::text::bytea), ${acme.owner.principal.userId}, ${organizationId},
        ${begin}::timestamptz, ${begin}::timestamptz, timestamptz '2100-01-01', ${begin}::timestamptz
      from generate_series(1, ${ROWS}::integer) as n`);
  });
  await database.rows(sql`vacuum (analyze)`);
  return { ...grown, administrator, auditor, restlessAssetId };
}
