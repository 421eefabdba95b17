import { Migration } from '@mikro-orm/migrations';

/** The master key can be in Vault or in a cloud's key management service. */
export class Migration0040KeyStores extends Migration {
  override up(): void {
    this.addSql(`alter table master_keys drop constraint master_keys_provider_check,
      add constraint master_keys_provider_check
        check (provider in ('file', 'pkcs11', 'vault', 'aws-kms', 'gcp-kms'))`);
  }
}
