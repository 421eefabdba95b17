import type { Database } from '../../platform/database/index.js';
import {
  LedgerError,
  type Address,
  type LedgerReader,
  type LedgerTransaction,
  type Signature,
  type TransactionRead,
} from '../../platform/ledger/index.js';
import { readHistory } from './following/address-history.js';
import { ChunkFindings, type FollowedMint } from './following/chunk-findings.js';
import { newlyFollowed, type FollowedAddress } from './following/followed-addresses.js';
import type { IndexerMetrics } from './indexer-metrics.js';
import { IndexingProblem } from './indexing-problem.js';
import { MergedHistory, type MergedEntry } from './following/merge-histories.js';
import type { MintLease } from './mint-lease.js';
import type { RecentSignatures } from './following/recent-signatures.js';
import { forgetFrontier, writeChunk } from './following/write-chunk.js';

export interface PassOptions {
  readonly ledger: LedgerReader;
  readonly database: Database;
  readonly lease: MintLease;
  readonly metrics: IndexerMetrics;
  readonly mint: FollowedMint;
  /** The followed addresses. The pass keeps them in line with the database. */
  readonly followed: Map<Address, FollowedAddress>;
  readonly recent: RecentSignatures;
  /** The addresses to read, at most {@link MAX_PASS_ADDRESSES}. */
  readonly due: readonly Address[];
  /** The finalized slot when the pass began. */
  readonly finalizedSlot: number;
  readonly chunkSize: number;
  /** Called before the history of a new account is read, so that no transaction is missed. */
  readonly onLearned: (addresses: readonly Address[]) => void;
  /** Called after each commit. */
  readonly onCommitted: (records: number) => void;
  readonly isStopped: () => boolean;
}

export interface PassResult {
  /** The addresses that were read: due ones, and new ones as far as there was room. */
  readonly walked: readonly Address[];
  /** Those whose history has a gap, and the first of these problems. */
  readonly gaps: readonly Address[];
  readonly problem: IndexingProblem | undefined;
  /** The slot of the newest change of the mint's auditor key. */
  readonly keyChangedAt: number | undefined;
  /** Whether the pass stopped there, because the key belongs to another organization. */
  readonly lostKey: boolean;
}

/** Histories that are open at the same time. More wait for the next pass. */
export const MAX_PASS_ADDRESSES = 256;

/**
 * Indexes the new part of the histories of the due addresses, as one history in ledger order; accounts discovered on the
 * way join it where they begin. A frontier moves only with the records below it, in one transaction.
 * @throws {IndexingProblem} if a transaction cannot be fetched or decoded; older ones are indexed
 * @throws {LedgerError}
 */
export async function indexPass(options: PassOptions): Promise<PassResult> {
  return new Pass(options).run();
}

interface ReadChunk {
  readonly entries: readonly MergedEntry[];
  readonly reads: ReadonlyMap<Signature, TransactionRead>;
}

class Pass {
  readonly #options: PassOptions;
  readonly #history = new MergedHistory();
  readonly #givenBack = new Map<Signature, TransactionRead>();
  readonly #walked = new Set<Address>();
  readonly #gaps: Address[] = [];
  #problem: IndexingProblem | undefined;
  #keyChangedAt: number | undefined;
  #lostKey = false;

  constructor(options: PassOptions) {
    this.#options = options;
  }

  async run(): Promise<PassResult> {
    await this.#open(this.#options.due);
    let next = this.#readAhead();
    while (!this.#options.isStopped()) {
      const chunk = await next;
      if (chunk.entries.length === 0) break;
      // The ledger is asked for the next chunk while this one is written.
      next = this.#readAhead();
      const learned = await this.#index(chunk);
      if (this.#lostKey) break;
      if (learned.length === 0) continue;
      // Only one may read the merged history at a time.
      this.#giveBack(await next);
      await this.#open(learned);
      next = this.#readAhead();
    }
    if (!this.#lostKey) this.#checkOrigins();
    return {
      // A pass that stopped has not walked any history to its end.
      walked: this.#lostKey ? [] : [...this.#walked],
      gaps: this.#gaps,
      problem: this.#problem,
      keyChangedAt: this.#keyChangedAt,
      lostKey: this.#lostKey,
    };
  }

  async #open(addresses: readonly Address[]): Promise<void> {
    const room = MAX_PASS_ADDRESSES - this.#history.size;
    const opened = await Promise.allSettled(
      addresses.slice(0, room).map(async (address) => ({ address, entries: await this.#openOne(address) })),
    );
    for (const outcome of opened) {
      if (outcome.status === 'rejected') throw outcome.reason;
      if (outcome.value.entries) await this.#history.add(outcome.value.address, outcome.value.entries);
    }
  }

  async #openOne(address: Address) {
    const { ledger, followed, recent, finalizedSlot } = this.#options;
    this.#walked.add(address);
    await this.#restartIfOlderHistory(address);
    try {
      return await readHistory(ledger, {
        address,
        frontier: followed.get(address)?.frontier,
        minContextSlot: finalizedSlot,
        isKnown: (signature) => recent.has(address, signature),
      });
    } catch (thrown) {
      if (!(thrown instanceof IndexingProblem)) throw thrown;
      // The other histories do not wait for one with a gap.
      this.#reportGap(address, thrown);
      return undefined;
    }
  }

  /** A history that ended before its beginning is requested again from its end on. */
  async #restartIfOlderHistory(address: Address): Promise<void> {
    const { ledger, database, lease, followed, finalizedSlot } = this.#options;
    const known = followed.get(address);
    if (known?.oldestSignature === undefined || known.originSeen) return;
    const older = await ledger.signaturesFor(address, {
      before: known.oldestSignature,
      limit: 1,
      minContextSlot: finalizedSlot,
    });
    if (older.length === 0) return;
    await forgetFrontier(database, lease, address);
    followed.set(address, { ...known, frontier: undefined, oldestSignature: undefined });
  }

  /** A failure surfaces when the chunk is awaited. A pass that ends earlier ignores it. */
  #readAhead(): Promise<ReadChunk> {
    const chunk = this.#readChunk();
    chunk.catch(() => undefined);
    return chunk;
  }

  async #readChunk(): Promise<ReadChunk> {
    const { ledger, chunkSize, metrics } = this.#options;
    const entries = await this.#history.take(chunkSize);
    const reads = new Map(this.#givenBack);
    this.#givenBack.clear();
    const wanted = entries.filter(({ failed, signature }) => !failed && !reads.has(signature));
    if (wanted.length > 0) {
      for (const read of await ledger.transactions(wanted.map(({ signature }) => signature))) {
        reads.set(read.signature, read);
      }
      metrics.transactionsRead(wanted.length);
    }
    return { entries, reads };
  }

  /** Histories that were read ahead are merged, in order, with those that arrive now. */
  #giveBack({ entries, reads }: ReadChunk): void {
    this.#history.giveBack(entries);
    for (const [signature, read] of reads) {
      if (read.status === 'found') this.#givenBack.set(signature, read);
    }
  }

