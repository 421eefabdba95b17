import { Migration } from '@mikro-orm/migrations';

/**
 * Policies of tables that name no organization look up the row that each row belongs to. PostgreSQL may turn an `exists` into
 * one scan of the rows of all organizations for each statement. It cannot do that with a sub-select of one value.
 */
export class Migration0025PoliciesOfParts extends Migration {
  override up(): void {
    for (const [table, column, whole] of PARTS)
      this.addSql(
        `alter policy organization on ${table} using (${EVERY_ORGANIZATION}
          or (select whole.organization_id from ${whole} as whole where whole.id = ${table}.${column}) = any (${OURS}))`,
      );
  }
}

const EVERY_ORGANIZATION = `(select current_setting('lucarne.acting_for', true)) = '*'`;
const OURS = `(select string_to_array(current_setting('lucarne.acting_for', true), ','))::text[]`;

const PARTS: readonly (readonly [table: string, column: string, whole: string])[] = [
  ['address_policies', 'application_id', 'applications'],
  ['application_addresses', 'application_id', 'applications'],
  ['case_auditors', 'case_id', 'cases'],
  ['case_views', 'case_id', 'cases'],
  ['followed_addresses', 'asset_id', 'assets'],
  ['indexed_mints', 'asset_id', 'assets'],
  ['mint_auditor_keys', 'asset_id', 'assets'],
  ['report_downloads', 'report_id', 'reports'],
  ['transactions', 'asset_id', 'assets'],
];
