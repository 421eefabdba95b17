-- The schema after all migrations, to review. Printed by "npm run schema"; src/database/migrations makes it.

CREATE OR REPLACE FUNCTION public.keep_report_chunks()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    if exists (select from report_files where content_id = old.content_id) then
      raise exception 'The pieces of a report never change.';
    end if;
    return old;
  end $function$;

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    raise exception 'Rows of % never change.', tg_table_name;
  end $function$;

create table activity_entries (
  id text not null,
  sequence bigint not null generated always as identity,
  organization_id text not null,
  application_id text,
  case_id text,
  event_type text not null,
  actor_id text not null,
  entry jsonb not null,
  salts jsonb not null,
  created_at timestamp(3) with time zone not null,
  leaf_hash bytea not null,
  log_index bigint,
  constraint activity_entries_pkey PRIMARY KEY (id),
  constraint activity_entries_organization_id_log_index_key UNIQUE (organization_id, log_index),
  constraint activity_entries_application_id_fkey FOREIGN KEY (application_id) REFERENCES applications(id),
  constraint activity_entries_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
CREATE INDEX activity_entries_application ON public.activity_entries USING btree (application_id, sequence);
CREATE INDEX activity_entries_case ON public.activity_entries USING btree (case_id, sequence) WHERE (case_id IS NOT NULL);
CREATE INDEX activity_entries_organization ON public.activity_entries USING btree (organization_id, sequence);
CREATE INDEX activity_entries_unsequenced ON public.activity_entries USING btree (organization_id, sequence) WHERE (log_index IS NULL);

create table activity_logs (
  organization_id text not null,
  origin text not null,
  created_at timestamp(3) with time zone not null,
  constraint activity_logs_pkey PRIMARY KEY (organization_id),
  constraint activity_logs_origin_key UNIQUE (origin),
  constraint activity_logs_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);

create table address_checks (
  id text not null,
  organization_id text,
  application_id text,
  network text not null,
  address text not null,
  check_application_id text,
  approved boolean not null,
  reason text not null,
  decided_by text not null,
  policy_version integer,
  list_version text,
  checked_at timestamp(3) with time zone not null,
  metadata_hash bytea not null,
  constraint address_checks_pkey PRIMARY KEY (id),
  constraint address_checks_application_id_fkey FOREIGN KEY (application_id) REFERENCES applications(id),
  constraint address_checks_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint address_checks_application CHECK (((application_id IS NULL) = ((reason = 'unknown_application'::text) OR (check_application_id IS NULL)))),
  constraint address_checks_check CHECK ((approved = (reason = 'approved'::text))),
  constraint address_checks_check2 CHECK (((organization_id IS NULL) = (application_id IS NULL))),
  constraint address_checks_check3 CHECK (((policy_version IS NULL) = (application_id IS NULL))),
  constraint address_checks_decided_by_check CHECK ((decided_by = ANY (ARRAY['application'::text, 'sanctions_list'::text, 'screening_service'::text, 'address_list'::text, 'default'::text]))),
  constraint address_checks_metadata_hash_check CHECK ((length(metadata_hash) = 32)),
  constraint address_checks_reason_check CHECK ((reason = ANY (ARRAY['approved'::text, 'not_approved'::text, 'revoked'::text, 'sanctioned'::text, 'unknown_application'::text, 'screening_unavailable'::text])))
);
CREATE TRIGGER address_checks_never_change BEFORE DELETE OR UPDATE OR TRUNCATE ON public.address_checks FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table address_policies (
  application_id text not null,
  approved_by_default boolean not null default false,
  version integer not null,
  constraint address_policies_pkey PRIMARY KEY (application_id),
  constraint address_policies_application_id_fkey FOREIGN KEY (application_id) REFERENCES applications(id),
  constraint address_policies_version_check CHECK ((version >= 0))
);

create table api_keys (
  id text not null,
  organization_id text not null,
  name text not null,
  scopes text[] not null,
  display_prefix text not null,
  secret_hash bytea not null,
  created_at timestamp(3) with time zone not null,
  created_by text not null,
  expires_at timestamp(3) with time zone,
  last_used_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_secret_hash_key UNIQUE (secret_hash),
  constraint api_keys_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
CREATE INDEX api_keys_organization ON public.api_keys USING btree (organization_id, id);

create table application_addresses (
  application_id text not null,
  network text not null,
  address text not null,
  status text not null,
  reason text not null,
  changed_by text not null,
  changed_at timestamp(3) with time zone not null,
  constraint application_addresses_pkey PRIMARY KEY (application_id, network, address),
  constraint application_addresses_application_id_fkey FOREIGN KEY (application_id) REFERENCES applications(id),
  constraint application_addresses_network_check CHECK ((network = 'solana'::text)),
  constraint application_addresses_status_check CHECK ((status = ANY (ARRAY['approved'::text, 'revoked'::text])))
);

create table applications (
  id text not null,
  organization_id text not null,
  foreign_id text not null,
  name text not null,
  check_application_id text not null,
  created_at timestamp(3) with time zone not null,
  case_changes bigint not null default 0,
  constraint applications_pkey PRIMARY KEY (id),
  constraint applications_check_application_id_key UNIQUE (check_application_id),
  constraint applications_organization_id_foreign_id_key UNIQUE (organization_id, foreign_id),
  constraint applications_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);

create table assets (
  id text not null,
  organization_id text not null,
  application_id text,
  workspace_id text,
  name text not null,
  symbol text not null,
  decimals integer not null,
  creator_authority text,
  auditor_public_key bytea not null,
  auditor_key_epoch integer not null,
  mint_address text,
  deployment_signature text,
  deployment_status text,
  disclosure_policy_id text,
  confidential_mint_burn_enabled boolean not null default false,
  status text not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint assets_pkey PRIMARY KEY (id),
  constraint assets_mint_address_key UNIQUE (mint_address),
  constraint assets_application_id_fkey FOREIGN KEY (application_id) REFERENCES applications(id),
  constraint assets_organization_id_auditor_key_epoch_fkey FOREIGN KEY (organization_id, auditor_key_epoch) REFERENCES auditor_keys(organization_id, epoch),
  constraint assets_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint assets_decimals_check CHECK (((decimals >= 0) AND (decimals <= 255))),
  constraint assets_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'active'::text, 'error'::text, 'disabled'::text])))
);
CREATE INDEX assets_application ON public.assets USING btree (application_id) WHERE (application_id IS NOT NULL);
CREATE INDEX assets_organization ON public.assets USING btree (organization_id, id);

