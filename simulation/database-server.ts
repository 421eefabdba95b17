import { PGlite } from '@electric-sql/pglite';
import { entities } from '#lucarne/app/storage/entities.js';
import type {
  StatementResult,
  StatementRunner,
} from '#lucarne/platform/database/embedded/embedded-database.js';
import { connectDatabase, type Database, type EmbeddedDatabase } from '#lucarne/platform/database/index.js';
import { typeParsers } from '#lucarne/platform/database/type-parsers.js';
import { parseFact, PUBLISH_FACTS, type Fact } from './facts.ts';
import { currentMachine, enterMachine } from './globals.ts';
import { PreparedStatements } from './prepared-statements.ts';
import type { SeededRandom } from './random.ts';
import type { Machine, Scheduler } from './scheduler.ts';

/** The state of the database in one simulation. */
export interface DatabaseConditions {
  readonly scheduler: Scheduler;
  readonly random: SeededRandom;
  /** The time that a message takes to or from the database. It is long on a slow disk. */
  readonly delayMs: () => number;
  /** Whether the process cannot reach the database. */
  readonly isCut: (machine: Machine) => boolean;
  /** The chance that a connection breaks at a statement. */
  readonly breakChance: () => number;
  /** Called with each committed change, and the process that made it. */
  readonly committed: (fact: Fact, machine: Machine) => void;
}

interface Session {
  readonly machine: Machine;
  isOpen: boolean;
}

/** A transaction is rolled back if its process sends nothing for this long. */
const SILENT_SESSION_MS = 5_000;

const connectionLost = () =>
  Object.assign(new Error('The simulated connection was cut.'), { code: 'ECONNRESET' });

/**
 * The database that all simulated processes share: PostgreSQL's own code (PGlite) with the product's schema. Statements take
 * time and may get lost on the way to the database or back. Transactions run one at a time.
 */
export class DatabaseServer implements EmbeddedDatabase {
  readonly closed = false;
  readonly ready = true;
  readonly waitReady = Promise.resolve();
  statements = 0;
  #conditions: DatabaseConditions | undefined;
  #holder: Session | undefined;
  #waiting: (() => void | Promise<void>)[] = [];
  readonly #facts: Fact[] = [];
  readonly #pglite: PGlite;
  readonly #prepared: PreparedStatements;

  private constructor(pglite: PGlite) {
    this.#pglite = pglite;
    this.#prepared = new PreparedStatements(pglite);
  }

