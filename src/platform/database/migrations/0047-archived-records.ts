import { Migration } from '@mikro-orm/migrations';
import { lockBriefly } from './lock-briefly.js';

/**
 * A part of old records can be moved from the database to a file. The database still knows exactly which records are archived,
 * so that no read returns an answer as if they did not exist.
 */
export class Migration0047ArchivedRecords extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

const STATEMENTS = [
  `create table archived_parts (
    part integer primary key,
    records bigint not null,
    sha256 text not null,
    file_name text not null,
    archived_at timestamptz(3) not null default now()
  )`,
  // A digest for each archived record, so that a record of the same instruction is not inserted again.
  `create table archived_keys (
    part integer not null,
    key bytea not null,
    primary key (part, key)
  )`,
  lockBriefly(['assets', 'access exclusive']),
  // One object for each part: the day before which its records were indexed, the first and last position, the earliest and
  // latest block time, and the first and last time of indexing.
  `alter table assets add column archived jsonb`,

  `create function archived_key(asset text, signature text, path integer[]) returns bytea language sql immutable as $$
    select substr(sha256(convert_to(asset || ' ' || signature || ' ' || path::text, 'UTF8')), 1, 16)
  $$`,
  `create function is_archived(asset text, signature text, path integer[]) returns boolean language sql stable as $$
    select exists (
      select from archived_parts
      join archived_keys on archived_keys.part = archived_parts.part
        and archived_keys.key = archived_key(asset, signature, path))
  $$`,

  // True if none of the archived records can match a read. Null parameters set no bound.
  `create function refuse_archived(
    archived jsonb, after bigint, time_from bigint, time_until bigint, indexed_from timestamptz, indexed_to timestamptz)
  returns boolean language plpgsql stable as $$
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
  end $$`,

  `create or replace function refuse_indexed_in_parts() returns trigger language plpgsql as $$
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
  end $$`,
  ...[
    'refuse_indexed_in_parts()',
    'archived_key(text, text, integer[])',
    'is_archived(text, text, integer[])',
    'refuse_archived(jsonb, bigint, bigint, bigint, timestamptz, timestamptz)',
  ].map(
    (name) =>
      `do $$ begin execute format(
        'alter function %1$I.${name} set search_path to %1$I, pg_temp', current_schema()); end $$`,
  ),
];
