import { Migration } from '@mikro-orm/migrations';

/** Reports: those in progress, the finished ones, and their files in sealed chunks. A finished report never changes. */
export class Migration0004Reports extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

const STATEMENTS = [
  // A row is deleted by the transaction that creates the finished report.
  `create table report_generations (
    id text primary key,
    organization_id text not null references organizations,
    application_id text references applications,
    case_id text references cases,
    requested_by text not null references users,
    status text not null check (status in ('running', 'failed')),
    record_count bigint not null default 0,
    record_total bigint,
    failure text,
    requested_at timestamptz(3) not null,
    ended_at timestamptz(3),
    lease_owner text,
    lease_expires_at timestamptz(3)
  )`,
  `create index report_generations_organization on report_generations (organization_id) where status = 'running'`,
  `create index report_generations_lease on report_generations (lease_expires_at) where status = 'running'`,

  // Chunks of plaintext. Each is sealed with its content id and its position as context. They belong to the generation with the
  // same id until a file has them.
  `create table report_chunks (
    content_id text not null,
    chunk_index integer not null,
    sealed_bytes bytea not null,
    primary key (content_id, chunk_index)
  )`,
  // Sealed data cannot be compressed.
  `alter table report_chunks alter column sealed_bytes set storage external`,
  // Content-addressed: equal content is one file of the organization.
  `create table report_files (
    organization_id text not null references organizations,
    sha256 bytea not null check (length(sha256) = 32),
    content_id text not null unique,
    size_bytes bigint not null,
    created_at timestamptz(3) not null,
    primary key (organization_id, sha256)
  )`,
  `create table reports (
    id text primary key,
    sequence bigint generated always as identity,
    organization_id text not null references organizations,
    application_id text references applications,
    case_id text references cases,
    report_type text not null check (report_type in ('transaction_summary', 'transaction_detail', 'activity_log')),
    format text not null check (format in ('csv', 'json', 'pdf')),
    period_from date,
    period_to date,
    disclosure_flags jsonb,
    asset_ids jsonb,
    record_count bigint not null,
    sha256 bytea not null,
    generated_by text not null references users,
    generated_at timestamptz(3) not null,
    log_entry_id text not null references activity_entries,
    check (case_id is null or application_id is not null),
    foreign key (organization_id, sha256) references report_files
  )`,
  `create index reports_organization on reports (organization_id, sequence)`,
  `create index reports_application on reports (application_id, sequence) where application_id is not null`,
  // When a user last started to download a report: resuming a download does not count as another one.
  `create table report_downloads (
    report_id text not null references reports,
    user_id text not null references users,
    began_at timestamptz(3) not null,
    primary key (report_id, user_id)
  )`,

  // No statement of the gateway changes these rows. The database refuses changes by others.
  `create function refuse_change() returns trigger language plpgsql as $$
  begin
    raise exception 'Rows of % never change.', tg_table_name;
  end $$`,
  `create trigger reports_never_change before update or delete on reports
    for each row execute function refuse_change()`,
  `create trigger report_files_never_change before update or delete on report_files
    for each row execute function refuse_change()`,
  `create trigger report_chunks_never_change before update on report_chunks
    for each row execute function refuse_change()`,
  // Chunks can be deleted until they belong to a file.
  `create function keep_report_chunks() returns trigger language plpgsql as $$
  begin
    if exists (select from report_files where content_id = old.content_id) then
      raise exception 'The pieces of a report never change.';
    end if;
    return old;
  end $$`,
  `create trigger report_chunks_are_kept before delete on report_chunks
    for each row execute function keep_report_chunks()`,
];
