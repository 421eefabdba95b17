import { Migration } from '@mikro-orm/migrations';
import { lockBriefly } from './lock-briefly.js';

/**
 * With a copy of the database, an attacker could test guesses of the contents of reports against their digests. So a report
 * names its file by an id, equal files are found by a keyed digest, and the digest itself is sealed. Earlier digests stay until
 * `lucarne master-key reseal` seals them, because migrations have no keys.
 */
export class Migration0052SealedReportDigests extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
    // Prevents a temporary table from replacing a table that they read.
    for (const name of ['keep_report_files', 'name_content_of_report', 'refuse_change_of_report'])
      this.addSql(`do $$ begin execute format(
        'alter function %1$I.${name}() set search_path to %1$I, pg_temp', current_schema()); end $$`);
  }
}

const STATEMENTS = [
  lockBriefly(['reports', 'access exclusive'], ['report_files', 'access exclusive']),
  'drop trigger reports_never_change on reports',
  'alter table reports add column content_id text, add column sealed_digest bytea',
  `update reports set content_id = coalesce((select content_id from report_files
    where report_files.organization_id = reports.organization_id and report_files.sha256 = reports.sha256), id)`,
  `alter table reports alter column content_id set not null, alter column sha256 drop not null,
    alter column digest_salt drop not null,
    add constraint reports_have_a_digest check ((sealed_digest is null) <> (sha256 is null)),
    add constraint reports_salt_their_digest check ((digest_salt is null) = (sha256 is null))`,
  'drop index reports_file',
  'create index reports_content on reports (content_id, generated_at)',
  'create index reports_in_clear on reports (id) where sha256 is not null',

  // Instances of the previous version do not set the content id.
  `create function name_content_of_report() returns trigger language plpgsql as $$
    begin
      if new.content_id is null then
        new.content_id := coalesce((select content_id from report_files
          where organization_id = new.organization_id and sha256 = new.sha256), new.id);
      end if;
      return new;
    end $$`,
  `create trigger reports_name_their_content before insert on reports
    for each row execute function name_content_of_report()`,
  `create function refuse_change_of_report() returns trigger language plpgsql as $$
    declare
      digest constant text[] := array['sha256', 'digest_salt', 'sealed_digest'];
    begin
      if tg_op = 'DELETE' or to_jsonb(new) - digest <> to_jsonb(old) - digest or new.sealed_digest is null
        or length(new.sealed_digest) - length(old.sealed_digest) not in (0, 4) then
        raise exception 'Rows of % never change.', tg_table_name;
      end if;
      return new;
    end $$`,
  `create trigger reports_never_change before update or delete on reports
    for each row execute function refuse_change_of_report()`,

  'alter table report_files drop constraint report_files_pkey, drop constraint report_files_content_id_key',
  `alter table report_files add primary key (content_id), alter column sha256 drop not null,
    add column content_key bytea check (length(content_key) = 32)`,
  // The first index is for instances of the previous version.
  'create unique index report_files_sha256 on report_files (organization_id, sha256)',
  'create unique index report_files_content_key on report_files (organization_id, content_key)',
  `create or replace function keep_report_files() returns trigger language plpgsql
    security definer set search_path from current as $$
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
    end $$`,
];
