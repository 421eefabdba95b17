import { Migration } from '@mikro-orm/migrations';

/**
 * Erasures of former members that were decided and have not ended. Each is carried out in brief transactions under a lease, so that
 * a long log does not keep the organization locked, and a crash does not lose the decision.
 */
export class Migration0067ErasuresInSteps extends Migration {
  override up(): void {
    this.addSql(`create table erasures (
      organization_id text not null references organizations (id), user_id text not null references users (id),
      decided_by text not null, decided_at timestamptz(3) not null, done_below bigint not null default 0,
      entries integer not null default 0, "values" integer not null default 0, lease_owner text,
      lease_expires_at timestamptz(3), primary key (organization_id, user_id))`);
    this.addSql(`create policy organization on erasures using (
      (select current_setting('lucarne.acting_for', true)) = '*'
      or organization_id = any ((select string_to_array(current_setting('lucarne.acting_for', true), ','))::text[]))`);
    this.addSql('alter table erasures enable row level security');
  }
}