create table auditor_keys (
  organization_id text not null,
  epoch integer not null,
  public_key bytea not null,
  sealed_secret bytea not null,
  created_at timestamp(3) with time zone not null,
  constraint auditor_keys_pkey PRIMARY KEY (organization_id, epoch),
  constraint auditor_keys_public_key_key UNIQUE (public_key),
  constraint auditor_keys_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);

create table case_auditors (
  case_id text not null,
  user_id text not null,
  constraint case_auditors_pkey PRIMARY KEY (case_id, user_id),
  constraint case_auditors_case_id_fkey FOREIGN KEY (case_id) REFERENCES cases(id),
  constraint case_auditors_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX case_auditors_user ON public.case_auditors USING btree (user_id, case_id);

create table case_requests (
  id text not null,
  organization_id text not null,
  application_id text not null,
  status text not null,
  withdrawn boolean not null default false,
  reason text not null,
  requested_by text not null,
  period_from date not null,
  period_to date not null,
  access_days integer not null,
  disclosure_flags jsonb not null,
  auditor_ids text[] not null,
  asset_ids text[] not null,
  created_at timestamp(3) with time zone not null,
  decided_at timestamp(3) with time zone,
  decided_by text,
  decision_reason text,
  case_id text,
  change bigint not null,
  constraint case_requests_pkey PRIMARY KEY (id),
  constraint case_requests_application_id_fkey FOREIGN KEY (application_id) REFERENCES applications(id),
  constraint case_requests_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES users(id),
  constraint case_requests_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint case_requests_requested_by_fkey FOREIGN KEY (requested_by) REFERENCES users(id),
  constraint case_requests_access_days_check CHECK (((access_days >= 1) AND (access_days <= 3650))),
  constraint case_requests_check CHECK (((NOT withdrawn) OR (status = 'closed'::text))),
  constraint case_requests_check1 CHECK ((period_from <= period_to)),
  constraint case_requests_check2 CHECK (((status = 'approved'::text) = (case_id IS NOT NULL))),
  constraint case_requests_check3 CHECK (((status = 'pending'::text) = (decided_at IS NULL))),
  constraint case_requests_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'closed'::text])))
);
CREATE INDEX case_requests_application ON public.case_requests USING btree (application_id, id);
CREATE UNIQUE INDEX case_requests_change ON public.case_requests USING btree (application_id, change);

