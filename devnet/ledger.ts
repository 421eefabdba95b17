import path from 'node:path';
import { systemClock, type Clock } from '../src/platform/kernel/clock.js';
import { silentLog, type Log } from '../src/platform/kernel/log.js';
import { Chain } from './chain/chain.js';
import { FileJournal, noJournal } from './chain/journal.js';
import { serveRpc } from './rpc/server.js';
import { describeTransactionError } from './chain/transaction-error.js';

export interface LocalLedgerOptions {
  readonly host?: string;
  /** 0 takes any free port. */
  readonly port?: number;
  /** Keeps the ledger in `<dataDirectory>/ledger`; without it the ledger is forgotten when it closes. */
  readonly dataDirectory?: string;
  readonly clock?: Clock;
  readonly log?: Log;
  /** How long a transaction stays `confirmed` before it is `finalized`; 0 finalizes at once. */
  readonly finalizationDelayMs?: number;
  /** The time between two blocks; Solana's is 400. */
  readonly blockMs?: number;
}

/**
 * A Solana ledger in this process: LiteSVM, with the real Token-2022 and ZK ElGamal programs. It serves the
 * JSON-RPC and WebSocket of a node on one port.
 */
export interface LocalLedger extends AsyncDisposable {
  readonly rpcUrl: string;
  readonly wsUrl: string;
  /** Gives lamports to an account, as a transaction that lands before this returns; answers its signature. */
  airdrop(address: string, lamports: number): string;
  /** Lamports; 0 where there is no account. */
  balance(address: string): number;
  hasAccount(address: string): boolean;
  /** Installs a program (ELF) at an address, without a transaction. */
  addProgram(address: string, elf: Uint8Array): void;
  /** Lets blocks pass at once: a blockhash dies after 150. */
  skipBlocks(count: number): void;
  /** Lets slots without a block pass at once: then slots run ahead of block heights, as on a cluster. */
  skipSlots(count: number): void;
  /** What lands during `work` shares one slot. */
  inOneSlot<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export async function startLocalLedger(options: LocalLedgerOptions = {}): Promise<LocalLedger> {
  const host = options.host ?? '127.0.0.1';
  const { dataDirectory } = options;
  const chain = new Chain({
    clock: options.clock ?? systemClock,
    journal: dataDirectory === undefined ? noJournal : new FileJournal(path.join(dataDirectory, 'ledger')),
    blockMs: options.blockMs ?? 400,
    finalizationDelayMs: options.finalizationDelayMs ?? 0,
  });
  const log = options.log ?? silentLog;
  const server = await serveRpc({ chain, host, port: options.port ?? 0, log });
  const authority = `${host.includes(':') ? `[${host}]` : host}:${server.port}`;
  let closing: Promise<void> | undefined;
  const stop = async () => {
    await server[Symbol.asyncDispose]();
    chain.close();
  };
  const close = () => (closing ??= stop());
  return {
    rpcUrl: `http://${authority}`,
    wsUrl: `ws://${authority}`,
    airdrop(address, lamports) {
      const submission = chain.airdrop(address, lamports);
      if (submission.kind === 'landed') return submission.transaction.wire.signature;
      throw new Error(`Airdrop failed: ${describeTransactionError(submission.simulation.err)}`);
    },
    balance: (address) => chain.account(address, 'processed')?.lamports ?? 0,
    hasAccount: (address) => chain.account(address, 'processed') !== undefined,
    addProgram: (address, elf) => chain.addProgram(address, elf),
    skipBlocks: (count) => chain.skipBlocks(count),
    skipSlots: (count) => chain.skipSlots(count),
    inOneSlot: (work) => chain.inOneSlot(work),
    close,
    [Symbol.asyncDispose]: close,
  };
}
