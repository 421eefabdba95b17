import { isElGamalPublicKey } from '../../../platform/crypto/index.js';
import { batchedByIds, columnsOf, type Foundation, query, sql } from '../../../platform/database/index.js';
import { base64 } from '../../../platform/kernel/encoding/bytes.js';
import { invalidMember } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';
import {
  cursorsFor,
  type Page,
  type PageInput,
  pageOf,
  parsePage,
} from '../../../platform/kernel/paging/paging.js';
import { type Principal, requireScope } from '../../access/index.js';
import { MintAuditorKeyEntity } from '../mint.entity.js';

/** Why an organization cannot read the amounts that were encrypted to a mint's key. */
export type UnreadableReason = 'no_auditor' | 'foreign_key' | 'invalid_key';

/** The auditor key of a mint between two changes. */
export interface AuditorKeyRange {
  readonly fromSlot: number;
  /** The position among the records of the slot. */
  readonly position: number;
  readonly toSlot: number | null;
  readonly signature: string;
  readonly auditorElGamalPubkey: string | null;
  readonly epoch: number | null;
  readonly readable: boolean;
  readonly reason: UnreadableReason | null;
}

/** The auditor keys that the asset's mint had, oldest first, and whether the organization can read with each. */
export async function auditorKeyCoverage(
  { database }: Pick<Foundation, 'database'>,
  principal: Principal | undefined,
  assetId: Id<'ast'>,
  page: PageInput,
): Promise<Page<AuditorKeyRange>> {
  const { organizationId } = requireScope(principal, 'assets:read');
  const { limit, ...request } = parsePage(page, 'string', () => cursorsOf(assetId));
  const after = request.after === undefined ? undefined : parsePlace(request.after);
  const changes = await database.rows(
    selectChanges(organizationId, assetId)
      .$if(after !== undefined, (rows) =>
        rows.where(
          sql<boolean>`(from_slot, position) > (${after!.slot}::bigint, ${after!.position}::bigint)`,
        ),
      )
      .orderBy('from_slot')
      .orderBy('position')
      .limit(limit + 1),
  );
  return pageOf(
    changes.map((change, index) => rangeOf(change, changes[index + 1]?.fromSlot ?? null)),
    limit,
  );
}

/** The current range of an asset's mint, as far as it is indexed. `undefined` if no key is indexed. */
export type PresentKeyOf = (
  principal: Principal | undefined,
  assetId: Id<'ast'>,
) => Promise<AuditorKeyRange | undefined>;

/** One statement reads all assets that are requested together. */
export function createPresentKeyOf({ database }: Pick<Foundation, 'database'>): PresentKeyOf {
  const presentChanges = batchedByIds((isWanted) =>
    database.rows(
      query
        .selectFrom('assets')
        .innerJoinLateral(
          (asset) =>
            asset
              .selectFrom('mint_auditor_keys')
              .select(CHANGE)
              .whereRef('asset_id', '=', 'assets.id')
              .orderBy('from_slot', 'desc')
              .orderBy('position', 'desc')
              .limit(1)
              .as('change'),
          (join) => join.onTrue(),
        )
        .select(['organization_id as organizationId', 'id'])
        .select(['change.fromSlot', 'change.position', 'change.signature', 'change.publicKey'])
        .select((asset) =>
          asset
            .selectFrom('auditor_keys')
            .select('epoch')
            .whereRef('auditor_keys.organization_id', '=', 'assets.organization_id')
            .whereRef('auditor_keys.public_key', '=', 'change.publicKey')
            .as('epoch'),
        )
        .where(isWanted),
    ),
  );
  return async (principal, assetId) => {
    const { organizationId } = requireScope(principal, 'assets:read');
    const [change] = await presentChanges({ organizationId, ids: [assetId] });
    return change && rangeOf(change, null);
  };
}

const CHANGE = columnsOf(MintAuditorKeyEntity, ['fromSlot', 'position', 'signature', 'publicKey']);

const selectChanges = (organizationId: Id<'org'>, assetId: Id<'ast'>) =>
  query
    .selectFrom('mint_auditor_keys')
    .innerJoin('assets', 'assets.id', 'mint_auditor_keys.asset_id')
    .select(CHANGE)
    .select((change) =>
      change
        .selectFrom('auditor_keys')
        .select('epoch')
        .where('auditor_keys.organization_id', '=', organizationId)
        .whereRef('auditor_keys.public_key', '=', 'mint_auditor_keys.public_key')
        .as('epoch'),
    )
    .where('assets.organization_id', '=', organizationId)
    .where('asset_id', '=', assetId);

type Change = Pick<AuditorKeyRange, 'fromSlot' | 'position' | 'signature' | 'epoch'> & {
  readonly publicKey: Uint8Array | null;
};

const rangeOf = (
  { fromSlot, position, signature, publicKey, epoch }: Change,
  toSlot: number | null,
): AuditorKeyRange => ({
  ...{ fromSlot, position, signature },
  toSlot,
  auditorElGamalPubkey: publicKey && base64.encode(publicKey),
  epoch,
  readable: epoch !== null,
  reason: epoch === null ? reasonOf(publicKey) : null,
});

function reasonOf(publicKey: Uint8Array | null): UnreadableReason {
  if (publicKey === null) return 'no_auditor';
  return isElGamalPublicKey(publicKey) ? 'foreign_key' : 'invalid_key';
}

const cursorsOf = (assetId: Id<'ast'>) => cursorsFor('auditorKeyCoverage', { assetId });

export const coverageCursor = (assetId: Id<'ast'>, { fromSlot, position }: AuditorKeyRange) =>
  cursorsOf(assetId).encode(`${fromSlot}/${position}`);

function parsePlace(key: string): { readonly slot: number; readonly position: number } {
  const place = /^(\d{1,15})\/(\d{1,15})$/.exec(key);
  if (!place) throw invalidMember('after', 'is not a cursor of this listing');
  return { slot: Number(place[1]), position: Number(place[2]) };
}
