import { OF_PAYERS, type Fault } from './fault-kinds.ts';
import { FAIR_WEATHER, type Ledger, type Weather } from './ledger.ts';
import { lie } from './lies.ts';
import type { ProviderNetwork } from './network.ts';
import { RESERVE_LAMPORTS, type Payer } from './payers.ts';
import type { Plan } from './plan.ts';
import { PLOTS, type Plot, type Scene } from './plots.ts';
import type { SignalExchange } from './processes.ts';
import type { Provider } from './provider.ts';
import type { SeededRandom } from './random.ts';
import type { Machine, Scheduler } from './scheduler.ts';

export interface FaultyParts {
  readonly plan: Plan;
  readonly scheduler: Scheduler;
  readonly random: SeededRandom;
  readonly ledger: Ledger;
  readonly network: ProviderNetwork;
  readonly exchange: SignalExchange;
  readonly providers: readonly Provider[];
  readonly payers: readonly Payer[];
  /** Running processes, by their position. */
  readonly machines: () => readonly (Machine | undefined)[];
  /** Ends the process at this position. It starts again after some time. */
  readonly crash: (index: number, forMs: number) => void;
  /** Retires a payer, and restarts the processes one by one. */
  readonly retire: () => void;
  readonly tell: (what: string) => void;
}

/** The faults of a world, until it is calm. Each kind of fault starts and ends independently. */
export class Faults {
  /** Names of the gateways that cannot reach the database. */
  readonly cutFromDatabase = new Set<string>();
  databaseDelayMs = 1;
  databaseSetBackMs = 0;
  breakChance = 0;
  count = 0;
  #isCalm = false;
  /** When the last fault ends that affects more than payers. */
  #troubledUntil = -Infinity;
  readonly #parts: FaultyParts;
  readonly #ambushes: SeededRandom;

  constructor(parts: FaultyParts) {
    this.#parts = parts;
    this.#ambushes = parts.random.fork('ambushes');
  }

  begin(): void {
    const { plan, scheduler, random } = this.#parts;
    for (const [kind, meanMs] of Object.entries(plan.faults) as [Fault, number][]) {
      const drawn = random.fork(kind);
      const strike = () => {
        if (this.#isCalm) return;
        this.count += 1;
        this.#strike(kind, drawn);
        scheduler.after(drawn.until(meanMs), strike);
      };
      scheduler.after(drawn.until(meanMs), strike);
    }
  }

  /** Called before and after a process signs a transaction. */
  ambush(moment: keyof Plot, { name }: Machine): void {
    const { plan } = this.#parts;
    const plot: Plot = PLOTS[plan.plot];
    if (this.#isCalm || !this.#ambushes.chance(plan.ambushChance)) return;
    for (const scene of plot[moment] ?? []) {
      this.count += 1;
      this.#strike(scene.fault, this.#ambushes, { ...scene, instance: name.split('/')[0]! });
    }
  }

  /** Records that something other than a kind of fault disturbs the world until this time. */
  disturb(until: number): void {
    this.#troubledUntil = Math.max(this.#troubledUntil, until);
  }

  /** Whether nothing but payers has failed since this time. */
  wasFairSince(time: number): boolean {
    return this.#troubledUntil < time && !this.#parts.providers.some(({ isTroubled }) => isTroubled);
  }

  /** Ends the faults, except those that a minority of providers may have permanently. */
  end(): void {
    const { scheduler, ledger, network, exchange, providers, payers } = this.#parts;
    this.#isCalm = true;
    if (this.#troubledUntil > scheduler.now) this.#troubledUntil = scheduler.now;
    for (const payer of payers) {
      payer.findStore(scheduler.now);
      this.#refill(payer);
    }
    ledger.weather = FAIR_WEATHER;
    ledger.isHalted = false;
    network.cut.clear();
    network.lossChance = 0;
    exchange.lossChance = 0;
    this.cutFromDatabase.clear();
    this.databaseDelayMs = 1;
    this.databaseSetBackMs = 0;
    this.breakChance = 0;
    let troubled = 0;
    for (const provider of providers) {
      if (provider.isTroubled && 2 * (troubled + 1) < providers.length) troubled += 1;
      else provider.recover();
    }
  }

  /** All faults of a plot hit the same payer, so that the other payer stays available. */
  #payerFor({ instance }: { readonly instance?: string }, random: SeededRandom): Payer {
    const { payers } = this.#parts;
    return instance === undefined ? random.pick(payers) : payers[0]!;
  }

  #impoverish(payer: Payer, lamports: number): void {
    const { ledger, scheduler } = this.#parts;
    ledger.leave(payer.address, lamports);
    payer.becomePoor(scheduler.now);
  }

  #refill(payer: Payer): void {
    const { ledger, scheduler } = this.#parts;
    ledger.leave(payer.address, Infinity);
    payer.becomeRich(scheduler.now);
  }

