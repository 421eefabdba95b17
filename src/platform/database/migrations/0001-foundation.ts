import { Migration } from '@mikro-orm/migrations';

/** Organizations and their members; keys, assets, indexed transactions and disclosures. */
export class Migration0001Foundation extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

const STATEMENTS = [
  // Facts about the database itself: the check value of the master key, the demo marker.
  `create table settings (
    name text primary key,
    value jsonb not null
  )`,

  `create table organizations (
    id text primary key,
    name text not null,
    require_second_person boolean not null default false,
    created_at timestamptz(3) not null
  )`,
  `create table users (
    id text primary key,
    email text not null,
    name text not null,
    password_hash text,
    sealed_totp_secret bytea,
    last_totp_step bigint,
    oidc_subject text unique,
    created_at timestamptz(3) not null
  )`,
  `create unique index users_email on users (lower(email))`,
  // A user acts for one organization, so a session does not have to name one.
  `create table memberships (
    user_id text primary key references users,
    organization_id text not null references organizations,
    created_at timestamptz(3) not null
  )`,
  `create index memberships_organization on memberships (organization_id, user_id)`,
  `create table applications (
    id text primary key,
    organization_id text not null references organizations,
    foreign_id text not null,
    name text not null,
    check_application_id text not null unique,
    created_at timestamptz(3) not null,
    unique (organization_id, foreign_id)
  )`,
  `create table permission_grants (
    organization_id text not null references organizations,
    user_id text not null references memberships (user_id) on delete cascade,
    application_id text references applications,
    bucket text not null check (bucket in ('owner', 'common', 'administrator', 'auditor')),
    permission text not null,
    check ((bucket = 'owner') = (application_id is null)),
    unique nulls not distinct (user_id, application_id, bucket, permission)
  )`,
  `create table sessions (
    id text primary key,
    token_hash bytea not null unique,
    user_id text not null references users,
    organization_id text not null references organizations,
    created_at timestamptz(3) not null,
    last_seen_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    ended_at timestamptz(3)
  )`,
  `create index sessions_user on sessions (user_id) where ended_at is null`,
  `create table sign_in_failures (
    account_and_address bytea not null,
    failed_at timestamptz(3) not null
  )`,
  `create index sign_in_failures_recent on sign_in_failures (account_and_address, failed_at)`,
  `create table api_keys (
    id text primary key,
    organization_id text not null references organizations,
    name text not null,
    scopes text[] not null,
    display_prefix text not null,
    secret_hash bytea not null unique,
    created_at timestamptz(3) not null,
    created_by text not null,
    expires_at timestamptz(3),
    last_used_at timestamptz(3),
    revoked_at timestamptz(3)
  )`,
  `create index api_keys_organization on api_keys (organization_id, id)`,

  // Both the outbox and the log: a row is written with its action, and gets its index in the Merkle log later.
  `create table activity_entries (
    id text primary key,
    sequence bigint generated always as identity,
    organization_id text not null references organizations,
    application_id text references applications,
    case_id text,
    event_type text not null,
    actor_id text not null,
    entry jsonb not null,
    salts jsonb not null,
    created_at timestamptz(3) not null,
    -- RFC 6962, of the entry as it was written: a later change of the row is not what the log holds.
    leaf_hash bytea not null,
    log_index bigint,
    unique (organization_id, log_index)
  )`,
  `create index activity_entries_organization on activity_entries (organization_id, sequence)`,
  `create index activity_entries_unsequenced on activity_entries (organization_id, sequence) where log_index is null`,
  `create table signing_keys (
    organization_id text primary key references organizations,
    public_key bytea not null,
    sealed_secret bytea not null,
    created_at timestamptz(3) not null
  )`,

  // All epochs are kept forever: a ciphertext stays readable with the key of its time.
  `create table auditor_keys (
    organization_id text not null references organizations,
    epoch integer not null,
    public_key bytea not null unique,
    sealed_secret bytea not null,
    created_at timestamptz(3) not null,
    primary key (organization_id, epoch)
  )`,
  `create table disclosure_policies (
    id text primary key,
    organization_id text not null references organizations,
    key text not null,
    name text not null,
    rules jsonb not null,
    created_at timestamptz(3) not null,
    unique (organization_id, key)
  )`,
  `create table assets (
    id text primary key,
    organization_id text not null references organizations,
    application_id text references applications,
    workspace_id text,
    name text not null,
    symbol text not null,
    decimals integer not null check (decimals between 0 and 255),
    creator_authority text,
    auditor_public_key bytea not null,
    auditor_key_epoch integer not null,
    mint_address text unique,
    deployment_signature text,
    deployment_status text,
    disclosure_policy_id text,
    confidential_mint_burn_enabled boolean not null default false,
    status text not null check (status in ('pending', 'active', 'error', 'disabled')),
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    foreign key (organization_id, auditor_key_epoch) references auditor_keys (organization_id, epoch)
  )`,
  `create index assets_organization on assets (organization_id, id)`,
  `create index assets_application on assets (application_id) where application_id is not null`,

  // One row for each bound mint: its registration, its lease, and how far it is indexed.
  `create table indexed_mints (
    asset_id text primary key references assets,
    mint_address text not null unique,
    status text not null check (status in ('pending', 'active', 'error', 'disabled')),
    reason text,
    record_count bigint not null default 0,
    latest_slot bigint,
    latest_block_time bigint,
    latest_signature text,
    last_indexed_at timestamptz(3),
    checkpoint_slot bigint,
    caught_up_at timestamptz(3),
    failures integer not null default 0,
    next_attempt_at timestamptz(3) not null,
    registered_at timestamptz(3),
    lease_owner text,
    lease_expires_at timestamptz(3),
    fencing_token bigint not null default 0
  )`,
  // The workers that are alive. Each follows at most its share of the mints.
  `create table indexer_workers (
    instance_id text primary key,
    seen_at timestamptz(3) not null
  )`,
  // The mint and every token account found through it: some instructions name only the account. The history of an address is
  // completely indexed up to its frontier. It has a beginning once the instruction that created the address was seen.
  `create table followed_addresses (
    asset_id text not null references indexed_mints,
    address text not null,
    kind text not null check (kind in ('mint', 'token_account', 'former_account')),
    frontier_signature text,
    frontier_slot bigint,
    oldest_signature text,
    origin_seen boolean not null default false,
    learned_at timestamptz(3) not null,
    primary key (asset_id, address)
  )`,
  `create table mint_auditor_keys (
    asset_id text not null references indexed_mints,
    from_slot bigint not null,
    path integer[] not null,
    public_key bytea,
    signature text not null,
    primary key (asset_id, signature, path)
  )`,
  `create index mint_auditor_keys_slot on mint_auditor_keys (asset_id, from_slot, path)`,
  `create table transactions (
    id text primary key,
    asset_id text not null references assets,
    position bigint not null,
    signature text not null,
    path integer[] not null,
    type text not null,
    slot bigint not null,
    block_time bigint,
    signer text not null,
    source_account text,
    destination_account text,
    public_data jsonb not null,
    ciphertexts jsonb not null,
    indexed_at timestamptz(3) not null,
    unique (asset_id, position),
    unique (asset_id, signature, path)
  )`,
  `create index transactions_signature on transactions (signature, path)`,
  `create index transactions_type on transactions (asset_id, type, position)`,
  `create index transactions_source on transactions (asset_id, source_account, position)`,
  `create index transactions_destination on transactions (asset_id, destination_account, position)`,
  `create index transactions_block_time on transactions (asset_id, block_time, position)`,

  `create table disclosures (
    id text primary key,
    organization_id text not null references organizations,
    asset_id text not null references assets,
    purpose text not null,
    scope jsonb not null,
    format text not null check (format in ('json', 'csv')),
    status text not null check (status in ('pending', 'available', 'rejected')),
    external_reference text,
    policy_id text references disclosure_policies,
    requested_by text not null,
    requested_at timestamptz(3) not null,
    decision text check (decision in ('authorize', 'reject')),
    decided_by text,
    decision_reason text,
    decided_at timestamptz(3),
    -- The newest record that the authorized scope can select: later ones were not decided about.
    as_of_position bigint,
    resolved_at timestamptz(3),
    receipt_id text,
    sealed_result bytea,
    lease_owner text,
    lease_expires_at timestamptz(3)
  )`,
  `create index disclosures_organization on disclosures (organization_id, id)`,
  `create index disclosures_asset on disclosures (asset_id, id)`,
  // Authorized but not yet computed: what a worker must finish.
  `create index disclosures_unfinished on disclosures (id) where status = 'pending' and decision = 'authorize'`,
  `create table receipts (
    id text primary key,
    organization_id text not null references organizations,
    disclosure_id text not null unique references disclosures,
    body jsonb not null,
    signature bytea not null,
    created_at timestamptz(3) not null
  )`,
  `create table idempotency_keys (
    organization_id text not null references organizations,
    key text not null,
    operation text not null,
    request_hash bytea not null,
    resource_id text not null,
    sealed_answer bytea,
    created_at timestamptz(3) not null,
    primary key (organization_id, key)
  )`,
  `create index idempotency_keys_age on idempotency_keys (created_at)`,
];
