import { AsyncLocalStorage } from 'node:async_hooks';
import type { EntitySchema } from '@mikro-orm/core';
import type { Pool } from 'pg';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM as PgliteOrm } from '@mikro-orm/pglite';
import { MikroORM as PostgreSqlOrm } from '@mikro-orm/postgresql';
import { CompiledQuery, sql, type Kysely } from 'kysely';
import { backOffMs, retry } from '../jobs/index.js';
import { Admission } from './admission.js';
import { prepareConnections } from './connections.js';
import { isDeadlock, translateDatabaseError } from './database-errors.js';
import type { EmbeddedDatabase } from './embedded/embedded-database.js';
import { migrations } from './migrations/index.js';
import { type Shares, sharesOfOrganizations } from './scope/shares.js';
import { isRawBuilder, Prepared, type Statement, textOf } from './statement.js';

/** Runs single statements: reads, and writes that stand alone. What belongs together takes a {@link Transaction}. */
export interface Reader {
  rows<Row>(statement: Statement<Row>): Promise<Row[]>;
}

/** An open transaction. Operations take one for what they write, so that what belongs together commits together. */
export interface Transaction extends Reader {
  /** Runs after the commit and never after a rollback: wake-ups, metrics. It must not throw. */
  afterCommit(action: () => void): void;
}

export interface Database extends Reader, AsyncDisposable {
  readonly engine: 'pglite' | 'postgresql';
  /**
   * Commits what `work` wrote, or nothing of it. Opening one inside another is a programming error: PGlite has one
   * connection, and the inner one would wait for the outer forever.
   */
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
  /** Applies the pending migrations, all or up to `to`; several instances may do so concurrently. Returns their names. */
  migrate(to?: string): Promise<string[]>;
  pendingMigrations(): Promise<string[]>;
}

export interface DatabaseOptions {
  readonly entities: readonly EntitySchema[];
  readonly target: PostgresqlTarget | EmbeddedTarget;
}

export interface EmbeddedTarget {
  readonly embedded: EmbeddedDatabase;
  /** Statements and transactions that may wait for its one connection; 5,000. */
  readonly maxWaiting?: number;
}

const DEFAULT_MAX_WAITING = 5_000;
const DEFAULT_POOL_SIZE = 10;

export interface PostgresqlTarget {
  readonly url: string;
  /** Connections at most; 10. One organization has a share of them. */
  readonly poolSize?: number;
  /** A connection on which nothing came for so long is given up; 40,000. 0: never. Migrations may take longer. */
  readonly silenceMs?: number;
}

// Raw: the migrator's table has no entity.
const MIGRATIONS_TABLE = sql<{
  table: string | null;
}>`select to_regclass('mikro_orm_migrations')::text as table`;
const APPLIED_MIGRATIONS = sql<{ name: string }>`select name from mikro_orm_migrations`;

async function runPrepared<Row>(pool: Pool, { name, text, values }: Prepared<Row>): Promise<Row[]> {
  // Not `pool.query`: a statement that had to wait for a connection is sent in the context of the caller who gave it back,
  // and would run for that caller's organization.
  const client = await pool.connect();
  try {
    const { rows } = await client.query({ name, text, values: values as unknown[] });
    client.release();
    return rows as Row[];
  } catch (thrown) {
    client.release(thrown instanceof Error ? thrown : true);
    throw thrown;
  }
}

/** The advisory locks of a database, by purpose. */
const ADVISORY_LOCKS = {
  migrations: 0x4c_75_63_61,
  keys: 0x4c_75_63_6b,
  'moving records': 0x4c_75_63_72,
} as const;

/**
 * Serializes callers with the same key until the transaction ends. Unlike a row lock it needs no UPDATE privilege, so the
 * serving role and operators can use it, too.
 */
