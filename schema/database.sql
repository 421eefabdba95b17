-- The schema after all migrations, to review. Printed by "npm run schema"; src/platform/database/migrations makes it.

CREATE OR REPLACE FUNCTION public.archived_key(asset text, signature text, path integer[])
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO 'public', 'pg_temp'
AS $function$
    select substr(sha256(convert_to(asset || ' ' || signature || ' ' || path::text, 'UTF8')), 1, 16)
  $function$;

CREATE OR REPLACE FUNCTION public.forget_expired_idempotency_keys()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  delete from idempotency_keys where ctid in (
    select ctid from idempotency_keys where created_at <= date_trunc('milliseconds', now()) - interval '24 hours'
    limit 100 for update skip locked)
  $function$;

CREATE OR REPLACE FUNCTION public.forget_refused_relays(batch_size integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  declare forgotten text[];
  begin
    forgotten := array(
      select id from relay_requests
      where sealed_package is null and status = 'rejected' and updated_at < now() - interval '1 day'
      order by updated_at limit batch_size for update skip locked);
    delete from relay_events where request_id = any(forgotten);
    delete from relay_requests where id = any(forgotten);
    return cardinality(forgotten);
  end $function$;

CREATE OR REPLACE FUNCTION public.forget_refused_relays()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  declare forgotten text[];
  begin
    forgotten := array(
      select id from relay_requests
      where sealed_package is null and status = 'rejected' and updated_at < now() - interval '1 day'
      order by updated_at limit 100 for update skip locked);
    delete from relay_events where request_id = any(forgotten);
    delete from relay_requests where id = any(forgotten);
  end $function$;

CREATE OR REPLACE FUNCTION public.is_archived(asset text, signature text, path integer[])
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO 'public', 'pg_temp'
AS $function$
    select exists (
      select from archived_parts
      join archived_keys on archived_keys.part = archived_parts.part
        and archived_keys.key = archived_key(asset, signature, path))
  $function$;

CREATE OR REPLACE FUNCTION public.is_under_legal_hold(organization text, what text)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    select exists (select from legal_holds where organization_id = organization and what = any (kinds)
      and released_at is null and (until is null or until > now()))
    $function$;

CREATE OR REPLACE FUNCTION public.keep_disclosure_results()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    begin
      if old.stored_at is distinct from new.stored_at then
        raise exception 'When a disclosure was stored never changes.';
      end if;
      if old.sealed_result is not null and new.sealed_result is null then
        if is_under_legal_hold(old.organization_id, 'disclosure_results')
          or not coalesce(greatest(old.resolved_at, old.stored_at) <= now() - interval '5 years', false)
        then
          raise exception 'The result of a disclosure is kept for at least 5 years, and while a legal hold is in force.';
        end if;
        new.result_deleted_at := now();
        return new;
      end if;
      if old.result_deleted_at is distinct from new.result_deleted_at then
        raise exception 'When a result was deleted never changes.';
      end if;
      if old.result_deleted_at is not null then
        raise exception 'A result that was deleted stays deleted.';
      end if;
      if old.sealed_result is not null and old.sealed_result is distinct from new.sealed_result
        and not pg_has_role(coalesce(nullif(current_setting('role'), 'none'), session_user)::name,
          (select relowner from pg_class where oid = tg_relid), 'member')
      then
        raise exception 'The result of a disclosure never changes. Only the owner of the tables seals it again.';
      end if;
      return new;
    end $function$;

CREATE OR REPLACE FUNCTION public.keep_held_values()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    begin
      if is_under_legal_hold(old.organization_id, 'personal_values') then
        raise exception 'A legal hold is in force: personal values of the log are not erased.';
      end if;
      return new;
    end $function$;

CREATE OR REPLACE FUNCTION public.keep_report_chunks()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  begin
    if exists (select from report_files where content_id = old.content_id) then
      raise exception 'The pieces of a report never change.';
    end if;
    return old;
  end $function$;

CREATE OR REPLACE FUNCTION public.keep_report_files()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    declare
      keys constant text[] := array['sha256', 'content_key'];
    begin
      if tg_op = 'UPDATE' then
        if to_jsonb(new) - keys <> to_jsonb(old) - keys or old.sha256 is null or new.sha256 is not null then
          raise exception 'Rows of % never change.', tg_table_name;
        end if;
        return new;
      end if;
      if is_under_legal_hold(old.organization_id, 'reports')
        or greatest(old.created_at, old.stored_at) > now() - interval '5 years'
        or exists (select from reports where content_id = old.content_id and generated_at > now() - interval '5 years')
      then
        raise exception 'The file of a report is kept for at least 5 years, and while a legal hold is in force.';
      end if;
      return old;
    end $function$;

CREATE OR REPLACE FUNCTION public.name_content_of_report()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
    begin
      if new.content_id is null then
        new.content_id := coalesce((select content_id from report_files
          where organization_id = new.organization_id and sha256 = new.sha256), new.id);
      end if;
      return new;
    end $function$;

CREATE OR REPLACE FUNCTION public.organization_of_asset(asset_id text)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select organization_id from assets where id = $1
  $function$;

CREATE OR REPLACE FUNCTION public.refuse_archived(archived jsonb, after bigint, time_from bigint, time_until bigint, indexed_from timestamp with time zone, indexed_to timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'public', 'pg_temp'
AS $function$
  declare
    day text;
  begin
    select max(away ->> 'before') into day from jsonb_array_elements(archived) as away
    where (away ->> 'last')::bigint > after
      and (time_from is null or (away ->> 'latest')::bigint >= time_from)
      and (time_until is null or (away ->> 'earliest')::bigint < time_until)
      and (indexed_from is null or (away ->> 'to')::timestamptz >= indexed_from)
      and (indexed_to is null or (away ->> 'from')::timestamptz <= indexed_to);
    if day is not null then
      raise exception using errcode = 'LU001', message = format('Records that were indexed before %s are in cold storage. '
        'Ask for later ones, or ask the operator to attach them.', day);
    end if;
    return true;
  end $function$;

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
  begin
    raise exception 'Rows of % never change.', tg_table_name;
  end $function$;

CREATE OR REPLACE FUNCTION public.refuse_change_of_chunk()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
  begin
    if row (new.content_id, new.chunk_index) is distinct from row (old.content_id, old.chunk_index)
      or length(new.sealed_bytes) - length(old.sealed_bytes) not in (0, 4) then
      raise exception 'Rows of % never change.', tg_table_name;
    end if;
    return new;
  end $function$;

CREATE OR REPLACE FUNCTION public.refuse_change_of_report()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
    declare
      digest constant text[] := array['sha256', 'digest_salt', 'sealed_digest'];
    begin
      if tg_op = 'DELETE' or to_jsonb(new) - digest <> to_jsonb(old) - digest or new.sealed_digest is null
        or length(new.sealed_digest) - length(old.sealed_digest) not in (0, 4) then
        raise exception 'Rows of % never change.', tg_table_name;
      end if;
      return new;
    end $function$;

CREATE OR REPLACE FUNCTION public.refuse_indexed_in_parts()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
  begin
    if exists (
      select from assets
      join arrived on arrived.asset_id = assets.id and arrived.slot <= assets.moved_slot
      cross join lateral (
        select from transactions as known
        where known.part > 0 and known.signature = arrived.signature and known.path = arrived.path
          and known.asset_id = arrived.asset_id
        limit 1) as known)
    or exists (
      select from assets
      join arrived on arrived.asset_id = assets.id and arrived.slot <= assets.moved_slot
      where assets.archived is not null and is_archived(arrived.asset_id, arrived.signature, arrived.path))
    then
      raise unique_violation using constraint = 'transactions_signature',
        message = 'A part holds a record of this signature and path.';
    end if;
    return null;
  end $function$;

CREATE OR REPLACE FUNCTION public.refuse_relay_event_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
  begin
    if tg_op = 'DELETE' and exists (
      select from relay_requests as requests
      where requests.id = old.request_id and requests.sealed_package is null and requests.status = 'rejected'
        and requests.updated_at < now() - interval '1 day')
    then
      return old;
    end if;
    raise exception '% is append-only', tg_table_name;
  end $function$;

CREATE OR REPLACE FUNCTION public.refuse_replaced_signing_key()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
  begin
    if new.signing_key_epoch < (select max(epoch) from signing_keys where organization_id = new.organization_id) then
      raise exception 'The signing key was replaced: only processes of the newest version may sign.';
    end if;
    return new;
  end $function$;

CREATE OR REPLACE FUNCTION public.take_organization_of_asset()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
  begin
    new.organization_id := organization_of_asset(new.asset_id);
    return new;
  end $function$;

create table accounts (
  id text not null,
  email text not null,
  password_hash text,
  sealed_totp_secret bytea,
  last_totp_step bigint,
  oidc_subject text,
  created_at timestamp(3) with time zone not null,
  address_proven_at timestamp(3) with time zone,
  constraint accounts_pkey PRIMARY KEY (id),
  constraint accounts_oidc_subject_key UNIQUE (oidc_subject)
);
CREATE INDEX accounts_email ON public.accounts USING btree (lower(email));

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
  object_id text generated always as (COALESCE(((entry -> 'object'::text) ->> 'id'::text), ((entry -> 'object'::text) ->> 'session_id'::text), ((entry -> 'object'::text) ->> 'user_id'::text), ((entry -> 'object'::text) ->> 'report_id'::text), ((entry -> 'object'::text) ->> 'invitation_id'::text), ((entry -> 'object'::text) ->> 'api_key_id'::text), ((entry -> 'object'::text) ->> 'address'::text), ((entry -> 'object'::text) ->> 'foreign_id'::text))) stored,
  constraint activity_entries_pkey PRIMARY KEY (id),
  constraint activity_entries_organization_id_log_index_key UNIQUE (organization_id, log_index),
  constraint activity_entries_application_id_fkey FOREIGN KEY (application_id) REFERENCES applications(id),
  constraint activity_entries_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
CREATE INDEX activity_entries_actor ON public.activity_entries USING btree (organization_id, actor_id, created_at, id);
CREATE INDEX activity_entries_application ON public.activity_entries USING btree (application_id, created_at, id) WHERE (application_id IS NOT NULL);
CREATE INDEX activity_entries_application_actor ON public.activity_entries USING btree (application_id, actor_id, created_at, id) WHERE (application_id IS NOT NULL);
CREATE INDEX activity_entries_application_event ON public.activity_entries USING btree (application_id, event_type, created_at, id) WHERE (application_id IS NOT NULL);
CREATE INDEX activity_entries_application_index ON public.activity_entries USING btree (application_id, log_index) WHERE (application_id IS NOT NULL);
CREATE INDEX activity_entries_case ON public.activity_entries USING btree (case_id, created_at, id) WHERE (case_id IS NOT NULL);
CREATE INDEX activity_entries_case_index ON public.activity_entries USING btree (case_id, log_index) WHERE (case_id IS NOT NULL);
CREATE INDEX activity_entries_event ON public.activity_entries USING btree (organization_id, event_type, created_at, id);
CREATE INDEX activity_entries_object ON public.activity_entries USING btree (organization_id, object_id, created_at, id) WHERE (object_id IS NOT NULL);
CREATE INDEX activity_entries_organization ON public.activity_entries USING btree (organization_id, created_at, id);
CREATE INDEX activity_entries_personal ON public.activity_entries USING btree (organization_id, created_at) WHERE (salts <> '{}'::jsonb);
CREATE INDEX activity_entries_unsequenced ON public.activity_entries USING btree (organization_id, sequence) WHERE (log_index IS NULL);
CREATE TRIGGER held_values_are_kept BEFORE UPDATE OF salts ON public.activity_entries FOR EACH ROW WHEN ((old.salts IS DISTINCT FROM new.salts)) EXECUTE FUNCTION keep_held_values();
alter table activity_entries enable row level security;
create policy organization on activity_entries using ((( SELECT current_setting('lucarne.acting_for'::text, true) AS current_setting) = '*'::text) OR (organization_id = ANY (( SELECT string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text) AS string_to_array)::text[])));

create table activity_logs (
  organization_id text not null,
  origin text not null,
  created_at timestamp(3) with time zone not null,
  lease_owner text,
  lease_expires_at timestamp(3) with time zone,
  fencing_token bigint not null default 0,
  constraint activity_logs_pkey PRIMARY KEY (organization_id),
  constraint activity_logs_origin_key UNIQUE (origin),
  constraint activity_logs_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
alter table activity_logs enable row level security;
create policy organization on activity_logs using ((( SELECT current_setting('lucarne.acting_for'::text, true) AS current_setting) = '*'::text) OR (organization_id = ANY (( SELECT string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text) AS string_to_array)::text[])));

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
CREATE INDEX address_checks_address ON public.address_checks USING btree (application_id, address, id);
CREATE INDEX address_checks_newest ON public.address_checks USING btree (application_id, id);
CREATE TRIGGER address_checks_never_change BEFORE DELETE OR UPDATE OR TRUNCATE ON public.address_checks FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
alter table address_checks enable row level security;
create policy organization on address_checks using ((( SELECT current_setting('lucarne.acting_for'::text, true) AS current_setting) = '*'::text) OR (organization_id = ANY (( SELECT string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text) AS string_to_array)::text[])));

