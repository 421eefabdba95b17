import {
  Account,
  Clock as ClockSysvar,
  FailedTransactionMetadata,
  LiteSvm,
  type SlotHashInput,
  type TransactionMetadata,
} from 'litesvm/dist/internal.js';
import { base58, base64 } from '../../src/platform/kernel/encoding/bytes.js';
import { transactionError, type TransactionError } from './transaction-error.js';
import type { WireTransaction } from './wire-transaction.js';

export interface LoadedAddresses {
  readonly writable: readonly string[];
  readonly readonly: readonly string[];
}

export interface InnerInstruction {
  readonly programIdIndex: number;
  readonly accounts: readonly number[];
  /** Base58, as in the RPC's answers. */
  readonly data: string;
  readonly stackHeight: number;
}

/** What running a transaction did, in the terms of the RPC's transaction meta; amounts in lamports. */
export interface ExecutionOutcome {
  readonly err: TransactionError;
  readonly fee: number;
  readonly preBalances: readonly number[];
  readonly postBalances: readonly number[];
  readonly logs: readonly string[];
  readonly innerInstructions: readonly {
    readonly index: number;
    readonly instructions: readonly InnerInstruction[];
  }[];
  readonly computeUnits: number;
  readonly returnData: { readonly programId: string; readonly data: string } | null;
  readonly loaded: LoadedAddresses;
}

export interface LedgerAccount {
  readonly lamports: number;
  readonly owner: string;
  readonly data: Uint8Array;
  readonly executable: boolean;
}

export interface SimulationOutcome extends Pick<
  ExecutionOutcome,
  'err' | 'logs' | 'innerInstructions' | 'computeUnits' | 'returnData'
> {
  readonly accounts: ReadonlyMap<string, LedgerAccount>;
}

/** The moment a transaction runs at: its slot and its time in milliseconds. */
export interface Moment {
  readonly slot: number;
  readonly time: number;
}

const SLOTS_PER_EPOCH = 432_000;
const LOOKUP_TABLE_PROGRAM = 'AddressLookupTab1e1111111111111111111111111';
const LOOKUP_TABLE_HEADER_BYTES = 56;

/** LiteSVM with what the ledger decides itself switched off: blockhash ages and duplicates. */
export class SvmRuntime {
  private constructor(
    private readonly svm: LiteSvm,
    private readonly slotHash: (slot: number) => string,
  ) {
    svm.setBlockhashCheck(false);
    svm.setTransactionHistory(0n);
  }

  static create(slotHash: (slot: number) => string): SvmRuntime {
    return new SvmRuntime(new LiteSvm(), slotHash);
  }

  static restore(snapshot: Uint8Array, slotHash: (slot: number) => string): SvmRuntime {
    return new SvmRuntime(LiteSvm.fromBytes(snapshot), slotHash);
  }

  snapshot(): Uint8Array {
    return this.svm.toBytes();
  }

  account(address: string): LedgerAccount | undefined {
    const account = this.svm.getAccount(keyBytes(address));
    // A closed account stays in LiteSVM's store without lamports; on a real ledger it is gone.
    if (account === null || account.lamports() === 0n) return undefined;
    return ledgerAccount(account);
  }

  balance(address: string): number {
    return Number(this.svm.getBalance(keyBytes(address)) ?? 0n);
  }

  minimumBalance(bytes: number): number {
    return Number(this.svm.minimumBalanceForRentExemption(BigInt(bytes)));
  }

  setBalance(address: string, lamports: number): void {
    const system = new Uint8Array(32);
    this.svm.setAccount(
      keyBytes(address),
      new Account(BigInt(lamports), new Uint8Array(), system, false, 0n),
    );
  }

  addProgram(address: string, elf: Uint8Array): void {
    this.svm.addProgram(keyBytes(address), elf);
  }

