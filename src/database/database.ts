import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdir } from 'node:fs/promises';
import { Socket } from 'node:net';
import path from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import type { EntitySchema } from '@mikro-orm/core';
import type { Pool, TypeOverrides } from 'pg';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM as PgliteOrm } from '@mikro-orm/pglite';
import { MikroORM as PostgreSqlOrm } from '@mikro-orm/postgresql';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { CompiledQuery, sql, type Kysely, type RawBuilder } from 'kysely';
import { translateDatabaseError } from './database-errors.js';
import { migrations } from './migrations/index.js';
import { Prepared } from './prepared.js';
import { typeParsers } from './type-parsers.js';

/** A value that can be read from the database. Writing takes a {@link Transaction}. */
export interface Reader {
  /** Runs one statement written with Kysely's `sql` tag, whose `${value}`s are bound parameters, or a prepared one. */
  rows<Row>(query: RawBuilder<Row> | Prepared<Row>): Promise<Row[]>;
}

/** An open transaction. Everything that writes takes one, so that what belongs together commits together. */
export interface Transaction extends Reader {
  /** The entity manager of this transaction: the only one that may be used while it is open. */
  readonly em: SqlEntityManager;
  /** Runs after the commit and never after a rollback: wake-ups, metrics. It must not throw. */
  afterCommit(action: () => void): void;
}

export interface Database extends Reader, AsyncDisposable {
  readonly engine: 'pglite' | 'postgresql';
  /**
   * Commits what `work` wrote, or nothing of it. Opening one inside another is a programming error: PGlite has one
   * connection, and the inner one would wait for the outer for ever.
   */
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
  /** Applies the migrations that are missing; several instances may do so at once. Returns their names. */
  migrate(): Promise<string[]>;
  pendingMigrations(): Promise<string[]>;
}

export interface DatabaseOptions {
  readonly entities: readonly EntitySchema[];
  readonly target: PostgresqlTarget | { readonly pglite: PGlite };
}

export interface PostgresqlTarget {
  readonly url: string;
  /** Connections at most; 10. */
  readonly poolSize?: number;
  /** A connection on which nothing came for so long is given up; 40,000. Migrations may take longer. */
  readonly silenceMilliseconds?: number;
}

/** Opens PGlite in a directory. The directory must be locked by the caller: opened twice it is corrupted. */
export async function openPglite(directory: string): Promise<PGlite> {
  await mkdir(path.dirname(directory), { recursive: true });
  return PGlite.create({ dataDir: directory, parsers: typeParsers });
}

/** Both engines must read a column alike; the pool's own parsers keep what is not named here. */
function readTypesAlike(pool: Pool): void {
  const { types } = pool.options;
  for (const [oid, parser] of Object.entries(typeParsers))
    (types as TypeOverrides).setTypeParser(Number(oid), parser);
}

/** Far longer than any statement takes. Without a bound, one that hangs would hold its request until TCP gives up. */
const SILENCE_MILLISECONDS = 40_000;

/** Cuts connections of a server that is there and says nothing: what waits for it fails, and the pool makes new ones. */
function giveUpSilentOnes(pool: Pool, milliseconds: number, mayBeSilent: () => boolean): void {
  pool.on('connect', ({ connection: { stream: socket } }) => {
    if (!(socket instanceof Socket)) return;
    socket.setTimeout(milliseconds, () => {
      if (mayBeSilent()) return;
      socket.destroy(Object.assign(new Error('The database says nothing.'), { code: 'ETIMEDOUT' }));
    });
  });
}

/** Names the advisory lock of migrations among a database's others. */
const MIGRATION_LOCK = 0x4c_75_63_61;

async function runPrepared<Row>(pool: Pool, { name, text, values }: Prepared<Row>): Promise<Row[]> {
  try {
    const { rows } = await pool.query({ name, text, values: values as unknown[] });
    return rows as Row[];
  } catch (thrown) {
    throw translateDatabaseError(thrown);
  }
}

const insideTransaction = new AsyncLocalStorage<true>();

export async function connectDatabase(options: DatabaseOptions): Promise<Database> {
  const common = {
    entities: [...options.entities],
    extensions: [Migrator],
    migrations: { migrationsList: migrations, snapshot: false, silent: true, transactional: true },
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
          pool: { min: 0, max: target.poolSize ?? 10 },
          driverOptions: {
            connectionTimeoutMillis: 5_000,
            application_name: 'lucarne',
            keepAlive: true,
            onPoolCreated(created: Pool) {
              readTypesAlike(created);
              giveUpSilentOnes(
                created,
                target.silenceMilliseconds ?? SILENCE_MILLISECONDS,
                () => isMigrating,
              );
              pool = created;
            },
          },
        })
      : await PgliteOrm.init({ ...common, dbName: 'lucarne', driverOptions: { pglite: target.pglite } });
  const client = () => orm.em.getConnection().getClient<unknown>();

  const run = async <Row>(
    executor: Kysely<unknown>,
    query: RawBuilder<Row> | Prepared<Row>,
  ): Promise<Row[]> => {
    try {
      if (!(query instanceof Prepared)) return (await query.execute(executor)).rows;
      const { text, values } = query;
      return (await executor.executeQuery(CompiledQuery.raw(text, [...values]))).rows as Row[];
    } catch (thrown) {
      throw translateDatabaseError(thrown);
    }
  };

  return {
    engine: 'url' in target ? 'postgresql' : 'pglite',

    rows: (query) => {
      if (insideTransaction.getStore())
        throw new Error('Inside a transaction, read through the transaction.');
      return query instanceof Prepared && pool ? runPrepared(pool, query) : run(client(), query);
    },

    async transaction(work) {
      if (insideTransaction.getStore()) throw new Error('A transaction cannot be opened inside another.');
      const actions: (() => void)[] = [];
      const em = orm.em.fork() as SqlEntityManager;
      // Kysely's own transaction, not the ORM's: that one never gives back a connection whose rollback fails because
      // it was cut.
      const begun = client().transaction();
      const result = await insideTransaction.run(true, async () => {
        try {
          return await begun.execute(async (executor) => {
            em.setTransactionContext(executor);
            const result = await work({
              em,
              rows: (query) => run(executor, query),
              afterCommit: (action) => void actions.push(action),
            });
            await em.flush();
            return result;
          });
        } catch (thrown) {
          throw translateDatabaseError(thrown);
        }
      });
      for (const action of actions) action();
      return result;
    },

    async migrate() {
      const apply = async () => (await orm.migrator.up()).map((migration) => migration.name);
      try {
        if (!('url' in target)) return await apply();
        isMigrating = true;
        // One instance at a time: the lock is the session's, and ends with it whatever happens.
        return await client()
          .connection()
          .execute(async (session) => {
            await sql`select pg_advisory_lock(${MIGRATION_LOCK})`.execute(session);
            try {
              return await apply();
            } finally {
              await sql`select pg_advisory_unlock(${MIGRATION_LOCK})`.execute(session);
            }
          });
      } catch (thrown) {
        throw translateDatabaseError(thrown);
      } finally {
        isMigrating = false;
      }
    },

    async pendingMigrations() {
      try {
        return (await orm.migrator.getPending()).map((migration) => migration.name);
      } catch (thrown) {
        throw translateDatabaseError(thrown);
      }
    },

    async [Symbol.asyncDispose]() {
      await orm.close(true);
    },
  };
}