  #strike(
    kind: Fault,
    random: SeededRandom,
    scene: Partial<Scene> & { readonly instance?: string } = {},
  ): void {
    const { plan, scheduler, ledger, network, exchange, providers, machines, tell } = this.#parts;
    const faulty = providers.filter(({ isFaulty }) => isFaulty);
    const struck = ONLY_FAULTY.has(kind) ? faulty : providers;
    const provider = random.pick(struck.length > 0 ? struck : providers);
    const instance = scene.instance ?? `gateway-${random.whole(0, plan.processes - 1)}`;
    const anyTime = random.chance(0.2) ? random.between(60_000, 400_000) : random.between(500, 60_000);
    const forMs = scene.forMs ? random.between(...scene.forMs) : anyTime;
    const targets = scene.isTotal === true ? struck : struck.length > 0 ? [provider] : [];
    const weather = (change: Partial<Weather>) => {
      ledger.weather = { ...ledger.weather, ...change };
    };
    // In a calm world, the remaining faults stay: a minority of providers may fail permanently.
    const during = (begin: () => void, end: () => void) => {
      begin();
      scheduler.after(forMs, () => {
        if (!this.#isCalm) end();
      });
    };
    const what = new URL(provider.url).host;
    tell(`${kind}: ${what}, ${instance}, for ${Math.round(forMs)} ms`);
    if (!OF_PAYERS.has(kind)) this.disturb(scheduler.now + forMs);
    const index = Number(instance.slice('gateway-'.length));
    switch (kind) {
      case 'crash':
        // The process may continue its current work for a moment.
        scheduler.after(random.between(0, 300), () => {
          if (!this.#isCalm) this.#parts.crash(index, forMs);
        });
        return;
      case 'retiredPayer':
        this.#parts.retire();
        return;
      case 'signerAway': {
        const payer = this.#payerFor(scene, random);
        const isSilent = random.chance(0.5);
        tell(
          `the key of ${payer.address} is unavailable${isSilent ? ', and its store does not answer' : ''}`,
        );
        during(
          () => payer.loseStore(scheduler.now, isSilent),
          () => payer.findStore(scheduler.now),
        );
        return;
      }
      case 'poorPayer': {
        const { payers } = this.#parts;
        const poor = scene.isTotal === true ? payers : [this.#payerFor(scene, random)];
        // Leaves enough for the accepted requests.
        const left = Math.floor(RESERVE_LAMPORTS * random.between(0.8, 1));
        tell(`poor: ${poor.map(({ address }) => address).join(', ')}`);
        during(
          () => poor.forEach((payer) => this.#impoverish(payer, left)),
          () => poor.forEach((payer) => this.#refill(payer)),
        );
        return;
      }
      case 'pause': {
        const running = machines()[index];
        if (running) running.pausedUntil = Math.max(running.pausedUntil, scheduler.now + forMs);
        return;
      }
      case 'cutDatabase':
        during(
          () => this.cutFromDatabase.add(instance),
          () => this.cutFromDatabase.delete(instance),
        );
        return;
      case 'slowDatabase':
        during(
          () => (this.databaseDelayMs = random.between(10, 3_000)),
          () => (this.databaseDelayMs = 1),
        );
        return;
      case 'brokenConnections':
        during(
          () => (this.breakChance = random.between(0.01, 0.2)),
          () => (this.breakChance = 0),
        );
        return;
      case 'databaseClock':
        during(
          () => (this.databaseSetBackMs = random.between(0, 5_000)),
          () => (this.databaseSetBackMs = 0),
        );
        return;
      case 'cutProvider': {
        const link = network.link(instance, provider);
        during(
          () => network.cut.add(link),
          () => network.cut.delete(link),
        );
        return;
      }
      case 'lostMessages':
        during(
          () => (network.lossChance = random.between(0.05, 0.5)),
          () => (network.lossChance = 0),
        );
        return;
      case 'silentProvider':
        during(
          () => (provider.isSilent = true),
          () => (provider.isSilent = false),
        );
        return;
      case 'busyProvider':
        during(
          () => (provider.isRateLimited = true),
          () => (provider.isRateLimited = false),
        );
        return;
      case 'slowProvider':
        during(
          () => (provider.delayMs = random.between(500, 20_000)),
          () => (provider.delayMs = 0),
        );
        return;
      case 'lateProvider':
        during(
          () => (provider.lateSlots = random.whole(5, 400)),
          () => (provider.lateSlots = 0),
        );
        return;
      case 'forgetfulProvider':
        during(
          () => targets.forEach((one) => (one.hasHistory = false)),
          () => targets.forEach((one) => (one.hasHistory = true)),
        );
        return;
      case 'unsearchableHistory': {
        // Providers may share the services that store the history.
        const shared = random.chance(0.5) ? providers : targets;
        during(
          () => shared.forEach((one) => (one.isUnsearchable = true)),
          () => shared.forEach((one) => (one.isUnsearchable = false)),
        );
        return;
      }
      case 'lyingProvider': {
        const chosen = lie(scene.lie ?? random.pick(plan.lies), random.fork(String(this.count)));
        tell(`${what} ${chosen.name}`);
        during(
          () => targets.forEach((one) => (one.lie = chosen)),
          () => targets.forEach((one) => (one.lie = undefined)),
        );
        return;
      }
      case 'lostSignals':
        during(
          () => (exchange.lossChance = 1),
          () => (exchange.lossChance = 0),
        );
        return;
      case 'slowLedger':
        during(
          () => weather({ slotMs: random.between(500, 1_200) }),
          () => weather({ slotMs: FAIR_WEATHER.slotMs }),
        );
        return;
      case 'haltedLedger':
        during(
          () => (ledger.isHalted = true),
          () => (ledger.isHalted = false),
        );
        return;
      case 'lateFinality':
        during(
          () => weather({ finalitySlots: random.whole(40, 300) }),
          () => weather({ finalitySlots: 32 }),
        );
        return;
      case 'forks':
        during(
          () => weather({ forkChance: random.between(0.01, 0.2) }),
          () => weather({ forkChance: 0 }),
        );
        return;
      case 'crowdedLedger':
        during(
          () => weather({ loseChance: random.between(0.3, 1), holdChance: random.between(0, 1) }),
          () => weather({ loseChance: 0.05, holdChance: 0.02 }),
        );
        return;
      case 'lostTransactions':
        during(
          () => weather({ loseChance: 1 }),
          () => weather({ loseChance: FAIR_WEATHER.loseChance }),
        );
        return;
      case 'unluckyLandings':
        during(
          () => weather({ failChance: scene.isTotal === true ? 1 : random.between(0.1, 1) }),
          () => weather({ failChance: 0 }),
        );
        return;
    }
  }
}

/** Faults that only faulty providers have. At most half of the providers are faulty. */
const ONLY_FAULTY: ReadonlySet<Fault> = new Set(['forgetfulProvider', 'lyingProvider']);
