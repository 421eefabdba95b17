import { FEE_LAMPORTS, RENT_LAMPORTS, type Landing, type Ledger, type Progress } from './ledger.ts';
import { readTransaction, type LedgerTransaction } from './transaction.ts';

/** A JSON-RPC error. */
export class Refusal extends Error {
  readonly code: number;

  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

const NOT_REACHED = -32_016;
const PREFLIGHT_FAILURE = -32_002;
const NO_STORAGE = -32_019;
const UNITS = 60_000;
const TOKEN_PROGRAM = '11111111111111111111111111111111';
/** Number of slots whose statuses a provider without history still knows. */
const RECENT_SLOTS = 150;

export interface ProviderOptions {
  readonly url: string;
  readonly ledger: Ledger;
  readonly programId: string;
  /** The longest time that it takes for an answer, also without a fault. */
  readonly answerMs: number;
  /** Called with each transaction that is sent to the provider. */
  readonly handed: (transaction: LedgerTransaction) => void;
}

export interface Question {
  readonly method: string;
  readonly params: readonly unknown[];
  /** The true answer, for other parameters if given. */
  readonly honest: (params?: readonly unknown[]) => unknown;
}

/** Makes a provider give wrong answers that are consistent with each other. */
export interface Lie {
  readonly name: string;
  answer(provider: Provider, question: Question): unknown;
}

/** A provider: what it reports about the ledger, and how it fails. */
export class Provider {
  /** Number of slots by which it lags. */
  lateSlots = 0;
  /** Accepts questions and never answers. */
  isSilent = false;
  isRateLimited = false;
  /** Cannot search transactions that are older than its memory, and reports that. */
  isUnsearchable = false;
  hasHistory = true;
  /** Whether it can lie or lose its history. At most a minority can. */
  isFaulty = false;
  lie: Lie | undefined;
  /** Additional delay of its answers. */
  delayMs = 0;
  readonly url: string;
  readonly ledger: Ledger;
  readonly programId: string;
  readonly answerMs: number;

  readonly #options: ProviderOptions;

  constructor(options: ProviderOptions) {
    this.#options = options;
    this.url = options.url;
    this.ledger = options.ledger;
    this.programId = options.programId;
    this.answerMs = options.answerMs;
  }

  get isTroubled(): boolean {
    return (
      this.isSilent ||
      this.isRateLimited ||
      this.isUnsearchable ||
      this.lateSlots > 5 ||
      !this.hasHistory ||
      this.lie !== undefined
    );
  }

  recover(): void {
    this.lateSlots = 0;
    this.delayMs = 0;
    this.isSilent = false;
    this.isRateLimited = false;
    this.isUnsearchable = false;
    this.hasHistory = true;
    this.lie = undefined;
  }

  signatureOf(encoded: string): string {
    return readTransaction(encoded).signature;
  }

  progress(): Progress {
    return this.ledger.progress(this.lateSlots);
  }

  answer(method: string, params: readonly unknown[]): unknown {
    const honest = (asked = params) => this.#honest(method, asked);
    return this.lie ? this.lie.answer(this, { method, params, honest }) : honest();
  }

