import { base58 } from '#lucarne/platform/kernel/encoding/bytes.js';
import type { SeededRandom } from './random.ts';
import type { LedgerTransaction } from './transaction.ts';

/** Agave's `MAX_PROCESSING_AGE`: a transaction lands at most this many blocks after its blockhash. */
const BLOCKHASH_LIFETIME_BLOCKS = 150;
const FIRST_SLOT = 1_000_000;
const FIRST_HEIGHT = 900_000;
const CONFIRMATION_SLOTS = 3;
const MIN_SLOT_MS = 320;
const START_LAMPORTS = 10_000_000_000;
export const RENT_LAMPORTS = 1_000_000;
export const FEE_LAMPORTS = 5_000;
/** The number of newest slots that are made one by one. It exceeds the lag of any provider and the lifetime of a blockhash. */
const REMEMBERED_SLOTS = 600;

/** The state of the cluster. */
export interface Weather {
  /** The mean duration of a slot. */
  readonly slotMs: number;
  /** The chance that a slot has no block. */
  readonly skipChance: number;
  /** Number of slots from a block to its finalization. */
  readonly finalitySlots: number;
  /** The chance, for each slot, of a fork that drops the newest blocks. */
  readonly forkChance: number;
  /** The chance that leaders lose a transaction. */
  readonly loseChance: number;
  /** The chance that leaders hold a transaction back, at most until it has expired. */
  readonly holdChance: number;
  /** The chance that a landed transaction fails for an external reason. */
  readonly failChance: number;
}

export const FAIR_WEATHER: Weather = {
  ...{ slotMs: 400, skipChance: 0.05, finalitySlots: 32, forkChance: 0 },
  ...{ loseChance: 0.05, holdChance: 0.02, failChance: 0 },
};

export interface Block {
  readonly slot: number;
  readonly height: number;
  readonly hash: string;
  readonly landings: Landing[];
}

export interface Landing {
  readonly slot: number;
  readonly transaction: LedgerTransaction;
  readonly failure: Failure | null;
}

export type Failure = string | { readonly [kind: string]: unknown };

/** The progress of a node: the newest slot that it knows, and the newest confirmed and finalized ones. */
export interface Progress {
  readonly tip: number;
  readonly confirmed: number;
  readonly finalized: number;
}

/** The error of the pool's program for a spent nullifier. */
const NULLIFIER_SPENT: Failure = { InstructionError: [2, { Custom: 1 }] };
const NO_RENT: Failure = { InsufficientFundsForRent: { account_index: 1 } };

interface Waiting {
  readonly transaction: LedgerTransaction;
  readonly dueSlot: number;
}

/**
 * A model of the cluster: one chain with forks that end, blockhashes that expire by blocks, and finality. It holds the truth,
 * which providers report or do not report.
 */
export class Ledger {
  weather: Weather = FAIR_WEATHER;
  isHalted = false;
  /** Called for each block that is finalized. */
  finalized: (block: Block) => void = () => undefined;
  readonly #chain: Block[] = [];
  readonly #byHash = new Map<string, Block>();
  readonly #landings = new Map<string, Landing>();
  /** The landing that created each account: a nullifier or an output. */
  readonly #creators = new Map<string, Landing>();
  /** Nullifiers that were spent on any fork. */
  readonly everSpent = new Set<string>();
  /** Blockhashes of any fork. */
  readonly everHashed = new Set<string>();
  /** Lamports that each account spent on other things than relays. */
  readonly #withdrawn = new Map<string, number>();
  readonly #progress: Progress[] = [];
  #waiting: Waiting[] = [];
  #finalizedIndex = 0;
  #nextSlotAt = 0;

  readonly #random: SeededRandom;

  constructor(random: SeededRandom) {
    this.#random = random;
    this.#add({ slot: FIRST_SLOT, height: FIRST_HEIGHT, hash: this.#hash(), landings: [] });
    this.#progress.push({ tip: FIRST_SLOT, confirmed: FIRST_SLOT, finalized: FIRST_SLOT });
  }