  /**
   * Runs a transaction and commits its effects. A transaction that was refused before it could be charged has no
   * fee: it did not land.
   */
  execute(wire: WireTransaction, moment: Moment): ExecutionOutcome {
    this.enter(wire, moment);
    const loaded = this.loadedAddresses(wire);
    const keys = [...wire.accountKeys, ...loaded.writable, ...loaded.readonly].map(keyBytes);
    const balances = () => keys.map((key) => Number(this.svm.getBalance(key) ?? 0n));
    const preBalances = balances();
    const result =
      wire.version === 'legacy'
        ? this.svm.sendLegacyTransaction(wire.bytes)
        : this.svm.sendVersionedTransaction(wire.bytes);
    const postBalances = balances();
    return {
      ...executed(result),
      // Lamports are conserved among a transaction's own accounts: what is missing afterwards is the fee.
      fee: sum(preBalances) - sum(postBalances),
      preBalances,
      postBalances,
      loaded,
    };
  }

  simulate(wire: WireTransaction, moment: Moment, verifySignatures: boolean): SimulationOutcome {
    this.enter(wire, moment);
    this.svm.setSigverify(verifySignatures);
    try {
      const result =
        wire.version === 'legacy'
          ? this.svm.simulateLegacyTransaction(wire.bytes)
          : this.svm.simulateVersionedTransaction(wire.bytes);
      if (result instanceof FailedTransactionMetadata) return { ...executed(result), accounts: new Map() };
      const accounts = new Map(
        result.postAccounts().map((post) => [base58.encode(post.address), ledgerAccount(post.account())]),
      );
      return { ...executed(result.meta()), accounts };
    } finally {
      this.svm.setSigverify(true);
    }
  }

  private enter(wire: WireTransaction, { slot, time }: Moment): void {
    const epoch = BigInt(Math.floor(slot / SLOTS_PER_EPOCH));
    const unixTime = BigInt(Math.floor(time / 1000));
    this.svm.setClock(new ClockSysvar(BigInt(slot), 0n, epoch, epoch + 1n, unixTime));
    // Creating a lookup table needs its recent slot among the slot hashes; nothing else local reads them.
    if (wire.accountKeys.includes(LOOKUP_TABLE_PROGRAM)) this.svm.setSlotHashes(this.slotHashes(slot));
  }

  private slotHashes(slot: number): SlotHashInput[] {
    const count = Math.min(slot, 512);
    return Array.from({ length: count }, (_, back) => slot - 1 - back).map((past) => ({
      slot: BigInt(past),
      hash: this.slotHash(past),
    }));
  }

  loadedAddresses(wire: WireTransaction): LoadedAddresses {
    const pick = (indexes: 'writableIndexes' | 'readonlyIndexes') =>
      wire.lookups.flatMap((lookup) => {
        const table = this.account(lookup.accountKey);
        if (table?.owner !== LOOKUP_TABLE_PROGRAM) return [];
        return lookup[indexes].flatMap((index) => {
          const start = LOOKUP_TABLE_HEADER_BYTES + 32 * index;
          const key = table.data.slice(start, start + 32);
          return key.length === 32 ? [base58.encode(key)] : [];
        });
      });
    return { writable: pick('writableIndexes'), readonly: pick('readonlyIndexes') };
  }
}

function executed(result: TransactionMetadata | FailedTransactionMetadata) {
  const failed = result instanceof FailedTransactionMetadata;
  const meta = failed ? result.meta() : result;
  const returned = meta.returnData();
  return {
    err: failed ? transactionError(result.err()) : null,
    logs: meta.logs(),
    computeUnits: Number(meta.computeUnitsConsumed()),
    returnData:
      returned.data().length === 0
        ? null
        : { programId: base58.encode(returned.programId()), data: base64.encode(returned.data()) },
    innerInstructions: meta
      .innerInstructions()
      .map((instructions, index) => ({
        index,
        instructions: instructions.map((inner) => ({
          programIdIndex: inner.instruction().programIdIndex(),
          accounts: [...inner.instruction().accounts()],
          data: base58.encode(inner.instruction().data()),
          stackHeight: inner.stackHeight(),
        })),
      }))
      .filter(({ instructions }) => instructions.length > 0),
  };
}

function ledgerAccount(account: Account): LedgerAccount {
  return {
    lamports: Number(account.lamports()),
    owner: base58.encode(account.owner()),
    data: account.data(),
    executable: account.executable(),
  };
}

function keyBytes(address: string): Uint8Array {
  const bytes = base58.decode(address, 32);
  if (bytes === undefined) throw new TypeError(`${address} is not a base58 32-byte address.`);
  return bytes;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