export async function takeTurn(
  transaction: Transaction,
  what: Exclude<keyof typeof ADVISORY_LOCKS, 'migrations'>,
): Promise<void> {
  // Raw: it is of no table.
  await transaction.rows(sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS[what]}::bigint)`);
}

/** Past Kysely, which would hold back each statement until the one before it was answered. */
async function runEmbedded<Row>(embedded: EmbeddedDatabase, statement: Statement<Row>): Promise<Row[]> {
  const { text, values } = textOf(statement);
  return (await embedded.query<Row>(text, values)).rows;
}

async function translated<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    throw translateDatabaseError(thrown);
  }
}

const MAX_DEADLOCKS = 10;
const AFTER_DEADLOCK = { firstMs: 100, maxMs: 5_000 };

const NO_SHARES: Shares = { read: (work) => work(), change: (work) => work() };

const insideTransaction = new AsyncLocalStorage<true>();

export async function connectDatabase(options: DatabaseOptions): Promise<Database> {
  const common = {
    entities: [...options.entities],
    extensions: [Migrator],
    // Each in a separate transaction: one that waits for a table would keep those of the earlier ones locked.
    migrations: {
      ...{ migrationsList: migrations, snapshot: false, silent: true },
      ...{ transactional: true, allOrNothing: false },
    },
    discovery: { warnWhenNoEntities: false },
    logger: () => undefined,
  };
  const { target } = options;
  let isMigrating = false;
  let pool: Pool | undefined;
  const orm =
    'url' in target
      ? await PostgreSqlOrm.init({
          ...common,
          clientUrl: target.url,
          pool: { min: 0, max: target.poolSize ?? DEFAULT_POOL_SIZE },
          driverOptions: {
            // The ORM takes a URL apart and loses its parameters, such as `sslmode`.
            connectionString: target.url,
            connectionTimeoutMillis: 5_000,
            application_name: 'lucarne',
            keepAlive: true,
            onPoolCreated(created: Pool) {
              prepareConnections(created, { silenceMs: target.silenceMs, mayBeSilent: () => isMigrating });
              pool = created;
            },
          },
        })
      : await PgliteOrm.init({
          ...common,
          dbName: 'lucarne', // A function, because the ORM clones its options.
          driverOptions: { pglite: () => target.embedded },
        });
  // The pool of connections has its own bound: a time.
  const admission = new Admission(
    'embedded' in target ? (target.maxWaiting ?? DEFAULT_MAX_WAITING) : Number.POSITIVE_INFINITY,
  );
  const admitted = <Result>(work: () => Promise<Result>) => translated(() => admission.admit(work));
  // The embedded database has one connection, and runs one statement or transaction at a time, whosever it is.
  const shares = 'url' in target ? sharesOfOrganizations(target.poolSize ?? DEFAULT_POOL_SIZE) : NO_SHARES;
  const client = () => orm.em.getConnection().getClient<unknown>();

  const run = async <Row>(executor: Kysely<unknown>, statement: Statement<Row>): Promise<Row[]> => {
    if (isRawBuilder(statement)) return (await statement.execute(executor)).rows;
    if (!(statement instanceof Prepared)) return (await executor.executeQuery(statement.compile())).rows;
    const { text, values } = statement;
    return (await executor.executeQuery(CompiledQuery.raw(text, [...values]))).rows as Row[];
  };

  const pending = async (): Promise<string[]> => {
    // The ORM's check creates its table, which conflicts with a concurrent migration.
    const [{ table } = { table: null }] = await run(client(), MIGRATIONS_TABLE);
    const applied = table === null ? [] : await run(client(), APPLIED_MIGRATIONS);
    const names = new Set(applied.map(({ name }) => name));
    return migrations.map(({ name }) => name).filter((name) => !names.has(name));
  };

  return {
    engine: 'url' in target ? 'postgresql' : 'pglite',

    rows(statement) {
      if (insideTransaction.getStore()) {
        throw new Error('Inside a transaction, read through the transaction.');
      }
      const read = () => {
        if ('embedded' in target) return runEmbedded(target.embedded, statement);
        if (statement instanceof Prepared && pool) return runPrepared(pool, statement);
        return run(client(), statement);
      };
      return shares.read(() => admitted(read));
    },

    async transaction(work) {
      if (insideTransaction.getStore()) throw new Error('A transaction cannot be opened inside another.');
      const actions: (() => void)[] = [];
      // Kysely's own transaction, because the ORM's never gives back a connection whose rollback fails when it is cut.
      const begin = () => client().transaction();
      const execute = () =>
        begin().execute((executor) =>
          work({
            rows: (statement) => translated(() => run(executor, statement)),
            afterCommit: (action) => void actions.push(action),
          }),
        );
      const result = await shares.change(() => insideTransaction.run(true, () => admitted(execute)));
      for (const action of actions) action();
      return result;
    },

    async migrate(to) {
      const apply = async () => {
        const before = await pending();
        // A migration that updates rows can be the victim of a deadlock with requests that change the same rows.
        await retry(
          () => orm.migrator.up(to === undefined ? {} : { to }),
          (thrown, failures) => {
            if (!isDeadlock(thrown) || failures > MAX_DEADLOCKS) throw thrown;
            return backOffMs(AFTER_DEADLOCK, failures);
          },
        );
        const after = new Set(await pending());
        return before.filter((name) => !after.has(name));
      };
      if ('embedded' in target) return admitted(apply);
      isMigrating = true;
      try {
        // One instance at a time: the lock belongs to the session, and always ends with it. Raw: it locks no row.
        return await admitted(() =>
          client()
            .connection()
            .execute(async (session) => {
              await sql`select pg_advisory_lock(${ADVISORY_LOCKS.migrations})`.execute(session);
              try {
                return await apply();
              } finally {
                await sql`select pg_advisory_unlock(${ADVISORY_LOCKS.migrations})`.execute(session);
              }
            }),
        );
      } finally {
        isMigrating = false;
      }
    },

    pendingMigrations: () => admitted(pending),

    async [Symbol.asyncDispose]() {
      if (insideTransaction.getStore()) throw new Error('A database cannot be closed inside a transaction.');
      // Kysely never gives back a connection that it gets after the end of its pool, and the end would wait for it.
      await admission.close();
      await orm.close(true);
    },
  };
}