create table address_policies (
  application_id text not null,
  approved_by_default boolean not null default false,
  version integer not null,
  constraint address_policies_pkey PRIMARY KEY (application_id),
  constraint address_policies_application_id_fkey FOREIGN KEY (application_id) REFERENCES applications(id),
  constraint address_policies_version_check CHECK ((version >= 0))
);
alter table address_policies enable row level security;
create policy organization on address_policies using ((( SELECT current_setting('lucarne.acting_for'::text, true) AS current_setting) = '*'::text) OR (( SELECT whole.organization_id FROM applications whole WHERE (whole.id = address_policies.application_id)) = ANY (( SELECT string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text) AS string_to_array)::text[])));

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
  proposed_by text,
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_secret_hash_key UNIQUE (secret_hash),
  constraint api_keys_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
CREATE INDEX api_keys_organization ON public.api_keys USING btree (organization_id, id);
alter table api_keys enable row level security;
create policy organization on api_keys using ((organization_id = ANY (string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text))) OR (current_setting('lucarne.acting_for'::text, true) = '*'::text));

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
CREATE INDEX application_addresses_status ON public.application_addresses USING btree (application_id, network, status, address);
alter table application_addresses enable row level security;
create policy organization on application_addresses using ((( SELECT current_setting('lucarne.acting_for'::text, true) AS current_setting) = '*'::text) OR (( SELECT whole.organization_id FROM applications whole WHERE (whole.id = application_addresses.application_id)) = ANY (( SELECT string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text) AS string_to_array)::text[])));

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
alter table applications enable row level security;
create policy organization on applications using ((organization_id = ANY (string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text))) OR (current_setting('lucarne.acting_for'::text, true) = '*'::text));

