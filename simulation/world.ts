import { hex } from '#lucarne/platform/kernel/encoding/bytes.js';
import { addressBytes } from '#lucarne/platform/ledger/index.js';
import { Faults } from './faults.ts';
import { Ledger } from './ledger.ts';
import { ProviderNetwork } from './network.ts';
import { Oracle, Violation } from './oracle.ts';
import { PROGRAM_ID, SignalExchange, startProcess, type Process, type ProcessOptions } from './processes.ts';
import { Provider } from './provider.ts';
import { SeededRandom } from './random.ts';
import { Scheduler, type Machine } from './scheduler.ts';
import { enterMachine, setWorld } from './globals.ts';
import type { DatabaseServer } from './database-server.ts';
import { foreignTransaction } from './transaction.ts';
import { newPackage, Wallet } from './wallets.ts';
import { Payer } from './payers.ts';
import { rest } from './rest.ts';
import { drawPlan, setupOf, type Plan } from './plan.ts';

/** The result of a simulation. */
export interface Outcome {
  readonly seed: string;
  readonly simulatedMs: number;
  /** How much of it was skipped. */
  readonly leaptMs: number;
  readonly steps: number;
  readonly waits: number;
  readonly statements: number;
  readonly crashes: number;
  readonly faults: number;
  readonly requests: number;
  readonly ends: Readonly<Record<string, number>>;
  /** A digest of the trace lines of all steps. Two runs of the same seed have the same digest. */
  readonly fingerprint: string;
  readonly violation?: {
    readonly invariant: string;
    readonly message: string;
    readonly trace: readonly string[];
  };
}

/** Once faults have ended, every request ends within this time, as docs/relaying.md states. */
const END_BOUND_MS = 15 * 60_000;
/** After this time, every transaction has landed or can never land. */
const SETTLING_MS = 5 * 60_000;
const TRACE_LENGTH = 60;
const HOUR_MS = 3_600_000;
/** Time between two storms. */
const QUIET_HOURS = [48, 500] as const;
/** Average time between two requests in a quiet period. */
const QUIET_REQUEST_HOURS = 48;
/** How long a wallet of a quiet period stays. */
const VISIT_MS = 60_000;
/** After this time, wallets that wait for an answer have it or have given up. */
const REST_MS = 30_000;
const WATCH_MS = 1_000;

export interface SimulationOptions {
  /** Ends a process at this wait of the processes, counted from 1. */
  readonly crashAtWait?: number;
  readonly plan?: Partial<Plan>;
  readonly trace?: (line: string) => void;
}

/** One world, determined by a seed: processes, database, providers and ledger, with storms of faults and quiet periods. */
export async function simulate(
  seed: string,
  server: DatabaseServer,
  options: SimulationOptions = {},
): Promise<Outcome> {
  return new World(seed, server, options).run();
}

class World {
  readonly #random: SeededRandom;
  /** The plan of the current storm. */
  #plan: Plan;
  readonly #scheduler = new Scheduler();
  readonly #ledger: Ledger;
  readonly #oracle: Oracle;
  readonly #providers: Provider[];
  readonly #network: ProviderNetwork;
  readonly #exchange: SignalExchange;
  readonly #processes: (Process | undefined)[] = [];
  readonly #skews: number[] = [];
  readonly #accounts: Payer[];
  #faults: Faults;
  #pastFaults = 0;
  #wallets: Wallet[] = [];
  readonly #trace: string[] = [];
  #isCalm = false;
  #crashes = 0;
  #starts = 0;
  #failure: Error | undefined;
  #fingerprint = 0;
  #events = 0;
  /** The configuration of a process that starts. */
  #payers: Pick<ProcessOptions, 'signers' | 'retiring'>;

  readonly #seed: string;
  readonly #server: DatabaseServer;
  readonly #options: SimulationOptions;

