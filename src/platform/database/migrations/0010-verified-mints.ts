import { Migration } from '@mikro-orm/migrations';

/** A binding claims a mint without reserving it. Only the organization whose auditor key is on the mint has it exclusively. */
export class Migration0010VerifiedMints extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

const STATEMENTS = [
  `alter table assets drop constraint assets_mint_address_key`,
  // An organization can bind a mint once. A disabled asset does not count.
  `create unique index assets_mint on assets (organization_id, mint_address)
    where mint_address is not null and status <> 'disabled'`,
  `alter table indexed_mints drop constraint indexed_mints_mint_address_key`,
  // Whether the ledger shows the organization's auditor key on the mint, and the newest slot at which it did. The slot remains
  // until everything up to the change of the key is indexed.
  `alter table indexed_mints add column verified boolean not null default false, add column verified_slot bigint`,
  `update indexed_mints set verified = true, verified_slot = coalesce(checkpoint_slot, latest_slot, 0)
    where registered_at is not null and status <> 'disabled' and reason is distinct from 'auditor_key_mismatch'`,
  `create unique index indexed_mints_verified on indexed_mints (mint_address) where verified`,
];
