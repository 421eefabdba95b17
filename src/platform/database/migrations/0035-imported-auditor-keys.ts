import { Migration } from '@mikro-orm/migrations';

/**
 * Auditor keys that were created elsewhere can be imported. They decrypt what was encrypted to them, but are not used for
 * assets.
 */
export class Migration0035ImportedAuditorKeys extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

const STATEMENTS = [
  `alter table auditor_keys add column imported boolean not null default false`,
  // Two organizations may have the same imported key, and neither learns about the other.
  `alter table auditor_keys drop constraint auditor_keys_public_key_key`,
  `create unique index auditor_keys_public_key on auditor_keys (organization_id, public_key)`,
];
