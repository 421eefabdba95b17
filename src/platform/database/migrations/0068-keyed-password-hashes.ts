import { Migration } from '@mikro-orm/migrations';

/**
 * New databases key the hashes of passwords from the start. In others, processes of the previous version must still compare
 * every hash: there, `lucarne master-key reseal` stores this setting and keys the hashes.
 */
export class Migration0068KeyedPasswordHashes extends Migration {
  override up(): void {
    this.addSql(`insert into settings (name, value) select 'keyed_password_hashes', 'true'
      where not exists (select from accounts)`);
  }
}
