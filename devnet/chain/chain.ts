import { randomBytes } from 'node:crypto';
import { base58, base64 } from '../../src/platform/kernel/encoding/bytes.js';
import type { Clock } from '../../src/platform/kernel/clock.js';
import { unreachable } from '../../src/platform/kernel/unreachable.js';
import { BLOCKHASH_LIFETIME_BLOCKS, BlockClock } from './block-clock.js';
import { airdropTransaction, FAUCET_ADDRESS, FAUCET_LAMPORTS } from './faucet.js';
import { DamagedLedger, type Journal, type JournalEntry } from './journal.js';
import { SvmRuntime, type LedgerAccount, type Moment, type SimulationOutcome } from './svm-runtime.js';
import { TransactionHistory, type LandedTransaction } from './transaction-history.js';
import type { TransactionError } from './transaction-error.js';
import { isWritable, parseWireTransaction, type WireTransaction } from './wire-transaction.js';

export type Commitment = 'processed' | 'confirmed' | 'finalized';

export interface ChainOptions {
  readonly clock: Clock;
  readonly journal: Journal;
  readonly blockMs: number;
  /** How long a landed transaction is only `confirmed`. */
  readonly finalizationDelayMs: number;
}

/** `refused`: it never landed, and its signature is not remembered. */
export type Submission =
  | { readonly kind: 'landed'; readonly transaction: LandedTransaction }
  | { readonly kind: 'refused'; readonly simulation: SimulationOutcome };

/** A transaction that may still be undone, and what the accounts that it may write were before it. */
interface Unfinalized {
  readonly transaction: LandedTransaction;
  readonly before: ReadonlyMap<string, LedgerAccount | undefined>;
}

const SNAPSHOT_EVERY = 64;

/**
 * The ledger as a state machine: LiteSVM, and what LiteSVM leaves out (slots, blockhashes that age, commitment, an
 * ordered history). Every change is one journal entry; replaying them from the last snapshot restores the state.
 */
export class Chain {
  readonly genesisHash: string;
  readonly history = new TransactionHistory();
  private readonly blocks: BlockClock;
  private readonly runtime: SvmRuntime;
  private readonly listeners = new Set<(transaction: LandedTransaction) => void>();
  /** Oldest first; `forgetFinalized` keeps it true. */
  private readonly unfinalized: Unfinalized[] = [];
  private entries = 0;
  private entriesInSnapshot = 0;
  /**
   * Slots beyond the block height: those without a block, and one for each landed transaction, which closes its slot, so
   * that a finalized slot never changes.
   */
  private extraSlots = 0;
  private heldSlot: number | undefined;

  constructor(private readonly options: ChainOptions) {
    const stored = options.journal.read();
    const genesis = stored[0] ?? this.begin();
    if (genesis.type !== 'genesis') throw new DamagedLedger('The local ledger has no first entry.');
    this.genesisHash = genesis.genesisHash;
    this.blocks = new BlockClock({
      genesisHash: genesis.genesisHash,
      startedAt: genesis.time,
      blockMs: options.blockMs,
      clock: options.clock,
    });
    const slotHash = (slot: number) => this.blocks.blockhash(slot);
    const snapshot = options.journal.readSnapshot();
    const usable = snapshot !== undefined && snapshot.entries <= stored.length ? snapshot : undefined;
    this.runtime =
      usable === undefined ? SvmRuntime.create(slotHash) : SvmRuntime.restore(usable.accounts, slotHash);
    if (usable === undefined) this.runtime.setBalance(FAUCET_ADDRESS, FAUCET_LAMPORTS);
    this.entriesInSnapshot = usable?.entries ?? 0;
    for (const entry of stored) this.replay(entry, this.entries >= this.entriesInSnapshot);
    this.entries = Math.max(this.entries, 1);
  }

  get finalizationDelayMs(): number {
    return this.options.finalizationDelayMs;
  }

  get blockMs(): number {
    return this.options.blockMs;
  }

  now(): number {
    return this.options.clock.now().getTime();
  }

  /** At `finalized`: every transaction that landed in a lower block is finalized. */
  blockHeight(commitment: Commitment): number {
    const height = this.blocks.height();
    return commitment === 'finalized' ? (this.firstUnfinalized()?.blockHeight ?? height) : height;
  }

