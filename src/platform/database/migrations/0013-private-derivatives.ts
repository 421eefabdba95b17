import { Migration } from '@mikro-orm/migrations';

/** Salts the published digests of reports, and counts views of a case per hour. */
export class Migration0013PrivateDerivatives extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

const STATEMENTS = [
  // The log publishes SHA-256(salt ‖ digest of the file): with the digest alone, a reader could test guesses of the content.
  `alter table reports add column digest_salt bytea not null
    default decode(repeat('00', 16), 'hex') check (length(digest_salt) = 16)`,
  `alter table reports alter column digest_salt drop default`,
  // What a user read of a case in an hour (UTC).
  `drop table case_views`,
  `create table case_views (
    case_id text not null references cases,
    user_id text not null references users,
    hour timestamptz(3) not null,
    answers integer not null,
    transactions bigint not null,
    primary key (case_id, user_id, hour)
  )`,
];
