import { submitRelay } from '#lucarne/domain/relays/admission/submit-relay.js';
import { retryRelay } from '#lucarne/domain/relays/admission/retry-relay.js';
import { followRelay } from '#lucarne/domain/relays/status/follow-relay.js';
import type { RelayView } from '#lucarne/domain/relays/status/relay-view.js';
import { isLucarneError } from '#lucarne/platform/kernel/errors.js';
import { deriveAddress } from '#lucarne/platform/ledger/index.js';
import { enterMachine } from './globals.ts';
import { Violation, type Oracle } from './oracle.ts';
import { POOL, PROGRAM_ID, REFUTED, type Process } from './processes.ts';
import type { SeededRandom } from './random.ts';
import type { Scheduler } from './scheduler.ts';

export interface WalletOptions {
  readonly scheduler: Scheduler;
  readonly random: SeededRandom;
  readonly oracle: Oracle;
  /** The running processes. */
  readonly processes: () => readonly Process[];
  /** Whether the wallet stops starting new actions. */
  readonly isLeaving: () => boolean;
  /** Whether the wallet repeats its actions more often. */
  readonly isImpatient: boolean;
  readonly tell: (what: string) => void;
  readonly failed: (thrown: Error) => void;
}

/** A package of this world, with the account of its first nullifier. */
export interface SimulatedPackage {
  readonly value: object;
  readonly digest: string;
  readonly nullifier: string;
  readonly isProvable: boolean;
}