create table archived_keys (
  part integer not null,
  key bytea not null,
  constraint archived_keys_pkey PRIMARY KEY (part, key)
);

create table archived_parts (
  part integer not null,
  records bigint not null,
  sha256 text not null,
  file_name text not null,
  archived_at timestamp(3) with time zone not null default now(),
  constraint archived_parts_pkey PRIMARY KEY (part)
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
  moved_slot bigint,
  archived jsonb,
  constraint assets_pkey PRIMARY KEY (id),
  constraint assets_id_organization_id_key UNIQUE (id, organization_id),
  constraint assets_application_id_fkey FOREIGN KEY (application_id) REFERENCES applications(id),
  constraint assets_organization_id_auditor_key_epoch_fkey FOREIGN KEY (organization_id, auditor_key_epoch) REFERENCES auditor_keys(organization_id, epoch),
  constraint assets_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint assets_decimals_check CHECK (((decimals >= 0) AND (decimals <= 255))),
  constraint assets_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'active'::text, 'error'::text, 'disabled'::text])))
);
CREATE INDEX assets_application ON public.assets USING btree (application_id, id) WHERE (application_id IS NOT NULL);
CREATE UNIQUE INDEX assets_mint ON public.assets USING btree (organization_id, mint_address) WHERE ((mint_address IS NOT NULL) AND (status <> 'disabled'::text));
CREATE INDEX assets_organization ON public.assets USING btree (organization_id, id);
alter table assets enable row level security;
create policy organization on assets using ((( SELECT current_setting('lucarne.acting_for'::text, true) AS current_setting) = '*'::text) OR (organization_id = ANY (( SELECT string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text) AS string_to_array)::text[])));

create table auditor_keys (
  organization_id text not null,
  epoch integer not null,
  public_key bytea not null,
  sealed_secret bytea not null,
  created_at timestamp(3) with time zone not null,
  imported boolean not null default false,
  constraint auditor_keys_pkey PRIMARY KEY (organization_id, epoch),
  constraint auditor_keys_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
CREATE UNIQUE INDEX auditor_keys_public_key ON public.auditor_keys USING btree (organization_id, public_key);
alter table auditor_keys enable row level security;
create policy organization on auditor_keys using ((( SELECT current_setting('lucarne.acting_for'::text, true) AS current_setting) = '*'::text) OR (organization_id = ANY (( SELECT string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text) AS string_to_array)::text[])));

create table case_auditors (
  case_id text not null,
  user_id text not null,
  constraint case_auditors_pkey PRIMARY KEY (case_id, user_id),
  constraint case_auditors_case_id_fkey FOREIGN KEY (case_id) REFERENCES cases(id),
  constraint case_auditors_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX case_auditors_user ON public.case_auditors USING btree (user_id, case_id);
alter table case_auditors enable row level security;
create policy organization on case_auditors using ((( SELECT current_setting('lucarne.acting_for'::text, true) AS current_setting) = '*'::text) OR (( SELECT whole.organization_id FROM cases whole WHERE (whole.id = case_auditors.case_id)) = ANY (( SELECT string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text) AS string_to_array)::text[])));

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
CREATE INDEX case_requests_requester ON public.case_requests USING btree (application_id, requested_by, id);
CREATE INDEX case_requests_requester_change ON public.case_requests USING btree (application_id, requested_by, change);
CREATE INDEX case_requests_status ON public.case_requests USING btree (application_id, status, id);
alter table case_requests enable row level security;
create policy organization on case_requests using ((( SELECT current_setting('lucarne.acting_for'::text, true) AS current_setting) = '*'::text) OR (organization_id = ANY (( SELECT string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text) AS string_to_array)::text[])));

create table case_views (
  case_id text not null,
  user_id text not null,
  hour timestamp(3) with time zone not null,
  answers integer not null,
  transactions bigint not null,
  logged_answers integer not null default 1,
  constraint case_views_pkey PRIMARY KEY (case_id, user_id, hour),
  constraint case_views_case_id_fkey FOREIGN KEY (case_id) REFERENCES cases(id),
  constraint case_views_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX case_views_unlogged ON public.case_views USING btree (hour) WHERE (answers > logged_answers);
alter table case_views enable row level security;
create policy organization on case_views using ((( SELECT current_setting('lucarne.acting_for'::text, true) AS current_setting) = '*'::text) OR (( SELECT whole.organization_id FROM cases whole WHERE (whole.id = case_views.case_id)) = ANY (( SELECT string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text) AS string_to_array)::text[])));

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
  ended_at timestamp(3) with time zone,
  ended_by text,
  end_reason text,
  constraint cases_pkey PRIMARY KEY (id),
  constraint cases_request_id_key UNIQUE (request_id),
  constraint cases_application_id_fkey FOREIGN KEY (application_id) REFERENCES applications(id),
  constraint cases_approved_by_fkey FOREIGN KEY (approved_by) REFERENCES users(id),
  constraint cases_ended_by_fkey FOREIGN KEY (ended_by) REFERENCES users(id),
  constraint cases_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint cases_request_id_fkey FOREIGN KEY (request_id) REFERENCES case_requests(id),
  constraint cases_check CHECK (((ended_at IS NULL) = (ended_by IS NULL)))
);
CREATE INDEX cases_application ON public.cases USING btree (application_id, id);
CREATE UNIQUE INDEX cases_change ON public.cases USING btree (application_id, change);
CREATE INDEX cases_end ON public.cases USING btree (application_id, expires_at);
alter table cases enable row level security;
create policy organization on cases using ((( SELECT current_setting('lucarne.acting_for'::text, true) AS current_setting) = '*'::text) OR (organization_id = ANY (( SELECT string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text) AS string_to_array)::text[])));

