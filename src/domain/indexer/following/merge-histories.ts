import type { Address, Signature } from '../../../platform/ledger/index.js';
import type { HistoryEntry } from './address-history.js';

/** A transaction to index, and its addresses. */
export interface MergedEntry {
  readonly signature: Signature;
  readonly slot: number;
  readonly failed: boolean;
  readonly mentions: readonly { readonly address: Address; readonly fresh: boolean }[];
}

interface Source {
  readonly address: Address;
  readonly entries: AsyncGenerator<HistoryEntry, void>;
  head: HistoryEntry | undefined;
}

/**
 * Merges the histories of several addresses, each oldest first: by slot, and within a slot in the order in which the
 * histories were added. Histories may be added while it is read.
 */
export class MergedHistory {
  #sources: Source[] = [];
  #returned: MergedEntry[] = [];

  get size(): number {
    return this.#sources.length;
  }

  async add(address: Address, entries: AsyncGenerator<HistoryEntry, void>): Promise<void> {
    const source: Source = { address, entries, head: undefined };
    await advance(source);
    if (source.head !== undefined) this.#sources.push(source);
  }

  /** Up to `limit` transactions. An empty result is the end, unless a history is added. */
  async take(limit: number): Promise<readonly MergedEntry[]> {
    const taken = new Map<Signature, MergedEntry>();
    while (taken.size < limit) {
      const source = this.#oldest();
      const [returned] = this.#returned;
      if (returned !== undefined && returned.slot <= (source?.head?.slot ?? Infinity)) {
        this.#returned.shift();
        place(taken, returned, returned.mentions);
        continue;
      }
      if (source?.head === undefined) break;
      place(taken, source.head, [{ address: source.address, fresh: source.head.fresh }]);
      await advance(source);
    }
    this.#sources = this.#sources.filter((source) => source.head !== undefined);
    return [...taken.values()];
  }

  /** Puts the last item back, so that a history added since then can come first. */
  giveBack(entries: readonly MergedEntry[]): void {
    this.#returned = [...entries, ...this.#returned];
  }

  #oldest(): Source | undefined {
    let oldest: Source | undefined;
    for (const source of this.#sources) {
      if (source.head && (oldest?.head === undefined || source.head.slot < oldest.head.slot)) oldest = source;
    }
    return oldest;
  }
}

function place(
  taken: Map<Signature, MergedEntry>,
  { signature, slot, failed }: Pick<HistoryEntry, 'signature' | 'slot' | 'failed'>,
  mentions: MergedEntry['mentions'],
): void {
  const entry = taken.get(signature) ?? { signature, slot, failed, mentions: [] };
  taken.set(signature, { ...entry, mentions: [...entry.mentions, ...mentions] });
}

async function advance(source: Source): Promise<void> {
  const next = await source.entries.next();
  source.head = next.done === true ? undefined : next.value;
}