const word = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`;

export function newPackage(random: SeededRandom, name: string, refutedShare: number): SimulatedPackage {
  const size = random.chance(0.8) ? 1 : 2;
  const isProvable = random.chance(1 - refutedShare);
  // Below the order of the scalar field, and never used twice.
  const element = () => Uint8Array.from([0, ...random.bytes(31)]);
  const nullifiers = Array.from({ length: size }, element);
  const signals = [element(), new Uint8Array(32), element(), ...nullifiers, ...nullifiers.map(element)];
  const proof = new Uint8Array(256).fill(isProvable ? 1 : REFUTED);
  const seeds = [Buffer.from('nullifier'), nullifiers[0]!];
  return {
    value: {
      ...{ version: 1, poolSelector: POOL, zkConfigNonce: String(size), proofBytes: word(proof) },
      ...{ publicSignals: signals.map(word), applicationIdHints: [] },
    },
    ...{ digest: name, nullifier: deriveAddress(PROGRAM_ID, seeds), isProvable },
  };
}

/** How long a wallet waits for an answer. */
const PATIENCE_MS = 20_000;
const MAX_RETRIES = 3;

/** A user who wants a package relayed: submits it until it is acknowledged, follows it, and retries if allowed. */
export class Wallet {
  #id: string | undefined;
  #retries = 0;
  #earlier: Wallet | undefined;

  readonly simulated: SimulatedPackage;
  readonly #address: string;
  readonly #options: WalletOptions;

  constructor(simulated: SimulatedPackage, address: string, options: WalletOptions) {
    this.simulated = simulated;
    this.#address = address;
    this.#options = options;
  }

  start(): void {
    this.#live().catch(this.#options.failed);
  }

  /**
   * The same wallet with the same package at a later time. It must get its existing request, unless that request has released
   * its nullifiers.
   */
  again(isLeaving: () => boolean): Wallet {
    const again = new Wallet(this.simulated, this.#address, { ...this.#options, isLeaving });
    again.#earlier = this;
    return again;
  }

  async #live(): Promise<void> {
    const { scheduler, random, oracle, isLeaving, isImpatient } = this.#options;
    const { simulated } = this;
    while (this.#id === undefined) {
      const view = await this.#ask(({ desk }) => submitRelay(desk, this.#address, simulated.value));
      if (view) this.#acknowledged(view.relayRequestId);
      else if (isLeaving()) return;
      else await scheduler.pause(random.between(200, 20_000));
    }
    void this.#follow();
    while (!isLeaving()) {
      await scheduler.pause(random.between(1_000, isImpatient ? 15_000 : 60_000));
      if (isLeaving()) return;
      // A wallet may submit again, and must get the same request. A refused package is not kept.
      if (simulated.isProvable && random.chance(0.2)) {
        const view = await this.#ask(({ desk }) => submitRelay(desk, this.#address, simulated.value));
        if (view && !this.#wasReleased()) oracle.answered(simulated.digest, view.relayRequestId);
        if (view)
          Object.assign(oracle.requests.get(view.relayRequestId) ?? {}, { nullifier: simulated.nullifier });
      }
      const status = oracle.requests.get(this.#id)?.status;
      // Sometimes asks twice at the same time, or when it is not allowed.
      if (
        this.#retries >= MAX_RETRIES ||
        !random.chance(status === 'failed' ? 0.5 : isImpatient ? 0.3 : 0.05)
      )
        continue;
      const tries = random.chance(0.3) ? 2 : 1;
      for (let tried = 0; tried < tries; tried += 1) {
        const begun = this.#ask(({ desk }) => retryRelay(desk, this.#address, this.#id!));
        void begun.then((view) => (this.#retries += view ? 1 : 0));
      }
    }
  }

  /** Whether its request can no longer have any effect. Then its nullifiers are free, and the same package is a new request. */
  #wasReleased(): boolean {
    if (this.#id === undefined) return false;
    const { status, reason } = this.#options.oracle.requests.get(this.#id)!;
    return status === 'rejected' || (status === 'failed' && reason === 'transaction_failed');
  }

  #acknowledged(id: string): void {
    const { oracle, tell } = this.#options;
    const { digest, nullifier, isProvable } = this.simulated;
    this.#id = id;
    tell(`wallet ${this.#address}: acknowledged ${id}`);
    if (isProvable && !(this.#earlier && this.#earlier.#wasReleased())) oracle.answered(digest, id);
    Object.assign(oracle.requests.get(id) ?? {}, { nullifier, isProvable });
  }

  /** Asks one of the processes. Returns `undefined` if it refused or did not answer. */
  async #ask<Answer>(ask: (process: Process) => Promise<Answer>): Promise<Answer | undefined> {
    const { scheduler, random, processes, tell, failed } = this.#options;
    const running = processes();
    if (running.length === 0) return undefined;
    const process = random.pick(running);
    return new Promise((resolve) => {
      scheduler.after(PATIENCE_MS, () => resolve(undefined));
      enterMachine(process.machine, () => {
        ask(process).then(
          (answer) => void scheduler.after(random.between(1, 30), () => resolve(answer)),
          (thrown: unknown) => {
            if (!isLucarneError(thrown)) failed(thrown as Error);
            else if (thrown.reason === 'low_balance') this.#refusedAsPoor();
            tell(`wallet ${this.#address}: refused: ${(thrown as Error).message}`);
            scheduler.after(random.between(1, 30), () => resolve(undefined));
          },
        );
      });
    });
  }

  #refusedAsPoor(): void {
    try {
      this.#options.oracle.refusedAsPoor();
    } catch (thrown) {
      this.#options.failed(thrown as Error);
    }
  }

  /** Follows the request. After an interruption, resumes at another process after the last change that it received. */
  async #follow(): Promise<void> {
    const { scheduler, random, processes, isLeaving } = this.#options;
    let last = 0;
    while (!isLeaving()) {
      const running = processes();
      if (running.length > 0)
        last = await this.#followAt(random.pick(running), last, random.between(5_000, 120_000));
      await scheduler.pause(random.between(100, 10_000));
    }
  }

  #followAt({ machine, desk }: Process, after: number, leaveInMs: number): Promise<number> {
    const { scheduler, oracle, failed } = this.#options;
    const id = this.#id!;
    let last = after;
    return new Promise((resolve) => {
      const see = async () => {
        const changes: AsyncGenerator<RelayView, void, undefined> = await followRelay(
          { feed: desk.feed },
          { relayRequestId: id, after: last },
        );
        const leaving = setTimeout(() => void changes.return(), leaveInMs);
        for await (const { sequence } of changes) {
          oracle.seen(id, last, sequence);
          last = sequence;
        }
        clearTimeout(leaving);
      };
      enterMachine(machine, () => {
        see().catch((thrown: unknown) => {
          if (thrown instanceof Violation || !isLucarneError(thrown)) failed(thrown as Error);
        });
      });
      scheduler.after(leaveInMs + PATIENCE_MS, () => resolve(last));
    });
  }
}