create table data_keys (
  id integer not null,
  purpose text not null,
  master_version integer not null,
  first_master_version integer not null,
  wrapped_key bytea,
  created_at timestamp(3) with time zone not null,
  usable_at timestamp(3) with time zone not null,
  destroyed_at timestamp(3) with time zone,
  constraint data_keys_pkey PRIMARY KEY (id),
  constraint data_keys_first_master_version_fkey FOREIGN KEY (first_master_version) REFERENCES master_keys(version),
  constraint data_keys_master_version_fkey FOREIGN KEY (master_version) REFERENCES master_keys(version),
  constraint data_keys_check CHECK (((wrapped_key IS NULL) = (destroyed_at IS NOT NULL))),
  constraint data_keys_id_check CHECK ((id > 0))
);

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
alter table disclosure_policies enable row level security;
create policy organization on disclosure_policies using ((( SELECT current_setting('lucarne.acting_for'::text, true) AS current_setting) = '*'::text) OR (organization_id = ANY (( SELECT string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text) AS string_to_array)::text[])));

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
  fencing_token bigint not null default 0,
  failures integer not null default 0,
  next_attempt_at timestamp(3) with time zone,
  change bigint not null default 0,
  stored_at timestamp(3) with time zone default now(),
  result_deleted_at timestamp(3) with time zone,
  review_policy_id text,
  constraint disclosures_pkey PRIMARY KEY (id),
  constraint disclosures_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES assets(id),
  constraint disclosures_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint disclosures_policy_id_fkey FOREIGN KEY (policy_id) REFERENCES disclosure_policies(id),
  constraint disclosures_review_policy_id_fkey FOREIGN KEY (review_policy_id) REFERENCES disclosure_policies(id),
  constraint disclosures_decision_check CHECK ((decision = ANY (ARRAY['authorize'::text, 'reject'::text]))),
  constraint disclosures_format_check CHECK ((format = ANY (ARRAY['json'::text, 'csv'::text]))),
  constraint disclosures_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'available'::text, 'rejected'::text])))
);
CREATE INDEX disclosures_asset ON public.disclosures USING btree (asset_id, id);
CREATE INDEX disclosures_change ON public.disclosures USING btree (organization_id, change) WHERE (change > 0);
CREATE INDEX disclosures_organization ON public.disclosures USING btree (organization_id, id);
CREATE INDEX disclosures_results ON public.disclosures USING btree (organization_id, resolved_at) WHERE (sealed_result IS NOT NULL);
CREATE INDEX disclosures_status ON public.disclosures USING btree (organization_id, status, id);
CREATE INDEX disclosures_unfinished ON public.disclosures USING btree (id) WHERE ((status = 'pending'::text) AND (decision = 'authorize'::text));
CREATE TRIGGER disclosure_results_are_kept BEFORE UPDATE ON public.disclosures FOR EACH ROW WHEN (((old.sealed_result IS DISTINCT FROM new.sealed_result) OR (old.stored_at IS DISTINCT FROM new.stored_at) OR (old.result_deleted_at IS DISTINCT FROM new.result_deleted_at))) EXECUTE FUNCTION keep_disclosure_results();
alter table disclosures enable row level security;
create policy organization on disclosures using ((( SELECT current_setting('lucarne.acting_for'::text, true) AS current_setting) = '*'::text) OR (organization_id = ANY (( SELECT string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text) AS string_to_array)::text[])));

create table erasures (
  organization_id text not null,
  user_id text not null,
  decided_by text not null,
  decided_at timestamp(3) with time zone not null,
  done_below bigint not null default 0,
  entries integer not null default 0,
  "values" integer not null default 0,
  lease_owner text,
  lease_expires_at timestamp(3) with time zone,
  constraint erasures_pkey PRIMARY KEY (organization_id, user_id),
  constraint erasures_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint erasures_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
alter table erasures enable row level security;
create policy organization on erasures using ((( SELECT current_setting('lucarne.acting_for'::text, true) AS current_setting) = '*'::text) OR (organization_id = ANY (( SELECT string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text) AS string_to_array)::text[])));

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
alter table followed_addresses enable row level security;
create policy organization on followed_addresses using ((( SELECT current_setting('lucarne.acting_for'::text, true) AS current_setting) = '*'::text) OR (( SELECT whole.organization_id FROM assets whole WHERE (whole.id = followed_addresses.asset_id)) = ANY (( SELECT string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text) AS string_to_array)::text[])));

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
alter table idempotency_keys enable row level security;
create policy organization on idempotency_keys using ((( SELECT current_setting('lucarne.acting_for'::text, true) AS current_setting) = '*'::text) OR (organization_id = ANY (( SELECT string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text) AS string_to_array)::text[])));

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
  verified boolean not null default false,
  verified_slot bigint,
  observed boolean not null default false,
  constraint indexed_mints_pkey PRIMARY KEY (asset_id),
  constraint indexed_mints_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES assets(id),
  constraint indexed_mints_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'active'::text, 'error'::text, 'disabled'::text])))
);
CREATE UNIQUE INDEX indexed_mints_verified ON public.indexed_mints USING btree (mint_address) WHERE verified;
alter table indexed_mints enable row level security;
create policy organization on indexed_mints using ((( SELECT current_setting('lucarne.acting_for'::text, true) AS current_setting) = '*'::text) OR (( SELECT whole.organization_id FROM assets whole WHERE (whole.id = indexed_mints.asset_id)) = ANY (( SELECT string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text) AS string_to_array)::text[])));

create table indexer_workers (
  instance_id text not null,
  seen_at timestamp(3) with time zone not null,
  constraint indexer_workers_pkey PRIMARY KEY (instance_id)
);

create table invitations (
  id text not null,
  organization_id text not null,
  user_id text,
  email text not null,
  name text not null,
  permissions jsonb not null,
  token_hash bytea not null,
  invited_by text not null,
  created_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone not null,
  accepted_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  mailed_at timestamp(3) with time zone,
  constraint invitations_pkey PRIMARY KEY (id),
  constraint invitations_token_hash_key UNIQUE (token_hash),
  constraint invitations_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint invitations_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint invitations_check CHECK (((accepted_at IS NULL) OR (revoked_at IS NULL)))
);
CREATE INDEX invitations_end ON public.invitations USING btree (organization_id, expires_at);
CREATE INDEX invitations_organization ON public.invitations USING btree (organization_id, id);
alter table invitations enable row level security;
create policy organization on invitations using ((( SELECT current_setting('lucarne.acting_for'::text, true) AS current_setting) = '*'::text) OR (organization_id = ANY (( SELECT string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text) AS string_to_array)::text[])));

create table legal_holds (
  id text not null,
  organization_id text not null,
  kinds text[] not null,
  reason text not null,
  until timestamp(3) with time zone,
  placed_by text not null,
  placed_at timestamp(3) with time zone not null,
  released_at timestamp(3) with time zone,
  constraint legal_holds_pkey PRIMARY KEY (id),
  constraint legal_holds_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint legal_holds_kinds_check CHECK (((kinds <@ ARRAY['reports'::text, 'disclosure_results'::text, 'personal_values'::text]) AND (cardinality(kinds) > 0)))
);
CREATE INDEX legal_holds_organization ON public.legal_holds USING btree (organization_id, id) WHERE (released_at IS NULL);
alter table legal_holds enable row level security;
create policy organization on legal_holds using ((( SELECT current_setting('lucarne.acting_for'::text, true) AS current_setting) = '*'::text) OR (organization_id = ANY (( SELECT string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text) AS string_to_array)::text[])));

create table log_checkpoints (
  organization_id text not null,
  size bigint not null,
  root bytea not null,
  note text not null,
  signed_at timestamp(3) with time zone not null,
  signing_key_epoch integer not null default 1,
  constraint log_checkpoints_pkey PRIMARY KEY (organization_id, size),
  constraint log_checkpoints_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES activity_logs(organization_id),
  constraint log_checkpoints_signing_key_epoch_check CHECK ((signing_key_epoch > 0)),
  constraint log_checkpoints_size_check CHECK ((size > 0))
);
CREATE TRIGGER log_checkpoints_signing_key BEFORE INSERT ON public.log_checkpoints FOR EACH ROW EXECUTE FUNCTION refuse_replaced_signing_key();
alter table log_checkpoints enable row level security;
create policy organization on log_checkpoints using ((( SELECT current_setting('lucarne.acting_for'::text, true) AS current_setting) = '*'::text) OR (organization_id = ANY (( SELECT string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text) AS string_to_array)::text[])));