  /** Makes the slots up to this time. */
  advance(now: number): void {
    while (this.#nextSlotAt <= now) {
      this.#passOver(now);
      if (this.isHalted) this.#nextSlotAt = now + MIN_SLOT_MS;
      else {
        this.#makeSlot();
        this.#nextSlotAt += Math.max(MIN_SLOT_MS, this.weather.slotMs * this.#random.between(0.85, 1.15));
      }
    }
  }

  /** Hands a transaction to the leaders. Whether it lands is not certain. */
  take(transaction: LedgerTransaction): void {
    const { loseChance, holdChance } = this.weather;
    if (this.#random.chance(loseChance)) return;
    const delay = this.#random.chance(holdChance) ? this.#random.whole(20, 175) : this.#random.whole(1, 5);
    this.#waiting.push({ transaction, dueSlot: this.progress(0).tip + delay });
  }

  /** The progress of a node that lags by this number of slots. */
  progress(lateSlots: number): Progress {
    return this.#progress[Math.max(0, this.#progress.length - 1 - lateSlots)]!;
  }

  /** The newest block at or before a slot. */
  blockUpTo(slot: number): Block {
    let [low, high] = [0, this.#chain.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#chain[middle]!.slot <= slot) low = middle;
      else high = middle - 1;
    }
    return this.#chain[low]!;
  }

  landing(signature: string): Landing | undefined {
    return this.#landings.get(signature);
  }

  creator(account: string): Landing | undefined {
    return this.#creators.get(account);
  }

  /** Why the transaction would fail on the newest block at or before this slot; null if it would succeed. */
  objection(transaction: LedgerTransaction, slot: number): Failure | null {
    const block = this.blockUpTo(slot);
    const made = this.#byHash.get(transaction.blockhash);
    if (!made || made.height > block.height || block.height - made.height > BLOCKHASH_LIFETIME_BLOCKS)
      return 'BlockhashNotFound';
    const landed = this.#landings.get(transaction.signature);
    if (landed && landed.slot <= slot) return 'AlreadyProcessed';
    const isSpent = transaction.nullifiers.some((one) => (this.#creators.get(one)?.slot ?? Infinity) <= slot);
    return isSpent ? NULLIFIER_SPENT : null;
  }

  isBlockhashValid(hash: string, slot: number): boolean {
    const block = this.blockUpTo(slot);
    const made = this.#byHash.get(hash);
    if (!made || made.height > block.height) return false;
    return block.height - made.height <= BLOCKHASH_LIFETIME_BLOCKS;
  }

  get finalizedSlot(): number {
    return this.#chain[this.#finalizedIndex]!.slot;
  }

  isFinalized(signature: string): boolean {
    const landed = this.#landings.get(signature);
    return landed !== undefined && landed.slot <= this.finalizedSlot;
  }

  /** Whether a transaction with this blockhash, which has not landed, can land in a later block. */
  mayLand(signature: string, blockhash: string): boolean {
    if (this.isFinalized(signature)) return false;
    const made = this.#byHash.get(blockhash);
    if (!made) return false;
    return this.#chain[this.#finalizedIndex]!.height < made.height + BLOCKHASH_LIFETIME_BLOCKS;
  }

  /** Every landing in which a program used the account, newest first. */
  mentions(account: string, slot: number): Landing[] {
    return [...this.#landings.values()]
      .filter(({ transaction, slot: landed }) => landed <= slot && transaction.keys.includes(account))
      .sort((one, other) => other.slot - one.slot);
  }

  lamports(payer: string, slot: number): number {
    const paid = this.mentions(payer, slot)
      .filter(({ transaction }) => transaction.payer === payer)
      .map(
        ({ transaction, failure }) =>
          FEE_LAMPORTS + (failure ? 0 : transaction.nullifiers.length * RENT_LAMPORTS),
      );
    const withdrawn = this.#withdrawn.get(payer) ?? 0;
    return START_LAMPORTS - withdrawn - paid.reduce((sum, one) => sum + one, 0);
  }

  /** Reduces the balance of an account to this amount. `Infinity` restores it. */
  leave(payer: string, lamports: number): void {
    this.#withdrawn.delete(payer);
    this.#withdrawn.set(payer, Math.max(0, this.lamports(payer, Infinity) - lamports));
  }

  /** Skips past slots in which nothing landed and which no provider read. Only their number counts. */
  #passOver(now: number): void {
    const { slotMs, skipChance } = this.weather;
    const slots = Math.floor((now - this.#nextSlotAt) / slotMs) - REMEMBERED_SLOTS;
    if (slots <= REMEMBERED_SLOTS || this.isHalted || this.#waiting.length > 0) return;
    const open = this.#chain.slice(this.#finalizedIndex + 1);
    if (open.some(({ landings }) => landings.length > 0)) return;
    const slot = this.progress(0).tip + slots;
    const height = this.#chain.at(-1)!.height + Math.round(slots * (1 - skipChance));
    this.#chain.length = 0;
    this.#byHash.clear();
    this.#finalizedIndex = 0;
    this.#add({ slot, height, hash: this.#hash(), landings: [] });
    this.#progress.splice(0, this.#progress.length, { tip: slot, confirmed: slot, finalized: slot });
    this.#nextSlotAt += slots * slotMs;
  }

  #makeSlot(): void {
    const { skipChance, finalitySlots, forkChance } = this.weather;
    const slot = this.progress(0).tip + 1;
    if (this.#random.chance(forkChance)) this.#fork(this.#random.whole(1, 12));
    if (!this.#random.chance(skipChance)) this.#makeBlock(slot);
    while (
      this.#finalizedIndex + 1 < this.#chain.length &&
      this.#chain[this.#finalizedIndex + 1]!.slot <= slot - finalitySlots
    ) {
      this.#finalizedIndex += 1;
      this.finalized(this.#chain[this.#finalizedIndex]!);
    }
    const finalized = this.finalizedSlot;
    this.#progress.push({
      tip: slot,
      confirmed: Math.max(finalized, this.blockUpTo(slot - CONFIRMATION_SLOTS).slot),
      finalized,
    });
  }

  #makeBlock(slot: number): void {
    const block: Block = {
      ...{ slot, height: this.#chain.at(-1)!.height + 1, hash: this.#hash(), landings: [] },
    };
    const due = this.#waiting.filter(({ dueSlot }) => dueSlot <= slot);
    this.#waiting = this.#waiting.filter(({ dueSlot }) => dueSlot > slot);
    const before = this.#chain.at(-1)!.slot;
    this.#add(block);
    for (const { transaction } of due) {
      const objection = this.objection(transaction, slot);
      if (objection === 'BlockhashNotFound' || objection === 'AlreadyProcessed') continue;
      if (!this.isBlockhashValid(transaction.blockhash, before)) continue;
      const unlucky = !transaction.isForeign && this.#random.chance(this.weather.failChance);
      this.#land(block, { slot, transaction, failure: objection ?? (unlucky ? NO_RENT : null) });
    }
  }

  #land(block: Block, landing: Landing): void {
    const { transaction, failure } = landing;
    block.landings.push(landing);
    this.#landings.set(transaction.signature, landing);
    if (failure !== null) return;
    for (const account of [...transaction.nullifiers, ...transaction.outputs]) {
      if (!this.#creators.has(account)) this.#creators.set(account, landing);
      this.everSpent.add(account);
    }
  }

  /** Drops the newest blocks that are not final. Their transactions may land again. */
  #fork(blocks: number): void {
    for (let dropped = 0; dropped < blocks && this.#chain.length - 1 > this.#finalizedIndex; dropped += 1) {
      const { hash, landings, slot } = this.#chain.pop()!;
      this.#byHash.delete(hash);
      for (const landing of landings) {
        const { signature, nullifiers, outputs } = landing.transaction;
        this.#landings.delete(signature);
        for (const account of [...nullifiers, ...outputs])
          if (this.#creators.get(account) === landing) this.#creators.delete(account);
        if (this.#random.chance(0.5))
          this.#waiting.push({
            transaction: landing.transaction,
            dueSlot: slot + this.#random.whole(10, 40),
          });
      }
    }
  }

  #add(block: Block): void {
    this.#chain.push(block);
    this.#byHash.set(block.hash, block);
    this.everHashed.add(block.hash);
  }

  #hash(): string {
    return base58.encode(this.#random.bytes(32));
  }
}
