import { Migration } from '@mikro-orm/migrations';

/**
 * Row-level security by organization. In every table that belongs to organizations, a statement can read and write only rows of
 * the organizations in the setting `lucarne.acting_for`: ids separated by commas, or `*` for all. Without the setting, it sees
 * no rows. The owner of the tables, who migrates and makes backups, is not limited.
 */
export class Migration0021RowSecurity extends Migration {
  override up(): void {
    for (const [table, condition] of POLICIES) {
      this.addSql(`create policy organization on ${table} using (${EVERY_ORGANIZATION} or ${condition})`);
      this.addSql(`alter table ${table} enable row level security`);
    }
    this.addSql(FORGET_IDEMPOTENCY_KEYS);
  }
}

// As sub-selects, the setting is read once for each statement instead of once for each row.
const EVERY_ORGANIZATION = `(select current_setting('lucarne.acting_for', true)) = '*'`;
const OURS = `(select string_to_array(current_setting('lucarne.acting_for', true), ','))::text[]`;

const OWNED = [
  ...['activity_entries', 'activity_logs', 'address_checks', 'api_keys', 'applications', 'assets'],
  ...['auditor_keys', 'case_requests', 'cases', 'disclosure_policies', 'disclosures', 'idempotency_keys'],
  ...['invitations', 'log_checkpoints', 'log_tiles', 'pending_permission_grants', 'permission_grants'],
  ...['proposed_operations', 'receipts', 'relay_organizations', 'relay_receipts', 'report_files'],
  ...['report_generations', 'reports', 'security_events', 'sessions', 'signing_keys', 'users'],
];

/** Tables that name no organization. Their rows are visible together with the row that they belong to. */
const PARTS: readonly (readonly [string, string, string])[] = [
  ['address_policies', 'application_id', 'applications'],
  ['application_addresses', 'application_id', 'applications'],
  ['case_auditors', 'case_id', 'cases'],
  ['case_views', 'case_id', 'cases'],
  ['followed_addresses', 'asset_id', 'assets'],
  ['indexed_mints', 'asset_id', 'assets'],
  ['mint_auditor_keys', 'asset_id', 'assets'],
  ['report_downloads', 'report_id', 'reports'],
  ['transactions', 'asset_id', 'assets'],
];

const POLICIES: readonly (readonly [string, string])[] = [
  ['organizations', `id = any (${OURS})`],
  ...OWNED.map((table) => [table, `organization_id = any (${OURS})`] as const),
  ...PARTS.map(
    ([table, column, whole]) =>
      [table, `exists (select from ${whole} where ${whole}.id = ${table}.${column})`] as const,
  ),
];

// Runs as the owner of the tables, because a call removes expired keys of all organizations, but can see only those of one.
const FORGET_IDEMPOTENCY_KEYS = `create function forget_expired_idempotency_keys() returns void language sql
  security definer set search_path from current as $$
  delete from idempotency_keys where ctid in (
    select ctid from idempotency_keys where created_at <= date_trunc('milliseconds', now()) - interval '24 hours'
    limit 100 for update skip locked)
  $$`;