create table log_tiles (
  organization_id text not null,
  level smallint not null,
  tile_index bigint not null,
  hashes bytea not null,
  constraint log_tiles_pkey PRIMARY KEY (organization_id, level, tile_index),
  constraint log_tiles_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES activity_logs(organization_id)
);
alter table log_tiles enable row level security;
create policy organization on log_tiles using ((( SELECT current_setting('lucarne.acting_for'::text, true) AS current_setting) = '*'::text) OR (organization_id = ANY (( SELECT string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text) AS string_to_array)::text[])));

create table master_keys (
  version integer not null,
  provider text not null,
  locator text not null,
  created_at timestamp(3) with time zone not null,
  retired_at timestamp(3) with time zone,
  constraint master_keys_pkey PRIMARY KEY (version),
  constraint master_keys_provider_check CHECK ((provider = ANY (ARRAY['file'::text, 'pkcs11'::text, 'vault'::text, 'aws-kms'::text, 'gcp-kms'::text]))),
  constraint master_keys_version_check CHECK ((version > 0))
);

create table mint_auditor_keys (
  asset_id text not null,
  from_slot bigint not null,
  path integer[] not null,
  public_key bytea,
  signature text not null,
  "position" bigint not null default 0,
  constraint mint_auditor_keys_pkey PRIMARY KEY (asset_id, signature, path),
  constraint mint_auditor_keys_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES indexed_mints(asset_id)
);
CREATE INDEX mint_auditor_keys_position ON public.mint_auditor_keys USING btree (asset_id, from_slot, "position");
alter table mint_auditor_keys enable row level security;
create policy organization on mint_auditor_keys using ((( SELECT current_setting('lucarne.acting_for'::text, true) AS current_setting) = '*'::text) OR (( SELECT whole.organization_id FROM assets whole WHERE (whole.id = mint_auditor_keys.asset_id)) = ANY (( SELECT string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text) AS string_to_array)::text[])));

create table organizations (
  id text not null,
  name text not null,
  require_second_person boolean not null default false,
  created_at timestamp(3) with time zone not null,
  disclosure_changes bigint not null default 0,
  require_second_factor boolean not null default false,
  constraint organizations_pkey PRIMARY KEY (id)
);
alter table organizations enable row level security;
create policy organization on organizations using ((id = ANY (string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text))) OR (current_setting('lucarne.acting_for'::text, true) = '*'::text));

create table passkeys (
  id text not null,
  account_id text not null,
  credential_id bytea not null,
  public_key bytea not null,
  user_handle bytea not null,
  sign_count bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamp(3) with time zone not null,
  last_used_at timestamp(3) with time zone,
  constraint passkeys_pkey PRIMARY KEY (id),
  constraint passkeys_credential_id_key UNIQUE (credential_id),
  constraint passkeys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX passkeys_account ON public.passkeys USING btree (account_id, id);

create table password_resets (
  account_id text not null,
  token_hash bytea not null,
  expires_at timestamp(3) with time zone not null,
  constraint password_resets_pkey PRIMARY KEY (account_id),
  constraint password_resets_token_hash_key UNIQUE (token_hash),
  constraint password_resets_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);

create table pending_permission_grants (
  id text not null,
  organization_id text not null,
  user_id text not null,
  application_id text,
  bucket text not null,
  permission text not null,
  granted_by text not null,
  created_at timestamp(3) with time zone not null,
  is_lapsed boolean not null default false,
  constraint pending_permission_grants_pkey PRIMARY KEY (id),
  constraint pending_permission_grants_user_id_application_id_bucket_per_key UNIQUE NULLS NOT DISTINCT (user_id, application_id, bucket, permission),
  constraint pending_permission_grants_application_id_fkey FOREIGN KEY (application_id) REFERENCES applications(id),
  constraint pending_permission_grants_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint pending_permission_grants_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint pending_permission_grants_bucket_check CHECK ((bucket = ANY (ARRAY['owner'::text, 'common'::text, 'administrator'::text, 'auditor'::text]))),
  constraint pending_permission_grants_check CHECK (((bucket = 'owner'::text) = (application_id IS NULL)))
);
CREATE INDEX pending_permission_grants_organization ON public.pending_permission_grants USING btree (organization_id, id);
alter table pending_permission_grants enable row level security;
create policy organization on pending_permission_grants using ((( SELECT current_setting('lucarne.acting_for'::text, true) AS current_setting) = '*'::text) OR (organization_id = ANY (( SELECT string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text) AS string_to_array)::text[])));

create table permission_grants (
  organization_id text not null,
  user_id text not null,
  application_id text,
  bucket text not null,
  permission text not null,
  constraint permission_grants_user_id_application_id_bucket_permission_key UNIQUE NULLS NOT DISTINCT (user_id, application_id, bucket, permission),
  constraint permission_grants_application_id_fkey FOREIGN KEY (application_id) REFERENCES applications(id),
  constraint permission_grants_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint permission_grants_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint permission_grants_bucket_check CHECK ((bucket = ANY (ARRAY['owner'::text, 'common'::text, 'administrator'::text, 'auditor'::text]))),
  constraint permission_grants_check CHECK (((bucket = 'owner'::text) = (application_id IS NULL)))
);
alter table permission_grants enable row level security;
create policy organization on permission_grants using ((organization_id = ANY (string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text))) OR (current_setting('lucarne.acting_for'::text, true) = '*'::text));

create table proposed_operations (
  organization_id text not null,
  operation text not null,
  input_digest bytea not null,
  input jsonb not null,
  proposed_by text not null,
  proposed_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone not null,
  application_id text,
  constraint proposed_operations_pkey PRIMARY KEY (organization_id, operation, input_digest),
  constraint proposed_operations_application_id_fkey FOREIGN KEY (application_id) REFERENCES applications(id),
  constraint proposed_operations_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint proposed_operations_proposed_by_fkey FOREIGN KEY (proposed_by) REFERENCES users(id),
  constraint proposed_operations_operation_check CHECK ((operation = ANY (ARRAY['createDisclosurePolicy'::text, 'approveAddress'::text, 'setAddressDefault'::text, 'createApiKey'::text, 'updateOrganization'::text, 'addCaseAuditor'::text, 'assignAsset'::text, 'unbindMint'::text, 'rotateAuditorKey'::text, 'exportAuditorKey'::text, 'importAuditorKey'::text, 'rotateSigningKey'::text, 'declareSigningKeyCompromised'::text, 'declareSigningKeyLost'::text, 'setRetention'::text, 'releaseLegalHold'::text, 'erasePersonalValues'::text])))
);
alter table proposed_operations enable row level security;
create policy organization on proposed_operations using ((( SELECT current_setting('lucarne.acting_for'::text, true) AS current_setting) = '*'::text) OR (organization_id = ANY (( SELECT string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text) AS string_to_array)::text[])));

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
  signing_key_epoch integer not null default 1,
  constraint receipts_pkey PRIMARY KEY (id),
  constraint receipts_disclosure_id_key UNIQUE (disclosure_id),
  constraint receipts_disclosure_id_fkey FOREIGN KEY (disclosure_id) REFERENCES disclosures(id),
  constraint receipts_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint receipts_signing_key_epoch_check CHECK ((signing_key_epoch > 0))
);
alter table receipts enable row level security;
create policy organization on receipts using ((( SELECT current_setting('lucarne.acting_for'::text, true) AS current_setting) = '*'::text) OR (organization_id = ANY (( SELECT string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text) AS string_to_array)::text[])));

