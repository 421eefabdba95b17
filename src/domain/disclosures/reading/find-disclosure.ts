import type { Foundation } from '../../../platform/database/index.js';
import { parseOptionalOneOf } from '../../../platform/kernel/enums/enums.js';
import { invalidMember, parseMembers } from '../../../platform/kernel/errors.js';
import { isId } from '../../../platform/kernel/ids.js';
import {
  connectionOf,
  counted,
  type CountedConnection,
} from '../../../platform/kernel/paging/connection.type.js';
import { cursorsFor, pageOf, type PageInput, parseLimit } from '../../../platform/kernel/paging/paging.js';
import { findAssetOf } from '../../assets/index.js';
import type { Principal } from '../../access/index.js';
import { disclosureAccess, findVisibleDisclosure, type VisibleDisclosure } from '../disclosure-access.js';
import { DISCLOSURE_STATUSES } from '../disclosure-state.js';
import { countDisclosures, selectDisclosures } from '../disclosure.js';

export async function findDisclosure(
  foundation: Foundation,
  principal: Principal | undefined,
  disclosureId: string,
): Promise<VisibleDisclosure> {
  return findVisibleDisclosure(foundation, disclosureAccess(principal), disclosureId);
}

export interface ListDisclosuresInput extends PageInput {
  readonly status?: string | null | undefined;
  readonly assetId?: string | null | undefined;
  readonly oldestFirst?: boolean | null | undefined;
}

/** A page of the disclosures that the caller may see, newest first. */
export async function listDisclosures(
  foundation: Foundation,
  principal: Principal | undefined,
  input: ListDisclosuresInput,
): Promise<CountedConnection<VisibleDisclosure>> {
  const { organizationId, applicationIds, results } = disclosureAccess(principal);
  const { limit, status } = parseMembers({
    limit: () => parseLimit('first', input.first),
    status: () => parseOptionalOneOf('status', DISCLOSURE_STATUSES, input.status),
  });
  const assetId =
    input.assetId == null
      ? undefined
      : (await findAssetOf(foundation.database, organizationId, input.assetId)).id;
  const oldestFirst = input.oldestFirst ?? false;
  const cursors = cursorsFor('disclosures', {
    status: status ?? null,
    assetId: assetId ?? null,
    ...(oldestFirst ? { oldestFirst } : {}),
  });
  const afterId = input.after == null ? undefined : cursors.decode('string', 'after', input.after);
  if (afterId !== undefined && !isId('dsc', afterId))
    throw invalidMember('after', 'is not a cursor of this listing');

  const selection = { organizationId, applicationIds, status, assetId, oldestFirst };
  const rows = await selectDisclosures(foundation.database, { ...selection, afterId, limit: limit + 1 });
  const { rows: page, hasNextPage } = pageOf(rows, limit);
  const visible = page.map((disclosure) => ({ ...disclosure, resultVisible: results }));
  return counted(
    connectionOf({ rows: visible, hasNextPage }, ({ id }) => cursors.encode(id)),
    () => countDisclosures(foundation.database, selection),
  );
}
