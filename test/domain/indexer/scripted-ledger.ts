import { createHash } from 'node:crypto';
import { base58 } from '../../../src/platform/kernel/encoding/bytes.js';
import {
  TOKEN_2022_PROGRAM,
  type Address,
  type HistoryPage,
  type LedgerInstruction,
  type LedgerReader,
  type LedgerSignal,
  type LedgerSignature,
  type LedgerTransaction,
  type MintAccount,
  type Signature,
  type TransactionRead,
} from '../../../src/platform/ledger/index.js';

/** Addresses and signatures that are named after their role in the test. */
export const addressOf = (name: string) =>
  base58.encode(new Uint8Array(createHash('sha256').update(name).digest())) as Address;
export const signatureOf = (name: string) =>
  base58.encode(new Uint8Array(createHash('sha512').update(name).digest())) as Signature;

const instruction = (accounts: readonly Address[], data: readonly number[]): LedgerInstruction => ({
  programId: TOKEN_2022_PROGRAM,
  accounts,
  data: Uint8Array.from(data),
});
const zeros = (count: number) => new Array<number>(count).fill(0);
const AUTHORITY = addressOf('authority');

/** Token-2022 instructions, with the parts that the indexer reads. */
export const instructions = {
  createMint: (mint: Address, auditorKey: Uint8Array) =>
    instruction([mint], [27, 0, ...zeros(33), ...auditorKey]),
  createAccount: (account: Address, mint: Address) => instruction([account, mint], [18, ...zeros(32)]),
  configure: (account: Address, mint: Address) =>
    instruction([account, mint, addressOf('context'), AUTHORITY], [27, 2, ...zeros(45)]),
  deposit: (account: Address, mint: Address) =>
    instruction([account, mint, AUTHORITY], [27, 5, 1, ...zeros(7), 6]),
  transfer: (
    source: Address,
    mint: Address,
    destination: Address,
    ciphertexts: Uint8Array = new Uint8Array(128),
  ) =>
    instruction(
      [source, mint, destination, addressOf('e'), addressOf('v'), addressOf('r'), AUTHORITY],
      [27, 7, ...zeros(36), ...ciphertexts, 0, 0, 0],
    ),
  applyPending: (account: Address) => instruction([account, AUTHORITY], [27, 8, ...zeros(44)]),
  updateMint: (mint: Address, auditorKey: Uint8Array) =>
    instruction([mint, AUTHORITY], [27, 1, 1, ...auditorKey]),
  truncatedDeposit: (account: Address, mint: Address) => instruction([account, mint, AUTHORITY], [27, 5, 1]),
};

interface Subscriber {
  readonly addresses: Set<Address>;
  readonly onSignal: (signal: LedgerSignal) => void;
}

/** A ledger that a test writes transaction by transaction, for cases that a real one cannot produce. */
export class ScriptedLedger implements LedgerReader {
  /** Oldest first. */
  readonly chain: LedgerTransaction[] = [];
  readonly mints = new Map<Address, MintAccount>();
  /** Signatures that are listed, but whose transactions are not returned. */
  readonly withheld = new Set<Signature>();
  readonly subscribers = new Set<Subscriber>();
  readonly asked: { readonly address: Address; readonly page: HistoryPage }[] = [];
  /** Called before each answer. It may throw to fail the answer. */
  onCall: (method: 'finalizedSlot' | 'signaturesFor' | 'transactions' | 'mintAccount') => void = () =>
    undefined;
  #slot = 1;
  #histories = new Map<Address, LedgerSignature[]>();
  #bySignature = new Map<Signature, LedgerTransaction>();