create table recovery_codes (
  account_id text not null,
  code_hash bytea not null,
  created_at timestamp(3) with time zone not null,
  constraint recovery_codes_pkey PRIMARY KEY (account_id, code_hash),
  constraint recovery_codes_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);

create table relay_applications (
  application_id text not null,
  request_id text not null,
  organization_id text not null,
  accepted_at timestamp(3) with time zone not null,
  constraint relay_applications_pkey PRIMARY KEY (application_id, request_id),
  constraint relay_applications_application_id_fkey FOREIGN KEY (application_id) REFERENCES applications(id),
  constraint relay_applications_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint relay_applications_request_id_fkey FOREIGN KEY (request_id) REFERENCES relay_requests(id)
);
CREATE INDEX relay_applications_newest ON public.relay_applications USING btree (application_id, accepted_at, request_id);
CREATE INDEX relay_applications_request ON public.relay_applications USING btree (request_id);
alter table relay_applications enable row level security;
create policy organization on relay_applications using ((( SELECT current_setting('lucarne.acting_for'::text, true) AS current_setting) = '*'::text) OR (organization_id = ANY (( SELECT string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text) AS string_to_array)::text[])));

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
  constraint relay_attempts_pkey PRIMARY KEY (request_id, number),
  constraint relay_attempts_signature_key UNIQUE (signature),
  constraint relay_attempts_request_id_fkey FOREIGN KEY (request_id) REFERENCES relay_requests(id),
  constraint relay_attempts_message_sha256_check CHECK ((length(message_sha256) = 32))
);
CREATE INDEX relay_attempts_payer ON public.relay_attempts USING btree (SUBSTRING(transaction FROM 71 FOR 32), created_at);
CREATE TRIGGER relay_attempts_never_change BEFORE DELETE OR UPDATE OR TRUNCATE ON public.relay_attempts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table relay_conclusions (
  request_id text not null,
  number integer not null,
  "position" integer not null,
  outcome text not null,
  evidence jsonb not null,
  concluded_at timestamp(3) with time zone not null,
  constraint relay_conclusions_pkey PRIMARY KEY (request_id, number, "position"),
  constraint relay_conclusions_request_id_number_fkey FOREIGN KEY (request_id, number) REFERENCES relay_attempts(request_id, number),
  constraint relay_conclusions_outcome_check CHECK ((outcome = ANY (ARRAY['landed'::text, 'failed'::text, 'dead'::text]))),
  constraint relay_conclusions_position_check CHECK (("position" >= 1))
);
CREATE TRIGGER relay_conclusions_never_change BEFORE DELETE OR UPDATE OR TRUNCATE ON public.relay_conclusions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

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
CREATE TRIGGER relay_events_never_change BEFORE DELETE OR UPDATE ON public.relay_events FOR EACH ROW EXECUTE FUNCTION refuse_relay_event_change();
CREATE TRIGGER relay_events_never_truncate BEFORE TRUNCATE ON public.relay_events FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

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
  accepted_at timestamp(3) with time zone not null default now(),
  pool_selector text not null,
  status text not null,
  constraint relay_organizations_pkey PRIMARY KEY (organization_id, request_id),
  constraint relay_organizations_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint relay_organizations_request_id_fkey FOREIGN KEY (request_id) REFERENCES relay_requests(id)
);
CREATE INDEX relay_organizations_newest ON public.relay_organizations USING btree (organization_id, accepted_at, request_id);
CREATE INDEX relay_organizations_pool ON public.relay_organizations USING btree (organization_id, pool_selector, accepted_at, request_id);
CREATE INDEX relay_organizations_request ON public.relay_organizations USING btree (request_id);
CREATE INDEX relay_organizations_status ON public.relay_organizations USING btree (organization_id, status, accepted_at, request_id);
alter table relay_organizations enable row level security;
create policy organization on relay_organizations using ((( SELECT current_setting('lucarne.acting_for'::text, true) AS current_setting) = '*'::text) OR (organization_id = ANY (( SELECT string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text) AS string_to_array)::text[])));

create table relay_receipts (
  id text not null,
  organization_id text not null,
  request_id text not null,
  sequence integer not null,
  body jsonb not null,
  signature bytea not null,
  created_at timestamp(3) with time zone not null,
  signing_key_epoch integer not null default 1,
  constraint relay_receipts_pkey PRIMARY KEY (id),
  constraint relay_receipts_request_id_organization_id_sequence_key UNIQUE (request_id, organization_id, sequence),
  constraint relay_receipts_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint relay_receipts_request_id_fkey FOREIGN KEY (request_id) REFERENCES relay_requests(id),
  constraint relay_receipts_signature_check CHECK ((length(signature) = 64)),
  constraint relay_receipts_signing_key_epoch_check CHECK ((signing_key_epoch > 0))
);
CREATE TRIGGER relay_receipts_never_change BEFORE DELETE OR UPDATE OR TRUNCATE ON public.relay_receipts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
alter table relay_receipts enable row level security;
create policy organization on relay_receipts using ((( SELECT current_setting('lucarne.acting_for'::text, true) AS current_setting) = '*'::text) OR (organization_id = ANY (( SELECT string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text) AS string_to_array)::text[])));

create table relay_requests (
  id text not null,
  pool_selector text not null,
  program_id text not null,
  package_digest bytea not null,
  sealed_package bytea,
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
  waiting_for text,
  last_look jsonb,
  last_look_at timestamp(3) with time zone,
  client_hash bytea,
  constraint relay_requests_pkey PRIMARY KEY (id),
  constraint relay_requests_attempt_number_check CHECK ((attempt_number >= 1)),
  constraint relay_requests_check CHECK (((reason IS NOT NULL) = (status = ANY (ARRAY['rejected'::text, 'failed'::text])))),
  constraint relay_requests_check1 CHECK (((next_look_at IS NULL) = (status = ANY (ARRAY['succeeded'::text, 'rejected'::text, 'failed'::text])))),
  constraint relay_requests_check2 CHECK (((sealed_package IS NOT NULL) OR (status = ANY (ARRAY['accepted'::text, 'rejected'::text])))),
  constraint relay_requests_client_hash_check CHECK ((length(client_hash) = 32)),
  constraint relay_requests_package_digest_check CHECK ((length(package_digest) = 32)),
  constraint relay_requests_sequence_check CHECK ((sequence >= 1)),
  constraint relay_requests_status_check CHECK ((status = ANY (ARRAY['accepted'::text, 'validating'::text, 'queued'::text, 'submitted'::text, 'reconciling'::text, 'succeeded'::text, 'rejected'::text, 'failed'::text]))),
  constraint relay_requests_waiting_for_check CHECK ((waiting_for = ANY (ARRAY['landing'::text, 'finality'::text, 'majority'::text, 'effect'::text, 'agreement'::text, 'minimum_time'::text, 'silent_providers'::text, 'spender'::text, 'signing_key'::text]))) NOT VALID
);
CREATE INDEX relay_requests_due ON public.relay_requests USING btree (next_look_at) WHERE (next_look_at IS NOT NULL);
CREATE INDEX relay_requests_refused ON public.relay_requests USING btree (updated_at) WHERE ((sealed_package IS NULL) AND (status = 'rejected'::text));
CREATE INDEX relay_requests_waiting ON public.relay_requests USING btree (status) WHERE (status = ANY (ARRAY['accepted'::text, 'validating'::text, 'queued'::text]));

