import type { CheckDesk } from '#lucarne/domain/checks/index.js';
import {
  createPayers,
  createRelayDesk,
  createRelayWorker,
  type PoolDescriptor,
  type RelayDesk,
  type RelaySigner,
  sweepRejectedRelays,
} from '#lucarne/domain/relays/index.js';
import type { RelayTiming } from '#lucarne/domain/relays/execution/relay-timing.js';
import { createSealer, type ProofPool } from '#lucarne/platform/crypto/index.js';
import type { Database, Foundation } from '#lucarne/platform/database/index.js';
import { createSweeper } from '#lucarne/platform/jobs/index.js';
import { isLucarneError } from '#lucarne/platform/kernel/errors.js';
import type { Log } from '#lucarne/platform/kernel/log.js';
import { createKeptSigningKeys } from '#lucarne/platform/keys/index.js';
import { createLedgerNodes, type Address, type SignatureHints } from '#lucarne/platform/ledger/index.js';
import type { Signals } from '#lucarne/platform/signals/index.js';
import { Registry } from 'prom-client';
import { enterMachine, EPOCH_MS } from './globals.ts';
import { Violation } from './oracle.ts';
import type { SeededRandom } from './random.ts';
import { Machine, type Scheduler } from './scheduler.ts';

export const PROGRAM_ID = 'HUwk5maVn86j1eheSddwdtkekkxsygiU72Yv29tfdkFp' as Address;
export const POOL = 'simulated-pool';
/** The product's value: `LEDGER_TIMEOUT_MS` of `src/app/platform.ts`. */
const LEDGER_TIMEOUT_MS = 10_000;

/** Shorter than the product's hour, so that a life ends after a sweep, and quiet times can be skipped. */
const SWEEP_MS = 20_000;

const nullifierPda = [{ utf8: 'nullifier' }, { signal: 'each' }] as const;

/** A pool with two circuits: one input and one output, and two and two. */
const POOL_DESCRIPTOR: PoolDescriptor = {
  ...{ poolSelector: POOL, name: 'Simulated pool', programId: PROGRAM_ID },
  instruction: { prefix: Uint8Array.of(1), data: ['proof', 'signals'] },
  accounts: [
    { role: 'relayer' },
    { pda: [...nullifierPda], writable: true, forEach: 'nullifiers' },
    { pda: [{ utf8: 'commitment' }, { signal: 'each' }], writable: true, forEach: 'commitments' },
  ],
  lookupTables: [],
  // Proofs are not verified here, so the key is never used.
  circuits: new Map([1, 2].map((size) => [String(size), circuit(size)])),
  nullifierSeeds: [...nullifierPda],
  ...{ computeUnits: 200_000, maxFeeLamports: 50_000, maxCostLamports: () => 10_000_000 },
  screening: { applications: [], applicationIdHints: false, recipient: false },
};

function circuit(size: number) {
  return { status: 'active', inputs: size, outputs: size, key: {} } as never;
}

const MASTER_KEY = new Uint8Array(32).fill(9);
/** A proof that begins with this byte does not verify. */
export const REFUTED = 0xff;

const NO_CHECKS: CheckDesk = undefined as never;

export interface ProcessOptions {
  readonly scheduler: Scheduler;
  readonly random: SeededRandom;
  readonly database: Database;
  readonly rpcUrls: readonly string[];
  readonly signers: readonly RelaySigner[];
  readonly retiring: readonly Address[];
  readonly timing: Partial<RelayTiming>;
  readonly feedPollMs: number;
  readonly hintChance: number;
  readonly exchange: SignalExchange;
  readonly tell: (what: string) => void;
  readonly failed: (thrown: Error) => void;
}

/** One run of a gateway process: the product's desk and worker, in a world that the seed determines. */
export interface Process {
  readonly machine: Machine;
  readonly desk: RelayDesk;
}

