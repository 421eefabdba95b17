import { Migration } from '@mikro-orm/migrations';

/**
 * The policy that left a disclosure to a person was derived from times: the policy of the asset, if it existed at the request.
 * Rows of earlier versions keep this derivation. A request that a process of the previous version still stores names none.
 */
export class Migration0063EarlierPoliciesThatLeftToAPerson extends Migration {
  override up(): void {
    this
      .addSql(`update disclosures set review_policy_id = policies.id from assets, disclosure_policies policies
      where disclosures.policy_id is null and assets.id = disclosures.asset_id
        and policies.organization_id = disclosures.organization_id
        and assets.disclosure_policy_id in (policies.id, policies.key)
        and policies.created_at <= disclosures.requested_at`);
  }
}