create table relay_spending (
  scope_hash bytea not null,
  day timestamp(3) with time zone not null,
  lamports bigint not null,
  constraint relay_spending_pkey PRIMARY KEY (scope_hash, day),
  constraint relay_spending_lamports_check CHECK ((lamports >= 0)),
  constraint relay_spending_scope_hash_check CHECK ((length(scope_hash) = 32))
);

create table report_chunks (
  content_id text not null,
  chunk_index integer not null,
  sealed_bytes bytea not null,
  constraint report_chunks_pkey PRIMARY KEY (content_id, chunk_index)
);
CREATE TRIGGER report_chunks_are_kept BEFORE DELETE ON public.report_chunks FOR EACH ROW EXECUTE FUNCTION keep_report_chunks();
CREATE TRIGGER report_chunks_never_change BEFORE UPDATE ON public.report_chunks FOR EACH ROW EXECUTE FUNCTION refuse_change_of_chunk();

create table report_downloads (
  report_id text not null,
  user_id text not null,
  began_at timestamp(3) with time zone not null,
  session_id text,
  sent_to bigint,
  constraint report_downloads_pkey PRIMARY KEY (report_id, user_id),
  constraint report_downloads_report_id_fkey FOREIGN KEY (report_id) REFERENCES reports(id),
  constraint report_downloads_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
alter table report_downloads enable row level security;
create policy organization on report_downloads using ((( SELECT current_setting('lucarne.acting_for'::text, true) AS current_setting) = '*'::text) OR (( SELECT whole.organization_id FROM reports whole WHERE (whole.id = report_downloads.report_id)) = ANY (( SELECT string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text) AS string_to_array)::text[])));

create table report_files (
  organization_id text not null,
  sha256 bytea,
  content_id text not null,
  size_bytes bigint not null,
  created_at timestamp(3) with time zone not null,
  stored_at timestamp(3) with time zone default now(),
  content_key bytea,
  constraint report_files_pkey PRIMARY KEY (content_id),
  constraint report_files_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint report_files_content_key_check CHECK ((length(content_key) = 32)),
  constraint report_files_sha256_check CHECK ((length(sha256) = 32))
);
CREATE INDEX report_files_age ON public.report_files USING btree (organization_id, created_at);
CREATE UNIQUE INDEX report_files_content_key ON public.report_files USING btree (organization_id, content_key);
CREATE UNIQUE INDEX report_files_sha256 ON public.report_files USING btree (organization_id, sha256);
CREATE TRIGGER report_files_are_kept BEFORE DELETE OR UPDATE ON public.report_files FOR EACH ROW EXECUTE FUNCTION keep_report_files();
alter table report_files enable row level security;
create policy organization on report_files using ((( SELECT current_setting('lucarne.acting_for'::text, true) AS current_setting) = '*'::text) OR (organization_id = ANY (( SELECT string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text) AS string_to_array)::text[])));

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
  record_total_is_estimate boolean not null default false,
  report_type text,
  constraint report_generations_pkey PRIMARY KEY (id),
  constraint report_generations_application_id_fkey FOREIGN KEY (application_id) REFERENCES applications(id),
  constraint report_generations_case_id_fkey FOREIGN KEY (case_id) REFERENCES cases(id),
  constraint report_generations_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint report_generations_requested_by_fkey FOREIGN KEY (requested_by) REFERENCES users(id),
  constraint report_generations_report_type_check CHECK ((report_type = ANY (ARRAY['transaction_summary'::text, 'transaction_detail'::text, 'activity_log'::text]))),
  constraint report_generations_status_check CHECK ((status = ANY (ARRAY['running'::text, 'failed'::text])))
);
CREATE INDEX report_generations_lease ON public.report_generations USING btree (lease_expires_at) WHERE (status = 'running'::text);
CREATE INDEX report_generations_organization ON public.report_generations USING btree (organization_id) WHERE (status = 'running'::text);
alter table report_generations enable row level security;
create policy organization on report_generations using ((( SELECT current_setting('lucarne.acting_for'::text, true) AS current_setting) = '*'::text) OR (organization_id = ANY (( SELECT string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text) AS string_to_array)::text[])));

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
  sha256 bytea,
  generated_by text not null,
  generated_at timestamp(3) with time zone not null,
  log_entry_id text not null,
  digest_salt bytea,
  content_id text not null,
  sealed_digest bytea,
  constraint reports_pkey PRIMARY KEY (id),
  constraint reports_application_id_fkey FOREIGN KEY (application_id) REFERENCES applications(id),
  constraint reports_case_id_fkey FOREIGN KEY (case_id) REFERENCES cases(id),
  constraint reports_generated_by_fkey FOREIGN KEY (generated_by) REFERENCES users(id),
  constraint reports_log_entry_id_fkey FOREIGN KEY (log_entry_id) REFERENCES activity_entries(id),
  constraint reports_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint reports_check CHECK (((case_id IS NULL) OR (application_id IS NOT NULL))),
  constraint reports_digest_salt_check CHECK ((length(digest_salt) = 16)),
  constraint reports_format_check CHECK ((format = ANY (ARRAY['csv'::text, 'json'::text, 'pdf'::text]))),
  constraint reports_have_a_digest CHECK (((sealed_digest IS NULL) <> (sha256 IS NULL))),
  constraint reports_report_type_check CHECK ((report_type = ANY (ARRAY['transaction_summary'::text, 'transaction_detail'::text, 'activity_log'::text]))),
  constraint reports_salt_their_digest CHECK (((digest_salt IS NULL) = (sha256 IS NULL)))
);
CREATE INDEX reports_application ON public.reports USING btree (application_id, sequence) WHERE (application_id IS NOT NULL);
CREATE INDEX reports_case ON public.reports USING btree (case_id, sequence) WHERE (case_id IS NOT NULL);
CREATE INDEX reports_content ON public.reports USING btree (content_id, generated_at);
CREATE INDEX reports_in_clear ON public.reports USING btree (id) WHERE (sha256 IS NOT NULL);
CREATE INDEX reports_organization ON public.reports USING btree (organization_id, sequence);
CREATE INDEX reports_type ON public.reports USING btree (organization_id, report_type, sequence);
CREATE TRIGGER reports_name_their_content BEFORE INSERT ON public.reports FOR EACH ROW EXECUTE FUNCTION name_content_of_report();
CREATE TRIGGER reports_never_change BEFORE DELETE OR UPDATE ON public.reports FOR EACH ROW EXECUTE FUNCTION refuse_change_of_report();
alter table reports enable row level security;
create policy organization on reports using ((( SELECT current_setting('lucarne.acting_for'::text, true) AS current_setting) = '*'::text) OR (organization_id = ANY (( SELECT string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text) AS string_to_array)::text[])));

