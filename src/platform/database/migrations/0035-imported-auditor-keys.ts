import { Migration } from '@mikro-orm/migrations';

/** Auditor keys that were made elsewhere are imported: they read what was encrypted to them, and no asset shows them. */
export class Migration0035ImportedAuditorKeys extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

const STATEMENTS = [
  `alter table auditor_keys add column imported boolean not null default false`,
  // Two organizations may hold one imported key, and neither learns of the other.
  `alter table auditor_keys drop constraint auditor_keys_public_key_key`,
  `create unique index auditor_keys_public_key on auditor_keys (organization_id, public_key)`,
];
