import { Migration } from '@mikro-orm/migrations';

/** Case requests, the cases that approvals create, the assigned auditors, and who viewed cases on which day. */
export class Migration0003Cases extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

const STATEMENTS = [
  // Counts the changes of an application's requests and cases. Incremented while the row is locked, so in the order of commits.
  `alter table applications add column case_changes bigint not null default 0`,
  `create table case_requests (
    id text primary key,
    organization_id text not null references organizations,
    application_id text not null references applications,
    status text not null check (status in ('pending', 'approved', 'closed')),
    withdrawn boolean not null default false check (not withdrawn or status = 'closed'),
    reason text not null,
    requested_by text not null references users,
    period_from date not null,
    period_to date not null check (period_from <= period_to),
    access_days integer not null check (access_days between 1 and 3650),
    disclosure_flags jsonb not null,
    auditor_ids text[] not null,
    asset_ids text[] not null,
    created_at timestamptz(3) not null,
    decided_at timestamptz(3),
    decided_by text references users,
    decision_reason text,
    case_id text,
    -- Its place among the application's changes, that of the last one.
    change bigint not null,
    check ((status = 'approved') = (case_id is not null)),
    check ((status = 'pending') = (decided_at is null))
  )`,
  `create index case_requests_application on case_requests (application_id, id)`,
  `create unique index case_requests_change on case_requests (application_id, change)`,
  // A case never changes: its status follows from the time.
  `create table cases (
    id text primary key,
    organization_id text not null references organizations,
    application_id text not null references applications,
    request_id text not null unique references case_requests,
    reason text not null,
    period_from date not null,
    period_to date not null,
    access_days integer not null,
    disclosure_flags jsonb not null,
    asset_ids text[] not null,
    approved_by text not null references users,
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    change bigint not null
  )`,
  `create index cases_application on cases (application_id, id)`,
  `create unique index cases_change on cases (application_id, change)`,
  `create table case_auditors (
    case_id text not null references cases,
    user_id text not null references users,
    primary key (case_id, user_id)
  )`,
  `create index case_auditors_user on case_auditors (user_id, case_id)`,
  // Who viewed the transactions of which case on which day (UTC). The log records each combination once.
  `create table case_views (
    case_id text not null references cases,
    user_id text not null references users,
    day date not null,
    viewed_at timestamptz(3) not null,
    primary key (case_id, user_id, day)
  )`,
];