create table resealing (
  purpose text not null,
  reached jsonb,
  values_left integer not null,
  finished_at timestamp(3) with time zone,
  constraint resealing_pkey PRIMARY KEY (purpose)
);

create table retention_settings (
  organization_id text not null,
  kind text not null,
  years integer not null,
  constraint retention_settings_pkey PRIMARY KEY (organization_id, kind),
  constraint retention_settings_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint retention_settings_kind_check CHECK ((kind = ANY (ARRAY['reports'::text, 'disclosure_results'::text, 'personal_values'::text]))),
  constraint retention_settings_years_check CHECK (((years >= 5) AND (years <= 30)))
);
alter table retention_settings enable row level security;
create policy organization on retention_settings using ((( SELECT current_setting('lucarne.acting_for'::text, true) AS current_setting) = '*'::text) OR (organization_id = ANY (( SELECT string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text) AS string_to_array)::text[])));

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
  shows_client boolean not null default false,
  constraint security_events_pkey PRIMARY KEY (sequence)
);
CREATE INDEX security_events_age ON public.security_events USING btree (created_at);
CREATE INDEX security_events_organization ON public.security_events USING btree (organization_id, sequence);
alter table security_events enable row level security;
create policy organization on security_events using ((( SELECT current_setting('lucarne.acting_for'::text, true) AS current_setting) = '*'::text) OR (organization_id = ANY (( SELECT string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text) AS string_to_array)::text[])));

create table sessions (
  id text not null,
  token_hash bytea not null,
  user_id text not null,
  organization_id text not null,
  created_at timestamp(3) with time zone not null,
  last_seen_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone not null,
  ended_at timestamp(3) with time zone,
  factor_at timestamp(3) with time zone,
  client_address text,
  user_agent text,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_token_hash_key UNIQUE (token_hash),
  constraint sessions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX sessions_end ON public.sessions USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX sessions_expiry ON public.sessions USING btree (expires_at);
CREATE INDEX sessions_user ON public.sessions USING btree (user_id) WHERE (ended_at IS NULL);
alter table sessions enable row level security;
create policy organization on sessions using ((organization_id = ANY (string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text))) OR (current_setting('lucarne.acting_for'::text, true) = '*'::text));

create table settings (
  name text not null,
  value jsonb not null,
  constraint settings_pkey PRIMARY KEY (name)
);

create table sign_in_failures (
  id bigint not null generated always as identity,
  key_hash bytea not null,
  failed_at timestamp(3) with time zone not null,
  constraint sign_in_failures_pkey PRIMARY KEY (id)
);
CREATE INDEX sign_in_failures_age ON public.sign_in_failures USING btree (failed_at);
CREATE INDEX sign_in_failures_recent ON public.sign_in_failures USING btree (key_hash, failed_at);

create table signing_keys (
  organization_id text not null,
  public_key bytea not null,
  sealed_secret bytea,
  created_at timestamp(3) with time zone not null,
  epoch integer not null default 1,
  cosigns_until timestamp(3) with time zone,
  compromised_from bigint,
  store_key text,
  constraint signing_keys_pkey PRIMARY KEY (organization_id, epoch),
  constraint signing_keys_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint signing_keys_compromised_from_check CHECK ((compromised_from >= 0)),
  constraint signing_keys_epoch_check CHECK ((epoch > 0)),
  constraint signing_keys_place_check CHECK (((store_key IS NULL) OR (sealed_secret IS NULL)))
);
alter table signing_keys enable row level security;
create policy organization on signing_keys using ((( SELECT current_setting('lucarne.acting_for'::text, true) AS current_setting) = '*'::text) OR (organization_id = ANY (( SELECT string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text) AS string_to_array)::text[])));

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
  organization_id text not null,
  part integer not null default 0,
  constraint transactions_asset_fkey FOREIGN KEY (asset_id, organization_id) REFERENCES assets(id, organization_id)
) partition by LIST (part);
CREATE TRIGGER transactions_indexed_once AFTER INSERT ON public.transactions REFERENCING NEW TABLE AS arrived FOR EACH STATEMENT EXECUTE FUNCTION refuse_indexed_in_parts();
CREATE TRIGGER transactions_take_organization BEFORE INSERT ON public.transactions FOR EACH ROW WHEN ((new.organization_id IS NULL)) EXECUTE FUNCTION take_organization_of_asset();
alter table transactions enable row level security;
create policy organization on transactions using ((organization_id = ANY (( SELECT string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text) AS string_to_array)::text[])) OR (( SELECT current_setting('lucarne.acting_for'::text, true) AS current_setting) = '*'::text));

create table transactions_live (
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
  organization_id text not null,
  part integer not null default 0,
  constraint transactions_pkey PRIMARY KEY (id),
  constraint transactions_asset_id_position_key UNIQUE (asset_id, "position"),
  constraint transactions_asset_fkey FOREIGN KEY (asset_id, organization_id) REFERENCES assets(id, organization_id),
  constraint transactions_live_part CHECK ((part = 0)) NOT VALID
);
alter table transactions attach partition transactions_live DEFAULT;
CREATE INDEX transactions_block_time ON public.transactions_live USING btree (asset_id, block_time, "position");
CREATE INDEX transactions_destination ON public.transactions_live USING btree (asset_id, destination_account, type, "position");
CREATE INDEX transactions_indexed_at ON public.transactions_live USING btree (asset_id, indexed_at, "position");
CREATE UNIQUE INDEX transactions_signature ON public.transactions_live USING btree (signature, path, asset_id);
CREATE INDEX transactions_source ON public.transactions_live USING btree (asset_id, source_account, type, "position");
CREATE INDEX transactions_type ON public.transactions_live USING btree (asset_id, type, "position");
CREATE TRIGGER transactions_take_organization BEFORE INSERT ON public.transactions_live FOR EACH ROW WHEN ((new.organization_id IS NULL)) EXECUTE FUNCTION take_organization_of_asset();
alter table transactions_live enable row level security;
create policy organization on transactions_live using ((( SELECT current_setting('lucarne.acting_for'::text, true) AS current_setting) = '*'::text) OR (organization_id = ANY (( SELECT string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text) AS string_to_array)::text[])));

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
  created_at timestamp(3) with time zone not null,
  organization_id text not null,
  account_id text,
  ended_at timestamp(3) with time zone,
  constraint users_pkey PRIMARY KEY (id),
  constraint users_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE SET NULL,
  constraint users_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint users_ended CHECK (((ended_at IS NULL) OR (account_id IS NULL)))
);
CREATE UNIQUE INDEX users_account ON public.users USING btree (account_id, organization_id) WHERE (ended_at IS NULL);
CREATE UNIQUE INDEX users_email ON public.users USING btree (organization_id, lower(email)) WHERE (ended_at IS NULL);
CREATE INDEX users_former ON public.users USING btree (organization_id, ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX users_organization ON public.users USING btree (organization_id, id);
alter table users enable row level security;
create policy organization on users using ((organization_id = ANY (string_to_array(current_setting('lucarne.acting_for'::text, true), ','::text))) OR (current_setting('lucarne.acting_for'::text, true) = '*'::text));