create table case_views (
  case_id text not null,
  user_id text not null,
  day date not null,
  viewed_at timestamp(3) with time zone not null,
  constraint case_views_pkey PRIMARY KEY (case_id, user_id, day),
  constraint case_views_case_id_fkey FOREIGN KEY (case_id) REFERENCES cases(id),
  constraint case_views_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

create table cases (
  id text not null,
  organization_id text not null,
  application_id text not null,
  request_id text not null,
  reason text not null,
  period_from date not null,
  period_to date not null,
  access_days integer not null,
  disclosure_flags jsonb not null,
  asset_ids text[] not null,
  approved_by text not null,
  created_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone not null,
  change bigint not null,
  constraint cases_pkey PRIMARY KEY (id),
  constraint cases_request_id_key UNIQUE (request_id),
  constraint cases_application_id_fkey FOREIGN KEY (application_id) REFERENCES applications(id),
  constraint cases_approved_by_fkey FOREIGN KEY (approved_by) REFERENCES users(id),
  constraint cases_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint cases_request_id_fkey FOREIGN KEY (request_id) REFERENCES case_requests(id)
);
CREATE INDEX cases_application ON public.cases USING btree (application_id, id);
CREATE UNIQUE INDEX cases_change ON public.cases USING btree (application_id, change);

create table disclosure_policies (
  id text not null,
  organization_id text not null,
  key text not null,
  name text not null,
  rules jsonb not null,
  created_at timestamp(3) with time zone not null,
  constraint disclosure_policies_pkey PRIMARY KEY (id),
  constraint disclosure_policies_organization_id_key_key UNIQUE (organization_id, key),
  constraint disclosure_policies_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);

create table disclosures (
  id text not null,
  organization_id text not null,
  asset_id text not null,
  purpose text not null,
  scope jsonb not null,
  format text not null,
  status text not null,
  external_reference text,
  policy_id text,
  requested_by text not null,
  requested_at timestamp(3) with time zone not null,
  decision text,
  decided_by text,
  decision_reason text,
  decided_at timestamp(3) with time zone,
  as_of_position bigint,
  resolved_at timestamp(3) with time zone,
  receipt_id text,
  sealed_result bytea,
  lease_owner text,
  lease_expires_at timestamp(3) with time zone,
  constraint disclosures_pkey PRIMARY KEY (id),
  constraint disclosures_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES assets(id),
  constraint disclosures_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint disclosures_policy_id_fkey FOREIGN KEY (policy_id) REFERENCES disclosure_policies(id),
  constraint disclosures_decision_check CHECK ((decision = ANY (ARRAY['authorize'::text, 'reject'::text]))),
  constraint disclosures_format_check CHECK ((format = ANY (ARRAY['json'::text, 'csv'::text]))),
  constraint disclosures_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'available'::text, 'rejected'::text])))
);
CREATE INDEX disclosures_asset ON public.disclosures USING btree (asset_id, id);
CREATE INDEX disclosures_organization ON public.disclosures USING btree (organization_id, id);
CREATE INDEX disclosures_unfinished ON public.disclosures USING btree (id) WHERE ((status = 'pending'::text) AND (decision = 'authorize'::text));

create table followed_addresses (
  asset_id text not null,
  address text not null,
  kind text not null,
  frontier_signature text,
  frontier_slot bigint,
  oldest_signature text,
  origin_seen boolean not null default false,
  learned_at timestamp(3) with time zone not null,
  constraint followed_addresses_pkey PRIMARY KEY (asset_id, address),
  constraint followed_addresses_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES indexed_mints(asset_id),
  constraint followed_addresses_kind_check CHECK ((kind = ANY (ARRAY['mint'::text, 'token_account'::text, 'former_account'::text])))
);

