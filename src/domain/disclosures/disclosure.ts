import {
  aliasedColumnsOf,
  idsThatFit,
  query,
  type Reader,
  type RowOf,
  sql,
} from '../../platform/database/index.js';
import type { Id } from '../../platform/kernel/ids.js';
import { DisclosureEntity } from './disclosure.entity.js';
import type { DisclosureStatus } from './disclosure-state.js';

const SHOWN = [
  'id',
  'organizationId',
  'assetId',
  'purpose',
  'scope',
  'format',
  'status',
  'externalReference',
  'policyId',
  'reviewPolicyId',
  'requestedBy',
  'requestedAt',
  'decision',
  'decidedBy',
  'decisionReason',
  'decidedAt',
  'asOfPosition',
  'resolvedAt',
  'receiptId',
  'resultDeletedAt',
  'change',
] as const;

/** A disclosure without its result, which is opened separately. */
export interface Disclosure extends Pick<RowOf<typeof DisclosureEntity>, (typeof SHOWN)[number]> {
  /** The application that the asset is assigned to. */
  readonly applicationId: Id<'app'> | null;
}

export interface DisclosureSelection {
  readonly organizationId: Id<'org'>;
  /** Only disclosures of assets that are assigned to one of these applications. */
  readonly applicationIds?: readonly Id<'app'>[] | undefined;
  readonly id?: Id<'dsc'>;
  readonly status?: DisclosureStatus | undefined;
  readonly assetId?: Id<'ast'> | undefined;
  /** Listings are newest first, unless this is true. */
  readonly oldestFirst?: boolean;
  /** Only disclosures after the one with this id, in the order of the listing. */
  readonly afterId?: Id<'dsc'> | undefined;
  /** Changes after this one, oldest first, for followers. */
  readonly afterChange?: number;
  readonly limit?: number;
}

/** The organization's disclosures, newest first. */
export function selectDisclosures(reader: Reader, selection: DisclosureSelection): Promise<Disclosure[]> {
  const { oldestFirst = false, afterId, afterChange, limit = 1 } = selection;
  return reader.rows(
    selectedDisclosures(selection)
      .select(aliasedColumnsOf('disclosures', DisclosureEntity, SHOWN))
      .select('assets.application_id as applicationId')
      .$if(afterChange === undefined && limit > 1, (rows) =>
        rows.where('disclosures.id', 'in', idsThatFit<Id<'dsc'>>(pageOfIds(selection))),
      )
      .$if(afterId !== undefined, (rows) => rows.where('disclosures.id', oldestFirst ? '>' : '<', afterId!))
      .$if(afterChange !== undefined, (rows) => rows.where('disclosures.change', '>', afterChange!))
      .orderBy(
        afterChange === undefined ? 'disclosures.id' : 'disclosures.change',
        afterChange === undefined && !oldestFirst ? 'desc' : 'asc',
      )
      .limit(limit),
  );
}

/** Limited, because a scope can name as many transactions as fit into a request. The ids take about half of a row. */
const BYTES_PER_ITEM = 64;

/** The page is selected before its rows are read. */
const pageOfIds = ({ oldestFirst = false, afterId, limit = 1, ...selection }: DisclosureSelection) =>
  selectedDisclosures(selection)
    .select([
      'disclosures.id',
      sql<number>`pg_column_size(disclosures.scope) / ${BYTES_PER_ITEM}::integer`.as('items'),
    ])
    .$if(afterId !== undefined, (rows) => rows.where('disclosures.id', oldestFirst ? '>' : '<', afterId!))
    .orderBy('disclosures.id', oldestFirst ? 'asc' : 'desc')
    .limit(limit);

/** The number of disclosures. */
export async function countDisclosures(reader: Reader, selection: DisclosureSelection): Promise<number> {
  const [row] = await reader.rows(
    selectedDisclosures(selection).select(({ fn }) => fn.countAll<number>().as('count')),
  );
  return row?.count ?? 0;
}

const selectedDisclosures = ({ organizationId, id, applicationIds, status, assetId }: DisclosureSelection) =>
  query
    .selectFrom('disclosures')
    .innerJoin('assets', 'assets.id', 'disclosures.asset_id')
    .where('disclosures.organization_id', '=', organizationId)
    .$if(id !== undefined, (rows) => rows.where('disclosures.id', '=', id!))
    .$if(applicationIds !== undefined, (rows) =>
      rows.where((asset) =>
        asset('assets.application_id', '=', asset.fn.any(asset.val([...applicationIds!]))),
      ),
    )
    .$if(status !== undefined, (rows) => rows.where('disclosures.status', '=', status!))
    .$if(assetId !== undefined, (rows) => rows.where('disclosures.asset_id', '=', assetId!));
