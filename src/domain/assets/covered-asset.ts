import { query, sql, type Reader } from '../../platform/database/index.js';
import { conflict } from '../../platform/kernel/errors.js';
import type { Asset } from './asset.js';

const COVERING = ['an active case', 'a pending case request', 'a pending disclosure'] as const;

/**
 * Cases, case requests and disclosures name an asset. People approve them for what its mint is, so another mint must not take its
 * place. A request locks the assets that it names: lock the asset first, and none is added before the transaction ends. One
 * statement, because a request can become a case at any time.
 *
 * @throws `CONFLICT` while an active case, a pending case request or a disclosure that nobody decided covers the asset.
 */
export async function requireUncovered(
  reader: Reader,
  { id, organizationId }: Pick<Asset, 'id' | 'organizationId'>,
  { mint, at }: { readonly mint: 'another mint' | 'the mint of another asset'; readonly at: Date },
): Promise<void> {
  const isNamed = sql<boolean>`asset_ids @> array[${id}]::text[]`;
  const what = (covering: (typeof COVERING)[number]) => sql<string>`${covering}::text`.as('what');
  const rows = await reader.rows(
    query
      .selectFrom('cases')
      .select(what('an active case'))
      .where('organization_id', '=', organizationId)
      .where('expires_at', '>', at)
      .where(isNamed)
      .union(
        query
          .selectFrom('case_requests')
          .select(what('a pending case request'))
          .where('organization_id', '=', organizationId)
          .where('status', '=', 'pending')
          .where(isNamed),
      )
      .union(
        query
          .selectFrom('disclosures')
          .select(what('a pending disclosure'))
          .where('organization_id', '=', organizationId)
          .where('asset_id', '=', id)
          .where('status', '=', 'pending')
          .where('decision', 'is', null),
      ),
  );
  const covering = COVERING.filter((name) => rows.some((row) => row.what === name));
  if (covering.length === 0) return;
  throw conflict(
    `The asset is covered by ${covering.join(' and ')}, which must not show ${mint}. End active cases, close or withdraw ` +
      'pending case requests and decide pending disclosures, or register another asset for the mint.',
  );
}
