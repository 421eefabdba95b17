import { Migration } from '@mikro-orm/migrations';

/**
 * The key that signs the log and receipts can be in a store. While it waits for a store, one process holds a lease of the log.
 */
export class Migration0041KeptSigningKeys extends Migration {
  override up(): void {
    this.addSql(`alter table signing_keys add column store_key text,
      add constraint signing_keys_place_check check (store_key is null or sealed_secret is null)`);
    this.addSql(`alter table activity_logs add column lease_owner text,
      add column lease_expires_at timestamptz(3),
      add column fencing_token bigint not null default 0`);
  }
}