create table idempotency_keys (
  organization_id text not null,
  key text not null,
  operation text not null,
  request_hash bytea not null,
  resource_id text not null,
  sealed_answer bytea,
  created_at timestamp(3) with time zone not null,
  constraint idempotency_keys_pkey PRIMARY KEY (organization_id, key),
  constraint idempotency_keys_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
CREATE INDEX idempotency_keys_age ON public.idempotency_keys USING btree (created_at);

create table indexed_mints (
  asset_id text not null,
  mint_address text not null,
  status text not null,
  reason text,
  record_count bigint not null default 0,
  latest_slot bigint,
  latest_block_time bigint,
  latest_signature text,
  last_indexed_at timestamp(3) with time zone,
  checkpoint_slot bigint,
  caught_up_at timestamp(3) with time zone,
  failures integer not null default 0,
  next_attempt_at timestamp(3) with time zone not null,
  registered_at timestamp(3) with time zone,
  lease_owner text,
  lease_expires_at timestamp(3) with time zone,
  fencing_token bigint not null default 0,
  constraint indexed_mints_pkey PRIMARY KEY (asset_id),
  constraint indexed_mints_mint_address_key UNIQUE (mint_address),
  constraint indexed_mints_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES assets(id),
  constraint indexed_mints_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'active'::text, 'error'::text, 'disabled'::text])))
);

create table indexer_workers (
  instance_id text not null,
  seen_at timestamp(3) with time zone not null,
  constraint indexer_workers_pkey PRIMARY KEY (instance_id)
);

create table log_checkpoints (
  organization_id text not null,
  size bigint not null,
  root bytea not null,
  note text not null,
  signed_at timestamp(3) with time zone not null,
  constraint log_checkpoints_pkey PRIMARY KEY (organization_id, size),
  constraint log_checkpoints_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES activity_logs(organization_id),
  constraint log_checkpoints_size_check CHECK ((size > 0))
);

create table log_tiles (
  organization_id text not null,
  level smallint not null,
  tile_index bigint not null,
  hashes bytea not null,
  constraint log_tiles_pkey PRIMARY KEY (organization_id, level, tile_index),
  constraint log_tiles_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES activity_logs(organization_id)
);