  slot(commitment: Commitment): number {
    const slot = this.heldSlot ?? this.blocks.height() + this.extraSlots;
    const first = commitment === 'finalized' ? this.firstUnfinalized() : undefined;
    return first === undefined ? slot : first.slot - 1;
  }

  latestBlockhash(commitment: Commitment): {
    readonly blockhash: string;
    readonly lastValidBlockHeight: number;
  } {
    const height = this.blockHeight(commitment);
    return {
      blockhash: this.blocks.blockhash(height),
      lastValidBlockHeight: height + BLOCKHASH_LIFETIME_BLOCKS,
    };
  }

  isBlockhashValid(blockhash: string): boolean {
    return this.blocks.isRecent(blockhash);
  }

  account(address: string, commitment: Commitment): LedgerAccount | undefined {
    if (commitment === 'finalized') {
      this.forgetFinalized();
      const writer = this.unfinalized.find(({ before }) => before.has(address));
      if (writer !== undefined) return writer.before.get(address);
    }
    return this.runtime.account(address);
  }

  minimumBalance(bytes: number): number {
    return this.runtime.minimumBalance(bytes);
  }

  /** Processed and confirmed are one here; only finality can lag. */
  hasReached(commitment: Commitment, transaction: LandedTransaction): boolean {
    return commitment !== 'finalized' || this.isFinalized(transaction);
  }

  simulate(wire: WireTransaction, options: { checkBlockhash: boolean; verifySignatures: boolean }) {
    const refusal = options.checkBlockhash ? this.refusal(wire) : undefined;
    if (refusal !== undefined) return notRun(refusal);
    return this.runtime.simulate(wire, this.nextMoment(), options.verifySignatures);
  }

  /** Runs and records a transaction. With `preflight` one that would fail is refused instead of charged. */
  submit(wire: WireTransaction, preflight: boolean): Submission {
    const blockHeight = this.blocks.height();
    const refusal = this.refusal(wire);
    if (refusal !== undefined) return refused(refusal);
    const moment = this.nextMoment();
    if (preflight) {
      const simulation = this.runtime.simulate(wire, moment, true);
      if (simulation.err !== null) return { kind: 'refused', simulation };
    }
    const before = this.writableAccounts(wire);
    const outcome = this.runtime.execute(wire, moment);
    if (outcome.fee === 0) return refused(outcome.err);
    this.record({ type: 'transaction', ...moment, wire: base64.encode(wire.bytes), outcome });
    const transaction = this.history.append(wire, { ...moment, blockHeight }, outcome);
    this.forgetFinalized();
    this.unfinalized.push({ transaction, before });
    if (this.heldSlot === undefined) this.extraSlots += 1;
    this.snapshotWhenDue();
    for (const listener of this.listeners) listener(transaction);
    return { kind: 'landed', transaction };
  }

  /** A transfer from the faucet, recorded like any other transaction. */
  airdrop(address: string, lamports: number): Submission {
    const { blockhash } = this.latestBlockhash('processed');
    const bytes = airdropTransaction(address, lamports, blockhash, this.history.length);
    return this.submit(parseWireTransaction(bytes), true);
  }

  addProgram(address: string, elf: Uint8Array): void {
    this.runtime.addProgram(address, elf);
    this.record({ type: 'program', address, elf: base64.encode(elf) });
  }

  skipBlocks(count: number): void {
    this.blocks.skip(count);
    this.record({ type: 'blocks', skipped: count });
  }

  skipSlots(count: number): void {
    this.extraSlots += count;
    this.record({ type: 'slots', skipped: count });
  }

  /** Every transaction that lands during `work` shares one slot, as many do on a busy cluster. */
  async inOneSlot<T>(work: () => Promise<T>): Promise<T> {
    this.heldSlot = this.slot('processed') + 1;
    try {
      return await work();
    } finally {
      this.extraSlots += Math.max(0, this.heldSlot - this.blocks.height() - this.extraSlots);
      this.heldSlot = undefined;
    }
  }