  /** Commits the chunk as far as it could be read, and returns the accounts found in it. */
  async #index({ entries, reads }: ReadChunk): Promise<readonly Address[]> {
    const { followed, recent, mint } = this.#options;
    const findings = new ChunkFindings(mint, followed);
    const indexed: MergedEntry[] = [];
    let obstacle: IndexingProblem | LedgerError | undefined;
    for (const entry of entries) {
      try {
        if (entry.failed) findings.skip(entry);
        else findings.add(entry, transactionOf(entry, reads.get(entry.signature)));
        indexed.push(entry);
        if (findings.lostKey) break;
      } catch (thrown) {
        if (!(thrown instanceof IndexingProblem || thrown instanceof LedgerError)) throw thrown;
        obstacle = thrown;
        break;
      }
    }
    if (indexed.length > 0) await this.#commit(findings);
    for (const { mentions, signature } of indexed) {
      for (const { address } of mentions) recent.add(address, signature);
    }
    const learned = indexed.length > 0 ? this.#learn(findings) : [];
    if (obstacle !== undefined) throw obstacle;
    this.#lostKey = findings.lostKey;
    return learned;
  }

  async #commit(findings: ChunkFindings): Promise<void> {
    const { database, lease, metrics, onCommitted } = this.#options;
    const begun = performance.now();
    const records = await writeChunk(database, lease, findings);
    metrics.writeSeconds((performance.now() - begun) / 1000);
    metrics.recordsIndexed(records);
    this.#keyChangedAt = findings.keyChanges.at(-1)?.slot ?? this.#keyChangedAt;
    this.#follow(findings);
    onCommitted(records);
  }

  #follow({ kinds, frontiers, origins }: ChunkFindings): void {
    const { followed } = this.#options;
    for (const [address, kind] of kinds) {
      followed.set(address, { ...(followed.get(address) ?? newlyFollowed(address)), kind });
    }
    for (const [address, { signature, slot, oldest }] of frontiers) {
      const known = followed.get(address);
      if (!known) continue;
      const oldestSignature = known.oldestSignature ?? oldest;
      followed.set(address, { ...known, frontier: { signature, slot }, oldestSignature });
    }
    for (const address of origins) {
      const known = followed.get(address);
      if (known) followed.set(address, { ...known, originSeen: true });
    }
  }

  #learn({ kinds }: ChunkFindings): readonly Address[] {
    const { followed, onLearned } = this.#options;
    const learned = [...kinds.keys()].filter((address) => followed.get(address)?.frontier === undefined);
    if (learned.length > 0) onLearned(learned);
    return learned;
  }

  /** A history that ends without its beginning was truncated, regardless of the ledger's answer. */
  #checkOrigins(): void {
    if (this.#options.isStopped()) return;
    for (const address of this.#walked) {
      if (this.#options.followed.get(address)?.originSeen === false) {
        this.#reportGap(address, new IndexingProblem('history_gap', { address }));
      }
    }
  }

  #reportGap(address: Address, problem: IndexingProblem): void {
    if (!this.#gaps.includes(address)) this.#gaps.push(address);
    this.#problem ??= problem;
  }
}

function transactionOf(entry: MergedEntry, read: TransactionRead | undefined): LedgerTransaction {
  const { signature, slot } = entry;
  if (read?.status === 'failed') throw read.error;
  if (read?.status !== 'found') throw new IndexingProblem('transaction_unavailable', { signature, slot });
  const { transaction } = read;
  if (transaction.signature !== signature || transaction.slot !== slot || transaction.failed) {
    throw new LedgerError('nonsense', 'A transaction contradicts the history that names it.');
  }
  return transaction;
}