  /** Opens a migrated server, from the image of another one if there is one. */
  static async open(image?: Blob): Promise<DatabaseServer> {
    const pglite = await PGlite.create({ parsers: typeParsers, ...(image && { loadDataDir: image }) });
    const server = new DatabaseServer(pglite);
    if (!image) {
      await (await server.connect()).migrate();
      await pglite.exec(PUBLISH_FACTS);
    }
    await pglite.listen('simulation', (text) => void server.#facts.push(parseFact(text)));
    return server;
  }

  /** The files of the database. A server that is opened from them has no migrations to run. */
  image(): Promise<Blob> {
    return this.#pglite.dumpDataDir('none');
  }

  /** Connects one process as the product does. The connection is lost when the process crashes. */
  connect(): Promise<Database> {
    return connectDatabase({ entities, target: { embedded: this } });
  }

  /** Empties the tables for the next simulation. */
  async begin(conditions: DatabaseConditions): Promise<void> {
    this.#conditions = undefined;
    // A world that stopped at a violation may have left a transaction open.
    await this.#pglite.exec(`
      rollback;
      set session_replication_role = replica;
      truncate relay_requests, relay_nullifiers, relay_organizations, relay_applications, relay_attempts, relay_conclusions,
        relay_events, relay_receipts, relay_spending, rate_windows restart identity cascade;
      set session_replication_role = origin;`);
    await this.#prepared.forget();
    this.#facts.length = 0;
    this.#holder = undefined;
    this.#waiting = [];
    this.statements = 0;
    this.#conditions = conditions;
  }

  /** A value that grows with each transaction that writes something. */
  async writes(): Promise<string> {
    const [row] = await this.inspect<{ next: string }>(
      'select pg_snapshot_xmax(pg_current_snapshot())::text as next',
    );
    return row!.next;
  }

  /** A request that was refused at submission more than a day before the newest such request. */
  async keptTooLong(): Promise<string | undefined> {
    const refused = "from relay_requests where sealed_package is null and status = 'rejected'";
    // The minute allows for a clock that was set back.
    const [kept] = await this.inspect<{ id: string }>(
      `select id ${refused} and updated_at < (select max(updated_at) ${refused}) - interval '1 day 1 minute'`,
    );
    return kept?.id;
  }

  /** Runs a query of the world itself, at once and without faults. */
  async inspect<Row>(text: string): Promise<Row[]> {
    return (await this.#pglite.query<Row>(text)).rows;
  }

  query<Row>(text: string, parameters?: readonly unknown[]): Promise<StatementResult<Row>> {
    const machine = currentMachine();
    const conditions = this.#conditions;
    if (!machine || !conditions) return this.#pglite.query<Row>(text, [...(parameters ?? [])]);
    return new Promise((resolve, reject) => {
      this.#travel(machine, reject, () =>
        this.#enter(async () => {
          const answer = await this.#run<Row>(machine, text, parameters);
          this.#return(machine, reject, () => answer(resolve, reject));
        }),
      );
    });
  }

  transaction<Result>(work: (transaction: StatementRunner) => Promise<Result>): Promise<Result> {
    const machine = currentMachine();
    if (!machine || !this.#conditions) return this.#direct(work);
    const { scheduler } = this.#conditions;
    return new Promise((resolve, reject) => {
      // Behaves like the embedded database: the first statement of the work fails.
      const refuse = (thrown: Error) => {
        enterMachine(
          machine,
          () => void work({ query: () => Promise.reject(thrown) }).catch(() => undefined),
        );
        reject(thrown);
      };
      this.#travel(machine, refuse, () =>
        this.#enter(async () => {
          if (!machine.isAlive) return;
          const session: Session = { machine, isOpen: true };
          this.#holder = session;
          await this.#prepared.query('begin', []);
          machine.ends.push(() => void scheduler.after(5, () => this.#break(session)));
          this.#watch(session);
          const inside = { query: this.#inside.bind(this, session) as StatementRunner['query'] };
          const run = () => {
            work(inside)
              .then((result) => this.#inside(session, 'commit').then(() => result))
              .catch(async (thrown: unknown) => {
                await this.#inside(session, 'rollback').catch(() => undefined);
                throw thrown;
              })
              .then(resolve, reject);
          };
          scheduler.after(this.#conditions!.delayMs(), run, machine);
        }),
      );
    });
  }

  close(): Promise<void> {
    return this.#pglite.close();
  }

  /** Runs a statement inside a transaction. */
  #inside<Row>(
    session: Session,
    text: string,
    parameters?: readonly unknown[],
  ): Promise<StatementResult<Row>> {
    const { machine } = session;
    return new Promise((resolve, reject) => {
      this.#travel(
        machine,
        reject,
        async () => {
          if (!session.isOpen) {
            this.#return(machine, reject, () => reject(connectionLost()));
            return;
          }
          const isEnd = text === 'commit' || text === 'rollback';
          const answer = await this.#run<Row>(machine, text, parameters);
          if (isEnd) this.#leave(session);
          this.#return(machine, reject, () => answer(resolve, reject));
        },
        () => this.#break(session),
      );
    });
  }

  /** Simulates the way to the database. */
  #travel(
    machine: Machine,
    fail: (thrown: Error) => void,
    arrive: () => void | Promise<void>,
    lost: () => void | Promise<void> = () => undefined,
  ): void {
    const { scheduler, random, delayMs, isCut, breakChance } = this.#conditions!;
    scheduler.after(delayMs(), async () => {
      // A statement that was on its way when its process died may still arrive.
      if (!machine.isAlive && random.chance(0.5)) return;
      if (isCut(machine) || random.chance(breakChance())) {
        await lost();
        scheduler.after(delayMs(), () => fail(connectionLost()), machine);
      } else await arrive();
    });
  }

  /** Simulates the way back. If an answer is lost, the process does not know whether its statement took effect. */
  #return(machine: Machine, fail: (thrown: Error) => void, arrive: () => void): void {
    const { scheduler, random, delayMs, isCut, breakChance } = this.#conditions!;
    const isLost = isCut(machine) || random.chance(breakChance());
    scheduler.after(delayMs(), isLost ? () => fail(connectionLost()) : arrive, machine);
  }

  /** Runs one statement of PostgreSQL. Committed changes are reported before the answer arrives. */
  async #run<Row>(machine: Machine, text: string, parameters: readonly unknown[] = []) {
    type Answer = (
      resolve: (result: StatementResult<Row>) => void,
      reject: (thrown: unknown) => void,
    ) => void;
    this.statements += 1;
    let answer: Answer;
    try {
      const result = await this.#prepared.query<Row>(text, parameters);
      answer = (resolve) => resolve(result);
    } catch (thrown) {
      answer = (_, reject) => reject(thrown);
    }
    for (const fact of this.#facts.splice(0)) this.#conditions!.committed(fact, machine);
    return answer;
  }

  /** Waits until no transaction is open. */
  #enter(run: () => void | Promise<void>): void | Promise<void> {
    if (this.#holder === undefined) return run();
    this.#waiting.push(run);
  }

  #leave(session: Session): void {
    session.isOpen = false;
    if (this.#holder !== session) return;
    this.#holder = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    const { scheduler } = this.#conditions!;
    for (const run of waiting) scheduler.after(0, () => this.#enter(run));
  }

  async #break(session: Session): Promise<void> {
    if (!session.isOpen) return;
    session.isOpen = false;
    await this.#prepared.query('rollback', []);
    this.#leave(session);
  }

  /** Rolls back a silent transaction, so that a paused process does not block the others. */
  #watch(session: Session): void {
    const { scheduler } = this.#conditions!;
    scheduler.after(SILENT_SESSION_MS, () => {
      if (!session.isOpen) return undefined;
      if (session.machine.pausedUntil > scheduler.now) return this.#break(session);
      this.#watch(session);
      return undefined;
    });
  }

  async #direct<Result>(work: (transaction: StatementRunner) => Promise<Result>): Promise<Result> {
    const query: StatementRunner['query'] = (text, parameters) =>
      this.#pglite.query(text, [...(parameters ?? [])]);
    await query('begin');
    try {
      const result = await work({ query });
      await query('commit');
      return result;
    } catch (thrown) {
      await query('rollback');
      throw thrown;
    }
  }
}
