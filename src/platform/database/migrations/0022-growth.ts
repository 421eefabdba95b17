import { Migration } from '@mikro-orm/migrations';

/** Indexes that make each read as fast with ten million rows as with a thousand. */
export class Migration0022Growth extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

const STATEMENTS = [
  // Times can be used as positions: the time of indexing never decreases as the position increases.
  `update transactions set indexed_at = risen.indexed_at
  from (
    select id, max(indexed_at) over (partition by asset_id order by position) as indexed_at from transactions
  ) as risen
  where transactions.id = risen.id and transactions.indexed_at < risen.indexed_at`,
  `create index transactions_indexed_at on transactions (asset_id, indexed_at, position)`,

  // An account's records of one type are read in order of position.
  `drop index transactions_source`,
  `drop index transactions_destination`,
  `create index transactions_source on transactions (asset_id, source_account, type, position)`,
  `create index transactions_destination on transactions (asset_id, destination_account, type, position)`,

  // One index both for the look-up by signature and for the rule that an instruction is indexed once.
  `alter table transactions drop constraint transactions_asset_id_signature_path_key`,
  `drop index transactions_signature`,
  `create unique index transactions_signature on transactions (signature, path, asset_id)`,

  // The log is listed by time, and exported and followed by index.
  `drop index activity_entries_organization`,
  `drop index activity_entries_application`,
  `drop index activity_entries_case`,
  `create index activity_entries_organization on activity_entries (organization_id, created_at, id)`,
  `create index activity_entries_event on activity_entries (organization_id, event_type, created_at, id)`,
  `create index activity_entries_actor on activity_entries (organization_id, actor_id, created_at, id)`,
  `create index activity_entries_application on activity_entries (application_id, created_at, id)
    where application_id is not null`,
  `create index activity_entries_application_event on activity_entries
    (application_id, event_type, created_at, id) where application_id is not null`,
  `create index activity_entries_application_index on activity_entries (application_id, log_index)
    where application_id is not null`,
  `create index activity_entries_case on activity_entries (case_id, created_at, id) where case_id is not null`,
  `create index activity_entries_case_index on activity_entries (case_id, log_index) where case_id is not null`,

  // An organization's relays are listed by pool and by status, so these columns are stored next to the order of the list.
  `alter table relay_organizations add column pool_selector text, add column status text`,
  `update relay_organizations set pool_selector = relays.pool_selector, status = relays.status
  from relay_requests as relays where relays.id = relay_organizations.request_id`,
  `alter table relay_organizations alter column pool_selector set not null, alter column status set not null`,
  `create index relay_organizations_status on relay_organizations (organization_id, status, accepted_at, request_id)`,
  `create index relay_organizations_pool on relay_organizations
    (organization_id, pool_selector, accepted_at, request_id)`,

  // To find and remove sessions that have ended.
  `create index sessions_expiry on sessions (expires_at)`,
  `create index sessions_end on sessions (ended_at) where ended_at is not null`,

  // Only a document is counted before it is written.
  `alter table report_generations add column record_total_is_estimate boolean not null default false`,

  // Filters of the other lists.
  `drop index disclosures_pending`,
  `create index disclosures_status on disclosures (organization_id, status, id)`,
  `create index case_requests_status on case_requests (application_id, status, id)`,
  `create index reports_type on reports (organization_id, report_type, sequence)`,
  `create index reports_case on reports (case_id, sequence) where case_id is not null`,
  `create index application_addresses_status on application_addresses (application_id, network, status, address)`,
];