  /** Calls `listener` for each transaction that lands from now on; the answer unsubscribes. */
  onTransaction(listener: (transaction: LandedTransaction) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  close(): void {
    if (this.entries > this.entriesInSnapshot) this.writeSnapshot();
    this.options.journal.close();
  }

  /** Why no leader would take it, in Agave's order: age first, so that an old one is not known as processed. */
  private refusal(wire: WireTransaction): TransactionError | undefined {
    if (!this.isBlockhashValid(wire.recentBlockhash)) return 'BlockhashNotFound';
    return this.history.find(wire.signature) === undefined ? undefined : 'AlreadyProcessed';
  }

  /** Read only where they may be asked for: where finality lags. */
  private writableAccounts(wire: WireTransaction): ReadonlyMap<string, LedgerAccount | undefined> {
    if (this.options.finalizationDelayMs === 0) return new Map();
    const loaded = this.runtime.loadedAddresses(wire);
    const keys = [...wire.accountKeys, ...loaded.writable];
    const writable = keys.filter((_, index) => isWritable(wire, index));
    return new Map(writable.map((key) => [key, this.runtime.account(key)]));
  }

  private forgetFinalized(): void {
    while (this.unfinalized[0] !== undefined && this.isFinalized(this.unfinalized[0].transaction)) {
      this.unfinalized.shift();
    }
  }

  private firstUnfinalized(): LandedTransaction | undefined {
    let first: LandedTransaction | undefined;
    for (const transaction of this.history.newestFirst()) {
      if (this.isFinalized(transaction)) break;
      first = transaction;
    }
    return first;
  }

  private isFinalized(transaction: LandedTransaction): boolean {
    return transaction.time + this.options.finalizationDelayMs <= this.now();
  }

  private nextMoment(): Moment {
    return { slot: this.heldSlot ?? this.blocks.height() + this.extraSlots + 1, time: this.now() };
  }

  private begin(): JournalEntry {
    const genesisHash = base58.encode(new Uint8Array(randomBytes(32)));
    const genesis: JournalEntry = { type: 'genesis', genesisHash, time: this.now() };
    this.options.journal.append(genesis);
    return genesis;
  }

  private record(entry: JournalEntry): void {
    this.options.journal.append(entry);
    this.entries += 1;
  }

  private snapshotWhenDue(): void {
    if (this.entries - this.entriesInSnapshot >= SNAPSHOT_EVERY) this.writeSnapshot();
  }

  private writeSnapshot(): void {
    this.options.journal.writeSnapshot({ entries: this.entries, accounts: this.runtime.snapshot() });
    this.entriesInSnapshot = this.entries;
  }

  private replay(entry: JournalEntry, execute: boolean): void {
    switch (entry.type) {
      case 'genesis':
        break;
      case 'transaction': {
        const wire = parseWireTransaction(base64.decode(entry.wire) ?? new Uint8Array());
        if (execute) this.executeAgain(wire, entry);
        const blockHeight = this.blocks.heightAt(entry.time);
        this.history.append(wire, { ...entry, blockHeight }, entry.outcome);
        this.extraSlots = Math.max(this.extraSlots, entry.slot - this.blocks.height());
        break;
      }
      case 'program':
        if (execute) this.runtime.addProgram(entry.address, base64.decode(entry.elf) ?? new Uint8Array());
        break;
      case 'blocks':
        this.blocks.skip(entry.skipped);
        break;
      case 'slots':
        this.extraSlots += entry.skipped;
        break;
      default:
        unreachable(entry);
    }
    this.entries += 1;
  }

  private executeAgain(wire: WireTransaction, entry: JournalEntry & { readonly type: 'transaction' }): void {
    const again = this.runtime.execute(wire, entry);
    if (JSON.stringify(again) !== JSON.stringify(entry.outcome)) {
      throw new DamagedLedger(
        `The local ledger's transaction ${wire.signature} runs differently now. Remove its folder to start an empty ledger.`,
      );
    }
  }
}

function refused(error: TransactionError): Submission {
  return { kind: 'refused', simulation: notRun(error) };
}

function notRun(err: TransactionError): SimulationOutcome {
  return { err, logs: [], innerInstructions: [], computeUnits: 0, returnData: null, accounts: new Map() };
}
