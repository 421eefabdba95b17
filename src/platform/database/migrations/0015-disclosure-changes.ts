import { Migration } from '@mikro-orm/migrations';

/** Numbers the changes of disclosures, so that subscribers can follow them. */
export class Migration0015DisclosureChanges extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

const STATEMENTS = [
  // Counts the changes of an organization's disclosures. Incremented while the row is locked, so in the order of commits.
  `alter table organizations add column disclosure_changes bigint not null default 0`,
  // 0: not changed since changes are numbered.
  `alter table disclosures add column change bigint not null default 0`,
  `create index disclosures_change on disclosures (organization_id, change) where change > 0`,
  `create index disclosures_pending on disclosures (organization_id, id) where status = 'pending'`,
];
