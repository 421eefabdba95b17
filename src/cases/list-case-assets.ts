import { sql, type Foundation } from '../database/index.js';
import { connectionOf, type Connection } from '../kernel/connection.type.js';
import type { Id } from '../kernel/ids.js';
import { cursorsFor, pageOf, parseLimit } from '../kernel/paging.js';
import { requireSomeApplicationPermission, type Principal } from '../organizations/index.js';

/** What must be known of an asset to ask for a case of it, or to read its amounts. */
export interface CaseAsset {
  readonly id: Id<'ast'>;
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
}

/** The assets of an application, which its cases may cover, in the order of their ids. */
export async function listCaseAssets(
  { database }: Foundation,
  principal: Principal | undefined,
  input: {
    readonly application: string;
    readonly first?: number | null | undefined;
    readonly after?: string | null | undefined;
  },
): Promise<Connection<CaseAsset>> {
  const { user, applicationId } = requireSomeApplicationPermission(principal, input.application, [
    ['auditor', 'cases:create'],
    ['administrator', 'cases:approve_creation'],
  ]);
  const limit = parseLimit('first', input.first);
  const cursors = cursorsFor('caseAssets', applicationId);
  const after = input.after == null ? '' : cursors.decode('string', 'after', input.after);
  const rows = await database.rows(sql<CaseAsset>`
    select id, name, symbol, decimals from assets
    where organization_id = ${user.organizationId} and application_id = ${applicationId} and id > ${after}
    order by id limit ${limit + 1}`);
  return connectionOf(pageOf(rows, limit), ({ id }) => cursors.encode(id));
}
