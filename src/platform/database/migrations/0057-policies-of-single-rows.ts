import { Migration } from '@mikro-orm/migrations';
import { lockBriefly } from './lock-briefly.js';

/**
 * Policies that cost less where a statement finds few rows. A sub-select in a policy is set up and run once for each statement,
 * which takes longer than to compare one row. So the tables that authentication reads compare each row directly. The policy
 * of records keeps its sub-selects, because a page has many rows, and compares the organization first: only statements for
 * all organizations then run the second one.
 */
export class Migration0057PoliciesOfSingleRows extends Migration {
  override up(): void {
    this.addSql(lockBriefly(...TABLES.map(([table]) => [table, 'access exclusive'] as const)));
    for (const [table, condition] of TABLES)
      this.addSql(`alter policy organization on ${table} using (${condition})`);
  }
}

const SETTING = `current_setting('lucarne.acting_for', true)`;

const direct = (organization: string) =>
  `${organization} = any (string_to_array(${SETTING}, ',')) or ${SETTING} = '*'`;

const TABLES: readonly (readonly [table: string, condition: string])[] = [
  ['organizations', direct('id')],
  ...['api_keys', 'applications', 'permission_grants', 'sessions', 'users'].map(
    (table) => [table, direct('organization_id')] as const,
  ),
  [
    'transactions',
    `organization_id = any ((select string_to_array(${SETTING}, ','))::text[]) or (select ${SETTING}) = '*'`,
  ],
];