create table memberships (
  user_id text not null,
  organization_id text not null,
  created_at timestamp(3) with time zone not null,
  constraint memberships_pkey PRIMARY KEY (user_id),
  constraint memberships_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX memberships_organization ON public.memberships USING btree (organization_id, user_id);

create table mint_auditor_keys (
  asset_id text not null,
  from_slot bigint not null,
  path integer[] not null,
  public_key bytea,
  signature text not null,
  constraint mint_auditor_keys_pkey PRIMARY KEY (asset_id, signature, path),
  constraint mint_auditor_keys_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES indexed_mints(asset_id)
);
CREATE INDEX mint_auditor_keys_slot ON public.mint_auditor_keys USING btree (asset_id, from_slot, path);

create table organizations (
  id text not null,
  name text not null,
  require_second_person boolean not null default false,
  created_at timestamp(3) with time zone not null,
  constraint organizations_pkey PRIMARY KEY (id)
);

create table permission_grants (
  organization_id text not null,
  user_id text not null,
  application_id text,
  bucket text not null,
  permission text not null,
  constraint permission_grants_user_id_application_id_bucket_permission_key UNIQUE NULLS NOT DISTINCT (user_id, application_id, bucket, permission),
  constraint permission_grants_application_id_fkey FOREIGN KEY (application_id) REFERENCES applications(id),
  constraint permission_grants_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint permission_grants_user_id_fkey FOREIGN KEY (user_id) REFERENCES memberships(user_id) ON DELETE CASCADE,
  constraint permission_grants_bucket_check CHECK ((bucket = ANY (ARRAY['owner'::text, 'common'::text, 'administrator'::text, 'auditor'::text]))),
  constraint permission_grants_check CHECK (((bucket = 'owner'::text) = (application_id IS NULL)))
);

create table rate_windows (
  key_hash bytea not null,
  started_at timestamp(3) with time zone not null,
  requests integer not null,
  constraint rate_windows_pkey PRIMARY KEY (key_hash, started_at)
);
CREATE INDEX rate_windows_age ON public.rate_windows USING btree (started_at);

create table receipts (
  id text not null,
  organization_id text not null,
  disclosure_id text not null,
  body jsonb not null,
  signature bytea not null,
  created_at timestamp(3) with time zone not null,
  constraint receipts_pkey PRIMARY KEY (id),
  constraint receipts_disclosure_id_key UNIQUE (disclosure_id),
  constraint receipts_disclosure_id_fkey FOREIGN KEY (disclosure_id) REFERENCES disclosures(id),
  constraint receipts_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);

create table relay_attempts (
  request_id text not null,
  number integer not null,
  signature text not null,
  message_sha256 bytea not null,
  transaction bytea not null,
  blockhash text not null,
  last_valid_block_height bigint not null,
  context_slot bigint not null,
  compute_units integer not null,
  fee_lamports bigint not null,
  created_at timestamp(3) with time zone not null,
  outcome text,
  evidence jsonb,
  concluded_at timestamp(3) with time zone,
  constraint relay_attempts_pkey PRIMARY KEY (request_id, number),
  constraint relay_attempts_signature_key UNIQUE (signature),
  constraint relay_attempts_request_id_fkey FOREIGN KEY (request_id) REFERENCES relay_requests(id),
  constraint relay_attempts_check CHECK (((outcome IS NULL) = (evidence IS NULL))),
  constraint relay_attempts_check1 CHECK (((outcome IS NULL) = (concluded_at IS NULL))),
  constraint relay_attempts_message_sha256_check CHECK ((length(message_sha256) = 32)),
  constraint relay_attempts_outcome_check CHECK ((outcome = ANY (ARRAY['landed'::text, 'failed'::text, 'dead'::text])))
);

create table relay_events (
  request_id text not null,
  sequence integer not null,
  status text not null,
  reason text,
  attempt_number integer,
  signature text,
  evidence jsonb not null,
  created_at timestamp(3) with time zone not null,
  constraint relay_events_pkey PRIMARY KEY (request_id, sequence),
  constraint relay_events_request_id_fkey FOREIGN KEY (request_id) REFERENCES relay_requests(id)
);
CREATE TRIGGER relay_events_never_change BEFORE DELETE OR UPDATE OR TRUNCATE ON public.relay_events FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table relay_nullifiers (
  program_id text not null,
  nullifier bytea not null,
  request_id text not null,
  constraint relay_nullifiers_pkey PRIMARY KEY (program_id, nullifier),
  constraint relay_nullifiers_request_id_fkey FOREIGN KEY (request_id) REFERENCES relay_requests(id),
  constraint relay_nullifiers_nullifier_check CHECK ((length(nullifier) = 32))
);
CREATE INDEX relay_nullifiers_request ON public.relay_nullifiers USING btree (request_id);

create table relay_organizations (
  organization_id text not null,
  request_id text not null,
  constraint relay_organizations_pkey PRIMARY KEY (organization_id, request_id),
  constraint relay_organizations_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint relay_organizations_request_id_fkey FOREIGN KEY (request_id) REFERENCES relay_requests(id)
);
CREATE INDEX relay_organizations_request ON public.relay_organizations USING btree (request_id);

create table relay_receipts (
  id text not null,
  organization_id text not null,
  request_id text not null,
  sequence integer not null,
  body jsonb not null,
  signature bytea not null,
  created_at timestamp(3) with time zone not null,
  constraint relay_receipts_pkey PRIMARY KEY (id),
  constraint relay_receipts_request_id_organization_id_sequence_key UNIQUE (request_id, organization_id, sequence),
  constraint relay_receipts_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint relay_receipts_request_id_fkey FOREIGN KEY (request_id) REFERENCES relay_requests(id),
  constraint relay_receipts_signature_check CHECK ((length(signature) = 64))
);
CREATE TRIGGER relay_receipts_never_change BEFORE DELETE OR UPDATE OR TRUNCATE ON public.relay_receipts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table relay_requests (
  id text not null,
  pool_selector text not null,
  program_id text not null,
  package_digest bytea not null,
  sealed_package bytea not null,
  status text not null,
  reason text,
  sequence integer not null,
  attempt_number integer,
  failed_looks integer not null default 0,
  next_look_at timestamp(3) with time zone,
  lease_owner text,
  lease_expires_at timestamp(3) with time zone,
  fencing_token integer not null default 0,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint relay_requests_pkey PRIMARY KEY (id),
  constraint relay_requests_attempt_number_check CHECK ((attempt_number >= 1)),
  constraint relay_requests_check CHECK (((reason IS NOT NULL) = (status = ANY (ARRAY['rejected'::text, 'failed'::text])))),
  constraint relay_requests_check1 CHECK (((next_look_at IS NULL) = (status = ANY (ARRAY['succeeded'::text, 'rejected'::text, 'failed'::text])))),
  constraint relay_requests_package_digest_check CHECK ((length(package_digest) = 32)),
  constraint relay_requests_sequence_check CHECK ((sequence >= 1)),
  constraint relay_requests_status_check CHECK ((status = ANY (ARRAY['accepted'::text, 'validating'::text, 'queued'::text, 'submitted'::text, 'reconciling'::text, 'succeeded'::text, 'rejected'::text, 'failed'::text])))
);
CREATE INDEX relay_requests_due ON public.relay_requests USING btree (next_look_at) WHERE (next_look_at IS NOT NULL);
CREATE INDEX relay_requests_waiting ON public.relay_requests USING btree (status) WHERE (status = ANY (ARRAY['accepted'::text, 'validating'::text, 'queued'::text]));

create table report_chunks (
  content_id text not null,
  chunk_index integer not null,
  sealed_bytes bytea not null,
  constraint report_chunks_pkey PRIMARY KEY (content_id, chunk_index)
);
CREATE TRIGGER report_chunks_are_kept BEFORE DELETE ON public.report_chunks FOR EACH ROW EXECUTE FUNCTION keep_report_chunks();
CREATE TRIGGER report_chunks_never_change BEFORE UPDATE ON public.report_chunks FOR EACH ROW EXECUTE FUNCTION refuse_change();

create table report_downloads (
  report_id text not null,
  user_id text not null,
  began_at timestamp(3) with time zone not null,
  constraint report_downloads_pkey PRIMARY KEY (report_id, user_id),
  constraint report_downloads_report_id_fkey FOREIGN KEY (report_id) REFERENCES reports(id),
  constraint report_downloads_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

create table report_files (
  organization_id text not null,
  sha256 bytea not null,
  content_id text not null,
  size_bytes bigint not null,
  created_at timestamp(3) with time zone not null,
  constraint report_files_pkey PRIMARY KEY (organization_id, sha256),
  constraint report_files_content_id_key UNIQUE (content_id),
  constraint report_files_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint report_files_sha256_check CHECK ((length(sha256) = 32))
);
CREATE TRIGGER report_files_never_change BEFORE DELETE OR UPDATE ON public.report_files FOR EACH ROW EXECUTE FUNCTION refuse_change();

create table report_generations (
  id text not null,
  organization_id text not null,
  application_id text,
  case_id text,
  requested_by text not null,
  status text not null,
  record_count bigint not null default 0,
  record_total bigint,
  failure text,
  requested_at timestamp(3) with time zone not null,
  ended_at timestamp(3) with time zone,
  lease_owner text,
  lease_expires_at timestamp(3) with time zone,
  constraint report_generations_pkey PRIMARY KEY (id),
  constraint report_generations_application_id_fkey FOREIGN KEY (application_id) REFERENCES applications(id),
  constraint report_generations_case_id_fkey FOREIGN KEY (case_id) REFERENCES cases(id),
  constraint report_generations_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint report_generations_requested_by_fkey FOREIGN KEY (requested_by) REFERENCES users(id),
  constraint report_generations_status_check CHECK ((status = ANY (ARRAY['running'::text, 'failed'::text])))
);
CREATE INDEX report_generations_lease ON public.report_generations USING btree (lease_expires_at) WHERE (status = 'running'::text);
CREATE INDEX report_generations_organization ON public.report_generations USING btree (organization_id) WHERE (status = 'running'::text);

create table reports (
  id text not null,
  sequence bigint not null generated always as identity,
  organization_id text not null,
  application_id text,
  case_id text,
  report_type text not null,
  format text not null,
  period_from date,
  period_to date,
  disclosure_flags jsonb,
  asset_ids jsonb,
  record_count bigint not null,
  sha256 bytea not null,
  generated_by text not null,
  generated_at timestamp(3) with time zone not null,
  log_entry_id text not null,
  constraint reports_pkey PRIMARY KEY (id),
  constraint reports_application_id_fkey FOREIGN KEY (application_id) REFERENCES applications(id),
  constraint reports_case_id_fkey FOREIGN KEY (case_id) REFERENCES cases(id),
  constraint reports_generated_by_fkey FOREIGN KEY (generated_by) REFERENCES users(id),
  constraint reports_log_entry_id_fkey FOREIGN KEY (log_entry_id) REFERENCES activity_entries(id),
  constraint reports_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint reports_organization_id_sha256_fkey FOREIGN KEY (organization_id, sha256) REFERENCES report_files(organization_id, sha256),
  constraint reports_check CHECK (((case_id IS NULL) OR (application_id IS NOT NULL))),
  constraint reports_format_check CHECK ((format = ANY (ARRAY['csv'::text, 'json'::text, 'pdf'::text]))),
  constraint reports_report_type_check CHECK ((report_type = ANY (ARRAY['transaction_summary'::text, 'transaction_detail'::text, 'activity_log'::text])))
);
CREATE INDEX reports_application ON public.reports USING btree (application_id, sequence) WHERE (application_id IS NOT NULL);
CREATE INDEX reports_organization ON public.reports USING btree (organization_id, sequence);
CREATE TRIGGER reports_never_change BEFORE DELETE OR UPDATE ON public.reports FOR EACH ROW EXECUTE FUNCTION refuse_change();

create table security_events (
  sequence bigint not null generated always as identity,
  organization_id text,
  event text not null,
  operation text,
  subject_id text,
  account_digest bytea,
  client_address text not null,
  request_id text not null,
  created_at timestamp(3) with time zone not null,
  constraint security_events_pkey PRIMARY KEY (sequence)
);
CREATE INDEX security_events_age ON public.security_events USING btree (created_at);
CREATE INDEX security_events_organization ON public.security_events USING btree (organization_id, sequence);

create table sessions (
  id text not null,
  token_hash bytea not null,
  user_id text not null,
  organization_id text not null,
  created_at timestamp(3) with time zone not null,
  last_seen_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone not null,
  ended_at timestamp(3) with time zone,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_token_hash_key UNIQUE (token_hash),
  constraint sessions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX sessions_user ON public.sessions USING btree (user_id) WHERE (ended_at IS NULL);

create table settings (
  name text not null,
  value jsonb not null,
  constraint settings_pkey PRIMARY KEY (name)
);

create table sign_in_failures (
  account_and_address bytea not null,
  failed_at timestamp(3) with time zone not null
);
CREATE INDEX sign_in_failures_recent ON public.sign_in_failures USING btree (account_and_address, failed_at);

create table signing_keys (
  organization_id text not null,
  public_key bytea not null,
  sealed_secret bytea not null,
  created_at timestamp(3) with time zone not null,
  constraint signing_keys_pkey PRIMARY KEY (organization_id),
  constraint signing_keys_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);

create table transactions (
  id text not null,
  asset_id text not null,
  "position" bigint not null,
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
  indexed_at timestamp(3) with time zone not null,
  constraint transactions_pkey PRIMARY KEY (id),
  constraint transactions_asset_id_position_key UNIQUE (asset_id, "position"),
  constraint transactions_asset_id_signature_path_key UNIQUE (asset_id, signature, path),
  constraint transactions_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES assets(id)
);
CREATE INDEX transactions_block_time ON public.transactions USING btree (asset_id, block_time, "position");
CREATE INDEX transactions_destination ON public.transactions USING btree (asset_id, destination_account, "position");
CREATE INDEX transactions_signature ON public.transactions USING btree (signature, path);
CREATE INDEX transactions_source ON public.transactions USING btree (asset_id, source_account, "position");
CREATE INDEX transactions_type ON public.transactions USING btree (asset_id, type, "position");

create table used_sign_in_attempts (
  state_hash bytea not null,
  used_at timestamp(3) with time zone not null,
  constraint used_sign_in_attempts_pkey PRIMARY KEY (state_hash)
);
CREATE INDEX used_sign_in_attempts_age ON public.used_sign_in_attempts USING btree (used_at);

create table users (
  id text not null,
  email text not null,
  name text not null,
  password_hash text,
  sealed_totp_secret bytea,
  last_totp_step bigint,
  oidc_subject text,
  created_at timestamp(3) with time zone not null,
  constraint users_pkey PRIMARY KEY (id),
  constraint users_oidc_subject_key UNIQUE (oidc_subject)
);
CREATE UNIQUE INDEX users_email ON public.users USING btree (lower(email));
