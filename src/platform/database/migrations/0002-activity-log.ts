import { Migration } from '@mikro-orm/migrations';

/** The Merkle log of the activity entries: one for each organization, in tiles, with every signed checkpoint. */
export class Migration0002ActivityLog extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

const STATEMENTS = [
  // The sequencer locks the row. The origin names the log permanently, even if the public host changes.
  `create table activity_logs (
    organization_id text primary key references organizations,
    origin text not null unique,
    created_at timestamptz(3) not null
  )`,
  // C2SP tlog-tiles: up to 256 hashes of 32 bytes. A tile only grows.
  `create table log_tiles (
    organization_id text not null references activity_logs,
    level smallint not null,
    tile_index bigint not null,
    hashes bytea not null,
    primary key (organization_id, level, tile_index)
  )`,
  // The primary key alone prevents a second root for a size.
  `create table log_checkpoints (
    organization_id text not null references activity_logs,
    size bigint not null check (size > 0),
    root bytea not null,
    note text not null,
    signed_at timestamptz(3) not null,
    primary key (organization_id, size)
  )`,
  `create index activity_entries_application on activity_entries (application_id, sequence)`,
  `create index activity_entries_case on activity_entries (case_id, sequence) where case_id is not null`,
];