  /** Adds a transaction of these instructions, in a new slot by default, and notifies the subscribers. */
  add(
    contents: readonly LedgerInstruction[],
    { slot = this.#slot + 1, failed = false, name = `transaction ${this.chain.length}` } = {},
  ): LedgerTransaction {
    this.#slot = slot;
    const transaction: LedgerTransaction = {
      signature: signatureOf(name),
      slot,
      blockTime: 1_700_000_000 + slot,
      version: 0,
      failed,
      signer: AUTHORITY,
      accountKeys: [...new Set(contents.flatMap(({ accounts }) => accounts))],
      instructions: contents.map((content) => ({ ...content, inner: [] })),
    };
    this.chain.push(transaction);
    this.#bySignature.set(transaction.signature, transaction);
    const { signature, blockTime, accountKeys } = transaction;
    for (const address of accountKeys) {
      const history = this.#histories.get(address) ?? [];
      this.#histories.set(address, history);
      history.push({ signature, slot, failed, blockTime });
      this.#tell(address, { kind: 'mention', address, signature, slot });
    }
    return transaction;
  }

  /** A mint created with this auditor key, as an account and as the first transaction of its history. */
  addMint(mint: Address, auditorPublicKey: Uint8Array, decimals = 6): void {
    this.setMint(mint, auditorPublicKey, decimals);
    this.add([instructions.createMint(mint, auditorPublicKey)]);
  }

  setMint(mint: Address, auditorPublicKey: Uint8Array, decimals = 6): void {
    this.mints.set(mint, {
      address: mint,
      slot: this.#slot,
      status: 'mint',
      decimals,
      supply: 0n,
      mintAuthority: AUTHORITY,
      confidentialTransfer: { authority: AUTHORITY, autoApproveNewAccounts: true, auditorPublicKey },
      hasConfidentialMintBurn: false,
      transferFee: undefined,
    });
  }

  addAccount(account: Address, mint: Address): void {
    this.add([instructions.createAccount(account, mint), instructions.configure(account, mint)]);
  }

  finalizedSlot(): Promise<number> {
    return this.#answer('finalizedSlot', () => this.#slot);
  }

  mintAccount(address: Address): Promise<MintAccount> {
    return this.#answer('mintAccount', () => {
      return this.mints.get(address) ?? { address, slot: this.#slot, status: 'absent' };
    });
  }

  signaturesFor(address: Address, page: HistoryPage = {}): Promise<readonly LedgerSignature[]> {
    return this.#answer('signaturesFor', () => {
      this.asked.push({ address, page });
      return this.list(address, page);
    });
  }

  /** Newest first. A test can replace it with a lie. */
  list(address: Address, { before, limit = 1000 }: HistoryPage): readonly LedgerSignature[] {
    const history = this.#histories.get(address) ?? [];
    const end = before ? history.findIndex((entry) => entry.signature === before) : history.length;
    return history.slice(Math.max(0, end - limit), Math.max(0, end)).reverse();
  }

  transaction(signature: Signature): Promise<LedgerTransaction | null> {
    return Promise.resolve(this.#bySignature.get(signature) ?? null);
  }

  transactions(signatures: readonly Signature[]): Promise<readonly TransactionRead[]> {
    return this.#answer('transactions', () =>
      signatures.map((signature) => {
        const transaction = this.#bySignature.get(signature);
        return transaction && !this.withheld.has(signature)
          ? { status: 'found', signature, transaction }
          : { status: 'missing', signature };
      }),
    );
  }

  subscribeToMentions(addresses: readonly Address[], onSignal: (signal: LedgerSignal) => void) {
    const subscriber = { addresses: new Set(addresses), onSignal };
    this.subscribers.add(subscriber);
    queueMicrotask(() => onSignal({ kind: 'connected' }));
    const close = () => void this.subscribers.delete(subscriber);
    return {
      add: (added: readonly Address[]) => {
        for (const address of added) subscriber.addresses.add(address);
        queueMicrotask(() => onSignal({ kind: 'connected' }));
      },
      remove: (removed: readonly Address[]) => {
        for (const address of removed) subscriber.addresses.delete(address);
      },
      close,
      [Symbol.asyncDispose]: () => {
        close();
        return Promise.resolve();
      },
    };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #tell(address: Address, signal: LedgerSignal): void {
    for (const { addresses, onSignal } of this.subscribers) if (addresses.has(address)) onSignal(signal);
  }

  async #answer<T>(method: Parameters<ScriptedLedger['onCall']>[0], answer: () => T): Promise<T> {
    await Promise.resolve();
    this.onCall(method);
    return answer();
  }
}
