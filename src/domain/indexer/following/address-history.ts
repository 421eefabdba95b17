import {
  LedgerError,
  type Address,
  type LedgerReader,
  type LedgerSignature,
  type Signature,
} from '../../../platform/ledger/index.js';
import { IndexingProblem } from '../indexing-problem.js';

/** One transaction of an address's history, to be indexed. */
export interface HistoryEntry extends LedgerSignature {
  /** Whether it is newer than the frontier. Older ones are read again, because a node may list a transaction late. */
  readonly fresh: boolean;
}

export interface HistoryRequest {
  readonly address: Address;
  /** The newest indexed transaction of the address. Without it, the whole history is walked. */
  readonly frontier: { readonly signature: Signature; readonly slot: number } | undefined;
  /** The minimum slot that the ledger must have reached. */
  readonly minContextSlot: number;
  /** The part of the overlap that was already read. */
  readonly isKnown: (signature: Signature) => boolean;
}

/** Slots below the frontier that are listed again. */
export const OVERLAP_SLOTS = 32;
const MAX_PAGE_SIZE = 1_000;
/** Enough for the transactions of an address between two looks, and for the overlap. */
const FIRST_PAGE_SIZE = 100;
/** Pages that stay in memory. Only the cursor of other pages is kept, so that a history of any length can be walked. */
const MAX_PAGES_KEPT = 2;

interface Page {
  /** The cursor of the page. Undefined for the newest page. */
  readonly before: Signature | undefined;
  readonly length: number;
  readonly last: Signature;
  entries: readonly LedgerSignature[] | undefined;
}

/**
 * Walks an address's history from its newest transaction back to the frontier, then returns the transactions oldest first.
 * The walk is complete before this resolves.
 *
 * @throws {IndexingProblem} `history_gap`, if the frontier is not where it must be
 * @throws {LedgerError}
 */
export async function readHistory(
  ledger: LedgerReader,
  request: HistoryRequest,
): Promise<AsyncGenerator<HistoryEntry, void>> {
  const { address, frontier, minContextSlot } = request;
  const pages: Page[] = [];
  const cursors = new Set<Signature>();
  let overlap: readonly LedgerSignature[] = [];
  let previous: readonly LedgerSignature[] = [];

  for (;;) {
    const before = previous.at(-1)?.signature;
    const limit = frontier !== undefined && pages.length === 0 ? FIRST_PAGE_SIZE : MAX_PAGE_SIZE;
    const page = await ledger.signaturesFor(address, { limit, minContextSlot, ...(before && { before }) });
    const last = page.at(-1);
    if (last === undefined) {
      if (frontier !== undefined) throw gap(request);
      break;
    }
    checkFollows(page, previous);
    const frontierIndex = frontier ? page.findIndex((entry) => entry.signature === frontier.signature) : -1;
    const fresh = frontierIndex < 0 ? page : page.slice(0, frontierIndex);
    remember(pages, fresh, before);
    if (frontier !== undefined) {
      if (frontierIndex >= 0) {
        const below = page.slice(frontierIndex + 1);
        // The page may end above the end of the overlap.
        const isCut = page.length >= limit && last.slot >= frontier.slot - OVERLAP_SLOTS;
        const more = isCut
          ? await ledger.signaturesFor(address, {
              limit: MAX_PAGE_SIZE,
              minContextSlot,
              before: last.signature,
            })
          : [];
        overlap = overlapOf([...below, ...more], frontier.slot, request.isKnown);
        break;
      }
      // Histories go back in time, so the frontier cannot follow.
      if (last.slot < frontier.slot) throw gap(request);
    }
    // If the `before` of a node loops within one slot, the walk would never end.
    if (cursors.has(last.signature)) throw circle();
    cursors.add(last.signature);
    previous = page;
  }
  return oldestFirst(ledger, request, pages, overlap);
}

function gap({ address, frontier }: HistoryRequest): IndexingProblem {
  return new IndexingProblem('history_gap', {
    address,
    ...(frontier && { frontier: frontier.signature, slot: frontier.slot }),
  });
}

const circle = () => new LedgerError('nonsense', 'The pages of a history overlap.');

function checkFollows(page: readonly LedgerSignature[], previous: readonly LedgerSignature[]): void {
  let slot = previous.at(-1)?.slot ?? Infinity;
  for (const entry of page) {
    if (entry.slot > slot) throw new LedgerError('nonsense', 'A history is not ordered by slot.');
    slot = entry.slot;
  }
  const seen = new Set(previous.map((entry) => entry.signature));
  if (page.some((entry) => seen.has(entry.signature))) throw circle();
}

function remember(pages: Page[], entries: readonly LedgerSignature[], before: Signature | undefined): void {
  const last = entries.at(-1);
  if (last === undefined) return;
  pages.push({ before, length: entries.length, last: last.signature, entries });
  // The newest page grows during the walk and cannot be requested again, so it is kept, too.
  const dropped = pages.at(-1 - MAX_PAGES_KEPT);
  if (dropped?.before !== undefined) dropped.entries = undefined;
}

function overlapOf(
  entries: readonly LedgerSignature[],
  frontierSlot: number,
  isKnown: (signature: Signature) => boolean,
): readonly LedgerSignature[] {
  return entries.filter((entry) => entry.slot >= frontierSlot - OVERLAP_SLOTS && !isKnown(entry.signature));
}

async function* oldestFirst(
  ledger: LedgerReader,
  { address, minContextSlot }: HistoryRequest,
  pages: Page[],
  overlap: readonly LedgerSignature[],
): AsyncGenerator<HistoryEntry, void> {
  for (const entry of overlap.toReversed()) yield { ...entry, fresh: false };
  for (let page = pages.pop(); page !== undefined; page = pages.pop()) {
    const entries = page.entries ?? (await readAgain(ledger, address, page, minContextSlot));
    for (const entry of entries.toReversed()) yield { ...entry, fresh: true };
  }
}

async function readAgain(
  ledger: LedgerReader,
  address: Address,
  { before, length, last }: Page,
  minContextSlot: number,
): Promise<readonly LedgerSignature[]> {
  const entries = await ledger.signaturesFor(address, {
    limit: length,
    minContextSlot,
    ...(before && { before }),
  });
  if (entries.length !== length || entries.at(-1)?.signature !== last) {
    throw new LedgerError('nonsense', 'A page of finalized history changed.');
  }
  return entries;
}