  constructor(seed: string, server: DatabaseServer, options: SimulationOptions) {
    this.#seed = seed;
    this.#server = server;
    this.#options = options;
    this.#random = new SeededRandom(seed);
    this.#plan = { ...drawPlan(this.#random.fork('plan')), ...options.plan };
    this.#accounts = [7, 8].slice(0, this.#plan.payers).map((byte) => new Payer(byte));
    this.#payers = { signers: this.#accounts.map(({ signer }) => signer), retiring: [] };
    this.#ledger = new Ledger(this.#random.fork('ledger'));
    this.#oracle = new Oracle(this.#ledger, {
      now: () => this.#scheduler.now,
      payers: this.#accounts,
      halfMayLie: 2 * this.#plan.faulty >= this.#plan.providers,
      wasFairSince: (time) => this.#faults.wasFairSince(time),
    });
    this.#ledger.finalized = (block) => this.#oracle.finalized(block);
    this.#providers = Array.from(
      { length: this.#plan.providers },
      (_, index) =>
        new Provider({
          ...{ url: `http://provider-${index}.invalid/`, ledger: this.#ledger, programId: PROGRAM_ID },
          ...{ answerMs: this.#plan.answerMs, handed: (transaction) => this.#oracle.handed(transaction) },
        }),
    );
    for (const provider of this.#providers.slice(0, this.#plan.faulty)) provider.isFaulty = true;
    this.#exchange = new SignalExchange(this.#scheduler, this.#random.fork('signals'));
    this.#network = new ProviderNetwork({
      ...{ scheduler: this.#scheduler, random: this.#random.fork('network') },
      ...{ providers: this.#providers, tell: this.#tell },
    });
    this.#faults = this.#newFaults(this.#random.fork('faults'));
  }

  #newFaults(random: SeededRandom): Faults {
    return new Faults({
      ...{ plan: this.#plan, scheduler: this.#scheduler, random, tell: this.#tell },
      ...{ ledger: this.#ledger, network: this.#network, exchange: this.#exchange },
      ...{ providers: this.#providers, payers: this.#accounts },
      machines: () => this.#processes.map((one) => one?.machine),
      crash: (index, forMs) => this.#crash(index, forMs),
      retire: () => this.#retire(),
    });
  }

  async run(): Promise<Outcome> {
    const scheduler = this.#scheduler;
    scheduler.enter = enterMachine;
    scheduler.beforeWait = (machine) => this.#beforeWait(machine);
    setWorld(
      () => scheduler.now - this.#faults.databaseSetBackMs,
      (machine, url, init) => this.#network.reach(machine, url, init),
    );
    const databaseRandom = this.#random.fork('database');
    await this.#server.begin({
      ...{ scheduler, random: databaseRandom },
      delayMs: () => databaseRandom.between(0.1, 2) * this.#faults.databaseDelayMs,
      isCut: ({ name }) => this.#faults.cutFromDatabase.has(name.split('/')[0]!),
      breakChance: () => this.#faults.breakChance,
      committed: (fact, machine) => {
        if (fact.table === 'event')
          this.#tell(`${machine.name}: ${fact.id} is ${fact.status} ${fact.reason ?? ''} (${fact.sequence})`);
        if (fact.table === 'attempt')
          this.#tell(`${machine.name}: ${fact.id} signed ${fact.signature.slice(0, 8)}`);
        this.#ledger.advance(scheduler.now);
        this.#oracle.committed(fact, machine);
        if (fact.table === 'attempt') this.#faults.ambush('signed', machine);
        if (fact.table === 'event' && fact.status === 'queued') this.#faults.ambush('queued', machine);
      },
    });
    const unhandled = (thrown: unknown) => this.#failed(thrown as Error);
    process.on('unhandledRejection', unhandled);
    let violation: Outcome['violation'];
    try {
      await this.#play();
    } catch (thrown) {
      const invariant = thrown instanceof Violation ? thrown.invariant : 'no_surprise';
      const message = thrown instanceof Violation ? thrown.message : String((thrown as Error).stack);
      violation = { invariant, message, trace: [...this.#trace] };
    } finally {
      for (const one of this.#processes) one?.machine.crash();
      this.#network.close();
      process.off('unhandledRejection', unhandled);
    }
    return {
      ...{ seed: this.#seed, simulatedMs: scheduler.now, steps: scheduler.steps, waits: scheduler.waits },
      ...{ leaptMs: scheduler.leaptMs, statements: this.#server.statements, crashes: this.#crashes },
      faults: this.#pastFaults + this.#faults.count,
      ...{ requests: this.#oracle.requests.size, ends: this.#oracle.ends },
      fingerprint: (this.#fingerprint >>> 0).toString(16),
      ...(violation && { violation }),
    };
  }

  async #play(): Promise<void> {
    const scheduler = this.#scheduler;
    const { processes, storms } = this.#plan;
    for (let index = 0; index < processes; index += 1) {
      this.#skews.push(this.#random.between(-1, 1) * this.#plan.skewMs);
      await this.#start(index);
    }
    this.#watch();
    for (let storm = 0; storm < storms; storm += 1) {
      if (storm > 0) await this.#quiet(storm);
      await this.#storm(storm);
    }
    for (const one of this.#processes) one?.machine.crash();
    await this.#until(scheduler.now + SETTLING_MS);
    await this.#judgeRows();
  }

  /** Runs faults, and wallets that are affected by them. Then the faults end, and every request must end. */
  async #storm(storm: number): Promise<void> {
    const scheduler = this.#scheduler;
    if (storm > 0) {
      this.#plan = {
        ...drawPlan(this.#random.fork(`plan/${storm}`)),
        ...setupOf(this.#plan),
        ...this.#options.plan,
      };
      this.#pastFaults += this.#faults.count;
      this.#faults = this.#newFaults(this.#random.fork(`faults/${storm}`));
      this.#isCalm = false;
    }
    const { requests, chaosMs, foreignChance } = this.#plan;
    const random = this.#random.fork(storm > 0 ? `wallets/${storm}` : 'wallets');
    const end = scheduler.now + chaosMs;
    for (let index = 0; index < requests; index += 1) {
      const wallet = this.#wallet(random.fork(String(index)), () => scheduler.now >= end);
      scheduler.after(random.between(0, chaosMs * 0.8), () => wallet.start());
      if (random.chance(foreignChance))
        scheduler.after(random.between(0, chaosMs), () => this.#spendElsewhere(wallet.simulated.nullifier));
    }
    this.#faults.begin();
    await this.#until(end);
    await this.#calm();
    await this.#until(end + END_BOUND_MS, () => scheduler.now > end + REST_MS && this.#isAtRest());
    this.#oracle.requireEnds();
  }

  /** Runs some weeks with few requests and no new faults. */
  async #quiet(storm: number): Promise<void> {
    const scheduler = this.#scheduler;
    const random = this.#random.fork(`quiet/${storm}`);
    const end = scheduler.now + random.between(...QUIET_HOURS) * HOUR_MS;
    this.#tell('a quiet period begins');
    while (scheduler.now < end) {
      const next = scheduler.now + random.until(QUIET_REQUEST_HOURS * HOUR_MS);
      await this.#rest(Math.min(next, end));
      if (next > end) return;
      const known = random.chance(0.3) ? random.pick(this.#wallets) : undefined;
      const leaves = scheduler.now + VISIT_MS;
      const visitor =
        known?.again(() => scheduler.now >= leaves) ??
        this.#wallet(random.fork(String(scheduler.now)), () => scheduler.now >= leaves);
      visitor.start();
      await this.#until(leaves + END_BOUND_MS, () => scheduler.now > leaves + REST_MS && this.#isAtRest());
      this.#oracle.requireEnds();
    }
  }

  #rest(end: number): Promise<void> {
    return rest(
      {
        scheduler: this.#scheduler,
        until: (time) => this.#until(time),
        isAtRest: () => this.#isAtRest(),
        work: async () => [await this.#server.writes(), this.#network.messages, this.#events].join(' '),
      },
      end,
    );
  }

  async #judgeRows(): Promise<void> {
    const rows = await this.#server.inspect<{ id: string; status: string; sequence: number }>(
      'select id, status, sequence from relay_requests',
    );
    this.#oracle.finally(rows);
    const kept = await this.#server.keptTooLong();
    if (kept !== undefined) throw new Violation('forgotten', `${kept} still exists`);
  }

  /** Whether every request has ended. */
  #isAtRest(): boolean {
    return this.#oracle.open.length === 0;
  }

  async #until(end: number, isDone: () => boolean = () => false): Promise<void> {
    await this.#scheduler.runUntil(end, () => this.#failure !== undefined || isDone());
    if (this.#failure) throw this.#failure;
    this.#ledger.advance(this.#scheduler.now);
  }

  /** Advances the chain regularly, so that finalized blocks are checked soon. */
  #watch(): void {
    this.#ledger.advance(this.#scheduler.now);
    this.#scheduler.after(WATCH_MS, () => this.#watch(), undefined, true);
  }

  #wallet(random: SeededRandom, isLeaving: () => boolean): Wallet {
    const index = this.#wallets.length;
    const submitted = newPackage(random, String(index), this.#plan.refutedShare);
    const wallet = new Wallet(submitted, `10.0.${index >> 8}.${index & 255}`, {
      ...{ scheduler: this.#scheduler, random, oracle: this.#oracle, tell: this.#tell, isLeaving },
      processes: () => this.#processes.filter((one) => one?.machine.isAlive) as Process[],
      isImpatient: this.#plan.isImpatient,
      failed: this.#failed,
    });
    this.#wallets.push(wallet);
    return wallet;
  }

  #spendElsewhere(nullifier: string): void {
    this.#ledger.advance(this.#scheduler.now);
    const { hash } = this.#ledger.blockUpTo(this.#ledger.progress(0).confirmed);
    this.#ledger.take(foreignTransaction(this.#random.fork(nullifier), PROGRAM_ID, hash, nullifier));
    this.#tell(`another party spends ${nullifier}`);
  }

  async #start(index: number): Promise<void> {
    const name = `gateway-${index}/${(this.#starts += 1)}`;
    const { timing, feedPollMs, hintChance } = this.#plan;
    const database = await this.#server.connect();
    for (const address of this.#payers.retiring)
      this.#oracle.retired(name, hex.encode(addressBytes(address)));
    this.#processes[index] = startProcess(name, this.#skews[index]!, {
      ...{ scheduler: this.#scheduler, random: this.#random, database, timing, feedPollMs, hintChance },
      ...{ rpcUrls: this.#providers.map(({ url }) => url), exchange: this.#exchange },
      ...{ tell: this.#tell, failed: this.#failed, ...this.#payers },
    });
    this.#tell(`${name} starts`);
  }

  #crash(index: number, forMs: number): void {
    const running = this.#processes[index];
    if (!running) return;
    this.#crashes += 1;
    this.#faults.disturb(this.#scheduler.now + forMs);
    this.#tell(`${running.machine.name} crashes`);
    running.machine.crash();
    this.#processes[index] = undefined;
    this.#scheduler.after(forMs, async () => {
      if (!this.#processes[index]) await this.#start(index);
    });
  }

  /** Retires one payer: each process learns it at its next start. Its key stays or is removed. */
  #retire(): void {
    const [first, ...others] = this.#payers.signers;
    if (!first || others.length === 0 || this.#payers.retiring.length > 0) return;
    const random = this.#random.fork('retirement');
    const isKept = random.chance(0.5);
    this.#payers = { signers: isKept ? this.#payers.signers : others, retiring: [first.address] };
    this.#accounts[0]!.isRetiring = true;
    this.#tell(`${first.address} retires`);
    let inMs = 0;
    for (const index of this.#processes.keys()) {
      inMs += random.between(0, 20_000);
      this.#scheduler.after(inMs, () => {
        if (!this.#isCalm) this.#crash(index, random.between(100, 5_000));
      });
    }
  }

  #beforeWait(machine: Machine): void {
    const index = this.#processes.findIndex((one) => one?.machine === machine);
    const isNamed = this.#options.crashAtWait === this.#scheduler.waits + 1;
    if (index < 0 || this.#isCalm) return;
    if (isNamed || this.#random.chance(this.#plan.crashChance))
      this.#crash(index, this.#random.between(100, 60_000));
  }

  /** Ends the faults, except those of a minority of providers. */
  async #calm(): Promise<void> {
    this.#isCalm = true;
    this.#tell('faults end');
    this.#ledger.advance(this.#scheduler.now);
    this.#faults.end();
    for (const [index, one] of this.#processes.entries()) {
      if (one) this.#scheduler.resume(one.machine);
      else await this.#start(index);
    }
  }

  readonly #failed = (thrown: Error): void => {
    this.#failure ??= thrown;
  };

  readonly #tell = (what: string): void => {
    this.#events += 1;
    const { now, steps } = this.#scheduler;
    const line = `${(now / 1000).toFixed(3)} s, step ${steps}: ${what}`;
    for (let at = 0; at < line.length; at += 1)
      this.#fingerprint = (Math.imul(this.#fingerprint, 31) + line.charCodeAt(at)) | 0;
    this.#trace.push(line);
    if (this.#trace.length > TRACE_LENGTH) this.#trace.shift();
    this.#options.trace?.(line);
  };
}
