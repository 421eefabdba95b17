import { Migration } from '@mikro-orm/migrations';

/** Relays: requests, the nullifiers that they hold, signed transactions, and the history with its evidence. */
export class Migration0007Relays extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

const STATEMENTS = [
  // The recipient of a relay is screened even if the package names no application.
  `alter table address_checks alter column check_application_id drop not null,
    drop constraint address_checks_check1,
    add constraint address_checks_application check
      ((application_id is null) = (reason = 'unknown_application' or check_application_id is null))`,

  // The package is sealed, because it reveals what will be spent before the ledger does, and contains scalars that open
  // notes. A package that was rejected at admission is not stored: it is never executed, and anyone can send one.
  // `sequence` counts the changes of status. `next_look_at` is when the request must be checked again; every unfinished
  // request has one, so that none is forgotten.
  `create table relay_requests (
    id text primary key,
    pool_selector text not null,
    program_id text not null,
    package_digest bytea not null check (length(package_digest) = 32),
    sealed_package bytea,
    status text not null check (status in ('accepted', 'validating', 'queued', 'submitted', 'reconciling',
      'succeeded', 'rejected', 'failed')),
    reason text,
    sequence integer not null check (sequence >= 1),
    attempt_number integer check (attempt_number >= 1),
    failed_looks integer not null default 0,
    next_look_at timestamptz(3),
    lease_owner text,
    lease_expires_at timestamptz(3),
    fencing_token integer not null default 0,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    check ((reason is not null) = (status in ('rejected', 'failed'))),
    check ((next_look_at is null) = (status in ('succeeded', 'rejected', 'failed'))),
    check (sealed_package is not null or status in ('accepted', 'rejected'))
  )`,
  `create index relay_requests_due on relay_requests (next_look_at) where next_look_at is not null`,
  `create index relay_requests_waiting on relay_requests (status)
    where status in ('accepted', 'validating', 'queued')`,

  // The open request that holds a nullifier: at most one, even with concurrent instances. A row is deleted when its request
  // is rejected, or has failed without a possible retry; the rows of a succeeded request stay forever.
  `create table relay_nullifiers (
    program_id text not null,
    nullifier bytea not null check (length(nullifier) = 32),
    request_id text not null references relay_requests,
    primary key (program_id, nullifier)
  )`,
  `create index relay_nullifiers_request on relay_nullifiers (request_id)`,

  // The organizations whose applications the package names: they may read its history. `accepted_at` is a copy of the request's
  // `created_at`, for the order of an organization's list.
  `create table relay_organizations (
    organization_id text not null references organizations,
    request_id text not null references relay_requests,
    accepted_at timestamptz(3) not null default now(),
    primary key (organization_id, request_id)
  )`,
  `create index relay_organizations_newest on relay_organizations (organization_id, accepted_at, request_id)`,
  `create index relay_organizations_request on relay_organizations (request_id)`,

  // The signed transaction, stored before any node sees it. At most one signature for each attempt. `outcome` is the
  // finalized result: it landed and succeeded, it landed and failed, or it is proven that it can never land (`dead`, with
  // the proof as `evidence`).
  `create table relay_attempts (
    request_id text not null references relay_requests,
    number integer not null,
    signature text not null unique,
    message_sha256 bytea not null check (length(message_sha256) = 32),
    transaction bytea not null,
    blockhash text not null,
    last_valid_block_height bigint not null,
    context_slot bigint not null,
    compute_units integer not null,
    fee_lamports bigint not null,
    created_at timestamptz(3) not null,
    outcome text check (outcome in ('landed', 'failed', 'dead')),
    evidence jsonb,
    concluded_at timestamptz(3),
    primary key (request_id, number),
    check ((outcome is null) = (evidence is null)),
    check ((outcome is null) = (concluded_at is null))
  )`,

  // Every change of status with its evidence: heights, signatures, the answer of each provider.
  `create table relay_events (
    request_id text not null references relay_requests,
    sequence integer not null,
    status text not null,
    reason text,
    attempt_number integer,
    signature text,
    evidence jsonb not null,
    created_at timestamptz(3) not null,
    primary key (request_id, sequence)
  )`,
  `create trigger relay_events_never_change before update or delete or truncate on relay_events
    for each statement execute function refuse_change()`,

  // One for each organization and each end: a failed request that is retried ends again.
  `create table relay_receipts (
    id text primary key,
    organization_id text not null references organizations,
    request_id text not null references relay_requests,
    sequence integer not null,
    body jsonb not null,
    signature bytea not null check (length(signature) = 64),
    created_at timestamptz(3) not null,
    unique (request_id, organization_id, sequence)
  )`,
  `create trigger relay_receipts_never_change before update or delete or truncate on relay_receipts
    for each statement execute function refuse_change()`,
];