  #honest(method: string, params: readonly unknown[]): unknown {
    const { tip, confirmed, finalized } = this.progress();
    const [first, options = {}] = params as [
      string,
      { readonly commitment?: string; readonly minContextSlot?: number }?,
    ];
    const from = (slot: number) => {
      const { minContextSlot = 0 } = options;
      if (slot < minContextSlot) throw new Refusal(NOT_REACHED, 'Minimum context slot has not been reached');
      return slot;
    };
    const at = (slot: number, value: unknown) => ({ context: { slot: from(slot) }, value });
    switch (method) {
      case 'getEpochInfo': {
        const { slot, height } = this.ledger.blockUpTo(finalized);
        return { absoluteSlot: slot, blockHeight: height };
      }
      case 'getLatestBlockhash': {
        const { minContextSlot = 0 } = params[0] as { readonly minContextSlot?: number };
        if (confirmed < minContextSlot)
          throw new Refusal(NOT_REACHED, 'Minimum context slot has not been reached');
        const { slot, hash, height } = this.ledger.blockUpTo(confirmed);
        return { context: { slot }, value: { blockhash: hash, lastValidBlockHeight: height + RECENT_SLOTS } };
      }
      case 'getMultipleAccounts': {
        const slot = options.commitment === 'finalized' ? finalized : confirmed;
        const owner = (account: string) => {
          const created = this.ledger.creator(account);
          return created && created.slot <= slot ? { owner: this.programId, lamports: RENT_LAMPORTS } : null;
        };
        return at(slot, (params[0] as readonly string[]).map(owner));
      }
      case 'simulateTransaction': {
        const transaction = readTransaction(first);
        const slot = options.commitment === 'processed' ? tip : confirmed;
        const err = this.ledger.objection(transaction, slot);
        const lamports = this.ledger.lamports(transaction.payer, slot);
        const after = err === null ? lamports - transaction.nullifiers.length * RENT_LAMPORTS : lamports;
        return at(slot, {
          err,
          unitsConsumed: UNITS,
          accounts: [{ lamports: after, owner: TOKEN_PROGRAM }],
        });
      }
      case 'sendTransaction': {
        const transaction = readTransaction(first);
        from(confirmed);
        this.#options.handed(transaction);
        const err = this.ledger.objection(transaction, confirmed);
        if (err !== null) throw new Refusal(PREFLIGHT_FAILURE, 'Transaction simulation failed', { err });
        this.ledger.take(transaction);
        return transaction.signature;
      }
      case 'getSignatureStatuses':
        if (this.isUnsearchable) throw new Refusal(NO_STORAGE, 'Failed to query long-term storage');
        return at(
          tip,
          (params[0] as readonly string[]).map((signature) => this.#status(signature, this.progress())),
        );
      case 'getTransaction': {
        const landed = this.#known(first, finalized);
        return landed ? transactionAnswer(landed, this.programId) : null;
      }
      case 'isBlockhashValid':
        return at(finalized, this.ledger.isBlockhashValid(first, finalized));
      case 'getSignaturesForAddress':
        return this.ledger
          .mentions(first, finalized)
          .filter(({ transaction }) => this.#known(transaction.signature, finalized))
          .slice(0, 20)
          .map(({ transaction, slot, failure }) => ({
            ...{ signature: transaction.signature, slot, err: failure, blockTime: null },
            confirmationStatus: 'finalized',
          }));
      case 'getBalance': {
        const slot = options.commitment === 'processed' ? tip : confirmed;
        return at(slot, this.ledger.lamports(first, slot));
      }
      case 'getRecentPrioritizationFees':
        return [{ slot: confirmed, prioritizationFee: 1_000 }];
      default:
        throw new Refusal(-32_601, `The model of a provider has no method ${method}.`);
    }
  }

  #known(signature: string, slot: number): Landing | undefined {
    const landed = this.ledger.landing(signature);
    if (!landed || landed.slot > slot) return undefined;
    return this.hasHistory ? landed : undefined;
  }

  #status(signature: string, { tip, confirmed, finalized }: Progress): unknown {
    const landed = this.ledger.landing(signature);
    if (!landed || landed.slot > tip || (!this.hasHistory && landed.slot < tip - RECENT_SLOTS)) return null;
    const { slot, failure } = landed;
    const confirmationStatus =
      slot <= finalized ? 'finalized' : slot <= confirmed ? 'confirmed' : 'processed';
    return { slot, err: failure, confirmationStatus };
  }
}

/** The answer to `getTransaction`. */
export function transactionAnswer(
  { slot, transaction, failure }: Landing,
  programId: string,
): Record<string, unknown> {
  const { signature, keys, instructions } = transaction;
  const accountKeys = keys.length > 0 ? keys : [programId];
  return {
    ...{ slot, blockTime: null, version: 0 },
    transaction: { signatures: [signature], message: { accountKeys, instructions } },
    meta: {
      ...{ err: failure, fee: FEE_LAMPORTS, innerInstructions: [], loadedAddresses: null },
      preBalances: [2 * FEE_LAMPORTS],
      postBalances: [FEE_LAMPORTS],
    },
  };
}
