import { Migration } from '@mikro-orm/migrations';

/**
 * Retention periods and legal holds, which prevent deletion. The database itself enforces the minimum: the file of a report
 * and the result of a disclosure can be deleted only after five years by the database clock, and data under a hold cannot
 * be deleted.
 */
export class Migration0039Retention extends Migration {
  override up(): void {
    this.addSql(`create table retention_settings (
      organization_id text not null references organizations (id),
      kind text not null constraint retention_settings_kind_check check (kind in (${KINDS})),
      years integer not null check (years between 5 and 30),
      primary key (organization_id, kind))`);
    this.addSql(`create table legal_holds (
      id text primary key,
      organization_id text not null references organizations (id),
      kinds text[] not null constraint legal_holds_kinds_check
        check (kinds <@ array[${KINDS}]::text[] and cardinality(kinds) > 0),
      reason text not null,
      until timestamp(3) with time zone,
      placed_by text not null,
      placed_at timestamp(3) with time zone not null,
      released_at timestamp(3) with time zone)`);
    this.addSql(
      `create index legal_holds_organization on legal_holds (organization_id, id) where released_at is null`,
    );
    for (const table of ['retention_settings', 'legal_holds']) {
      this.addSql(`create policy organization on ${table} using (
        (select current_setting('lucarne.acting_for', true)) = '*'
        or organization_id = any ((select string_to_array(current_setting('lucarne.acting_for', true), ','))::text[]))`);
      this.addSql(`alter table ${table} enable row level security`);
    }

    // Uses the database clock: the clock of one gateway may be wrong, and a deletion cannot be undone. Null in earlier rows.
    for (const table of ['report_files', 'disclosures']) {
      this.addSql(`alter table ${table} add column stored_at timestamp(3) with time zone`);
      this.addSql(`alter table ${table} alter column stored_at set default now()`);
    }

    // A report whose file was deleted remains.
    this.addSql('alter table reports drop constraint reports_organization_id_sha256_fkey');
    this.addSql('drop trigger report_files_never_change on report_files');
    for (const statement of GUARDS) this.addSql(statement);
    for (const name of ['is_under_legal_hold(text, text)', ...TRIGGER_FUNCTIONS.map((name) => `${name}()`)])
      this.addSql(`do $$ begin execute format(
      'alter function %1$I.${name} set search_path to %1$I, pg_temp', current_schema()); end $$`);

    // Find due data without reading other data.
    this.addSql('create index report_files_age on report_files (organization_id, created_at)');
    this.addSql('create index reports_file on reports (organization_id, sha256, generated_at)');
    this.addSql(`create index disclosures_results on disclosures (organization_id, resolved_at)
      where sealed_result is not null`);
    this.addSql(`create index activity_entries_personal on activity_entries (organization_id, created_at)
      where salts <> '{}'`);
    this.addSql(`create index users_former on users (organization_id, ended_at) where ended_at is not null`);

    this.addSql(`alter table proposed_operations drop constraint proposed_operations_operation_check,
      add constraint proposed_operations_operation_check check (operation in ('createDisclosurePolicy',
        'approveAddress', 'setAddressDefault', 'createApiKey', 'updateOrganization', 'addCaseAuditor',
        'rotateAuditorKey', 'exportAuditorKey', 'importAuditorKey', 'rotateSigningKey', 'declareSigningKeyCompromised',
        'setRetention', 'releaseLegalHold'))`);
  }
}

const KINDS = `'reports', 'disclosure_results', 'personal_values'`;

const TRIGGER_FUNCTIONS = ['keep_report_files', 'keep_disclosure_results', 'keep_held_values'];

// These functions run as the owner, so that they also see holds that row-level security hides from a statement.
const GUARDS = [
  `create function is_under_legal_hold(organization text, what text) returns boolean language sql stable
    security definer set search_path from current as $$
    select exists (select from legal_holds where organization_id = organization and what = any (kinds)
      and released_at is null and (until is null or until > now()))
    $$`,
  `create function keep_report_files() returns trigger language plpgsql
    security definer set search_path from current as $$
    begin
      if tg_op = 'UPDATE' then
        raise exception 'Rows of % never change.', tg_table_name;
      end if;
      if is_under_legal_hold(old.organization_id, 'reports')
        or greatest(old.created_at, old.stored_at) > now() - interval '5 years'
        or exists (select from reports where organization_id = old.organization_id and sha256 = old.sha256
          and generated_at > now() - interval '5 years')
      then
        raise exception 'The file of a report is kept for at least 5 years, and while a legal hold is in force.';
      end if;
      return old;
    end $$`,
  `create trigger report_files_are_kept before update or delete on report_files
    for each row execute function keep_report_files()`,
  `create function keep_disclosure_results() returns trigger language plpgsql
    security definer set search_path from current as $$
    begin
      if old.stored_at is distinct from new.stored_at then
        raise exception 'When a disclosure was stored never changes.';
      end if;
      if old.sealed_result is not null and new.sealed_result is null and (
        is_under_legal_hold(old.organization_id, 'disclosure_results')
        or not coalesce(greatest(old.resolved_at, old.stored_at) <= now() - interval '5 years', false))
      then
        raise exception 'The result of a disclosure is kept for at least 5 years, and while a legal hold is in force.';
      end if;
      return new;
    end $$`,
  `create trigger disclosure_results_are_kept before update on disclosures
    for each row when (old.sealed_result is not null and new.sealed_result is null
      or old.stored_at is distinct from new.stored_at)
    execute function keep_disclosure_results()`,
  `create function keep_held_values() returns trigger language plpgsql
    security definer set search_path from current as $$
    begin
      if is_under_legal_hold(old.organization_id, 'personal_values') then
        raise exception 'A legal hold is in force: personal values of the log are not erased.';
      end if;
      return new;
    end $$`,
  `create trigger held_values_are_kept before update of salts on activity_entries
    for each row when (old.salts is distinct from new.salts)
    execute function keep_held_values()`,
];
