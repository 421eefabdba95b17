import { Migration } from '@mikro-orm/migrations';
import { lockBriefly } from './lock-briefly.js';

/** The policy that left a disclosure to a person. Migration 0063 fills it for earlier disclosures, without this lock. */
export class Migration0059PoliciesThatLeaveToAPerson extends Migration {
  override up(): void {
    this.addSql(
      lockBriefly(['disclosure_policies', 'share row exclusive'], ['disclosures', 'access exclusive']),
    );
    this.addSql(
      'alter table disclosures add column review_policy_id text references disclosure_policies (id)',
    );
  }
}
