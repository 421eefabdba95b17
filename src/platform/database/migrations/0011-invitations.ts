import { Migration } from '@mikro-orm/migrations';

/** Invitations of members, and links by which a person chooses a new password. */
export class Migration0011Invitations extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

const STATEMENTS = [
  // Only the recipient has the link: the database stores a hash of its token. With a user, the link gives that member a new
  // account to sign in with; without one, it creates a member.
  `create table invitations (
    id text primary key,
    organization_id text not null references organizations,
    user_id text references users,
    email text not null,
    name text not null,
    permissions jsonb not null,
    token_hash bytea not null unique,
    invited_by text not null,
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    accepted_at timestamptz(3),
    revoked_at timestamptz(3),
    check (accepted_at is null or revoked_at is null)
  )`,
  `create index invitations_organization on invitations (organization_id, id)`,
  // Requested by e-mail. A row is deleted when it is used or replaced.
  `create table password_resets (
    account_id text primary key references accounts on delete cascade,
    token_hash bytea not null unique,
    expires_at timestamptz(3) not null
  )`,
];