export function startProcess(name: string, skewMs: number, options: ProcessOptions): Process {
  const { scheduler, random, database, rpcUrls, timing, feedPollMs, hintChance } = options;
  const { exchange, tell, failed, signers, retiring } = options;
  const machine = new Machine(name, scheduler, random.fork(name));
  machine.skewMs = skewMs;
  const bytes = (length: number) => machine.random.bytes(length);
  const foundation: Foundation = {
    ...{ database, reads: database, signals: exchange.of(machine) },
    ...{ random: bytes, sealer: createSealer(MASTER_KEY, bytes) },
    signingKeys: createKeptSigningKeys({}),
    clock: { now: () => new Date(EPOCH_MS + scheduler.now + machine.skewMs) },
    log: logOf(machine, tell, failed),
  };
  let desk: RelayDesk | undefined;
  enterMachine(machine, () => {
    const pools = new Map([[POOL, POOL_DESCRIPTOR]]);
    const nodes = createLedgerNodes({ rpcUrls, timeoutMs: LEDGER_TIMEOUT_MS });
    const payers = createPayers({ signers, retiring, nodes, clock: foundation.clock });
    desk = createRelayDesk(foundation, {
      ...{ pools, payers, proofs: PROOFS, pollMs: feedPollMs },
    });
    createRelayWorker({
      ...{ foundation, nodes, pools, payers, checkDesk: NO_CHECKS, timing, instanceId: name },
      hints: anyHints(rpcUrls, hintChance, random.fork(`${name}/hints`)),
    }).start();
    const sweeps = [sweepRejectedRelays(database)];
    const { log } = foundation;
    createSweeper({ sweeps, registry: new Registry(), log, pollMs: SWEEP_MS }).start();
  });
  return { machine, desk: desk! };
}

/** Hints that do not depend on the ledger: each comes at any time, or never. */
function anyHints(providers: readonly string[], chance: number, random: SeededRandom): SignatureHints {
  return {
    watch(_, onHint) {
      for (const provider of providers)
        if (random.chance(chance)) setTimeout(() => onHint(provider), random.between(0, 60_000));
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** Verification takes time. Its result depends on the first byte of the proof. */
const PROOFS: ProofPool = {
  verify: (_, { proof }) =>
    new Promise((resolve) => setTimeout(() => resolve(proof[0] !== REFUTED), 20 + 60 * Math.random())),
  stats: { workers: 0, busy: 0, unfinished: 0, finished: 0, refuted: 0, batches: 0, deaths: 0 },
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

/** Failures that the product logs and expects. Any other failure violates `no_surprise`. */
const isExpected = (thrown: unknown) =>
  (isLucarneError(thrown) && thrown.code === 'UNAVAILABLE') || thrown === undefined;

function logOf({ name }: Machine, tell: (what: string) => void, failed: (thrown: Error) => void): Log {
  const write = (members: object, message: string) => {
    const thrown = (members as { readonly err?: unknown }).err;
    tell(`${name}: ${message}${thrown instanceof Error ? ` ${thrown.message}` : ''}`);
    if (!isExpected(thrown))
      failed(
        new Violation('no_surprise', `${name}: ${message} ${thrown instanceof Error ? thrown.stack : ''}`),
      );
  };
  const log: Log = { debug: () => undefined, info: write, warn: write, error: write, child: () => log };
  return log;
}

/** Wake-ups between processes: late, duplicated or lost. A reader must not depend on them. */
export class SignalExchange {
  lossChance = 0;
  readonly #listeners = new Map<Machine, Map<string, Set<() => void>>>();

  readonly #scheduler: Scheduler;
  readonly #random: SeededRandom;

  constructor(scheduler: Scheduler, random: SeededRandom) {
    this.#scheduler = scheduler;
    this.#random = random;
  }

  of(machine: Machine): Signals {
    const topics = new Map<string, Set<() => void>>();
    this.#listeners.set(machine, topics);
    machine.ends.push(() => this.#listeners.delete(machine));
    return {
      publish: (topic) => {
        for (const listener of [...(topics.get(topic) ?? [])]) listener();
        for (const [other, listening] of this.#listeners) {
          if (other === machine || this.#random.chance(this.lossChance)) continue;
          const times = this.#random.chance(0.05) ? 2 : 1;
          for (let time = 0; time < times; time += 1)
            this.#scheduler.after(
              this.#random.between(1, 50),
              () => [...(listening.get(topic) ?? [])].forEach((listener) => listener()),
              other,
            );
        }
      },
      listen: (topic, listener) => {
        const listeners = topics.get(topic) ?? new Set();
        topics.set(topic, listeners.add(listener));
        return () => void listeners.delete(listener);
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  }
}
