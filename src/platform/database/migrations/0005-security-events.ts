import { Migration } from '@mikro-orm/migrations';

/** Refused actions, separate from the activity log; and OpenID Connect sign-ins that cannot be completed again. */
export class Migration0005SecurityEvents extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

const STATEMENTS = [
  // Rows live as long as the cookie of the attempt: an answer of the provider is accepted once.
  `create table used_sign_in_attempts (
    state_hash bytea primary key,
    used_at timestamptz(3) not null
  )`,
  `create index used_sign_in_attempts_age on used_sign_in_attempts (used_at)`,
  // No foreign key: a refusal is recorded even if its user is unknown, and must not block other changes.
  `create table security_events (
    sequence bigint primary key generated always as identity,
    organization_id text,
    event text not null,
    operation text,
    subject_id text,
    account_digest bytea,
    client_address text not null,
    request_id text not null,
    created_at timestamptz(3) not null
  )`,
  `create index security_events_organization on security_events (organization_id, sequence)`,
  `create index security_events_age on security_events (created_at)`,
];
