import { type AssetSummary, assetSummaryColumns } from '../../assets/index.js';
import { type Foundation, query } from '../../../platform/database/index.js';
import { type Connection, connectionOf } from '../../../platform/kernel/paging/connection.type.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { cursorsFor, type PageInput, pageOf, parsePage } from '../../../platform/kernel/paging/paging.js';
import type { Principal } from '../../access/index.js';
import { requireCasePlanner } from '../case-access.js';

/** The assets of an application, which its cases may cover, sorted by id. */
export async function listCaseAssets(
  { database }: Foundation,
  principal: Principal | undefined,
  input: PageInput & { readonly foreignId: string },
): Promise<Connection<AssetSummary>> {
  const { user, applicationId } = requireCasePlanner(principal, input.foreignId);
  const {
    cursors,
    limit,
    after = '',
  } = parsePage(input, 'string', () => cursorsFor('caseAssets', applicationId));
  const rows = await database.rows(
    query
      .selectFrom('assets')
      .select(assetSummaryColumns())
      .where('organization_id', '=', user.organizationId)
      .where('application_id', '=', applicationId)
      .where('id', '>', after as Id<'ast'>)
      .orderBy('id')
      .limit(limit + 1),
  );
  return connectionOf(pageOf(rows, limit), ({ id }) => cursors.encode(id));
}
