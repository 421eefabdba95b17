import { Migration } from '@mikro-orm/migrations';

/** Versions of the master key, the data keys that they wrap, and the progress of resealing. */
export class Migration0024EnvelopeKeys extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

const STATEMENTS = [
  `create table master_keys (
    version integer primary key check (version > 0),
    provider text not null check (provider in ('file', 'pkcs11')),
    locator text not null,
    created_at timestamptz(3) not null,
    retired_at timestamptz(3)
  )`,
  `create table data_keys (
    id integer primary key check (id > 0),
    purpose text not null,
    master_version integer not null references master_keys,
    first_master_version integer not null references master_keys,
    wrapped_key bytea,
    created_at timestamptz(3) not null,
    usable_at timestamptz(3) not null,
    destroyed_at timestamptz(3),
    check ((wrapped_key is null) = (destroyed_at is not null))
  )`,
  `create table resealing (
    purpose text primary key,
    reached jsonb,
    values_left integer not null,
    finished_at timestamptz(3)
  )`,
  // The chunks of a report never change, except for the key that seals them.
  `create function refuse_change_of_chunk() returns trigger language plpgsql as $$
  begin
    if row (new.content_id, new.chunk_index) is distinct from row (old.content_id, old.chunk_index)
      or length(new.sealed_bytes) - length(old.sealed_bytes) not in (0, 4) then
      raise exception 'Rows of % never change.', tg_table_name;
    end if;
    return new;
  end $$`,
  `do $$ begin execute format(
    'alter function %1$I.refuse_change_of_chunk() set search_path to %1$I, pg_temp', current_schema()); end $$`,
  `drop trigger report_chunks_never_change on report_chunks`,
  `create trigger report_chunks_never_change before update on report_chunks
    for each row execute function refuse_change_of_chunk()`,
];
