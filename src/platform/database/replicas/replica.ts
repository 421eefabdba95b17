import { createPostgreSqlTypeParsers } from '@mikro-orm/sql';
import pg, { type Pool, type PoolClient } from 'pg';
import { waitUntil, withTimeout } from '../../jobs/index.js';
import { isLucarneError, messageOf } from '../../kernel/errors.js';
import { prepareConnections } from '../connections.js';
import { sqlStateOf, translateDatabaseError } from '../database-errors.js';
import { type Statement, textOf } from '../statement.js';
import type { ReadPoint } from './read-point.js';

export interface ReplicaTerms {
  /** How long a replica may take to replay what its primary has. */
  readonly maxLagMs: number;
}

const POOL_SIZE = 10;
const CONNECT_TIMEOUT_MS = 5_000;
/** Shorter than a primary's: a read that gets no answer here is run again there. */
const SILENCE_MS = 10_000;
const LOOKS = { firstMs: 1, maxMs: 16 };

/** Why a replica cannot be read from, in a sentence. */
export class ReplicaLeftOut extends Error {
  override readonly name = 'ReplicaLeftOut';
}

/** A hot standby. Each read first makes sure, on its own connection, that all was replayed that it must show. */
export class Replica implements AsyncDisposable {
  /** Host and port: a URL can hold a password. */
  readonly name: string;
  readonly #pool: Pool;
  readonly #maxLagMs: number;
  readonly #identities = new WeakMap<PoolClient, Identity>();

  constructor(url: string, { maxLagMs }: ReplicaTerms) {
    this.name = nameOf(url);
    this.#maxLagMs = maxLagMs;
    this.#pool = new pg.Pool({
      connectionString: url,
      max: POOL_SIZE,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      application_name: 'lucarne',
      keepAlive: true,
      types: typesOfTheOrm(),
    });
    // Without listeners a lost connection would end the process. Its query rejects all the same.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => void client.on('error', () => undefined));
    prepareConnections(this.#pool, { silenceMs: SILENCE_MS });
  }

  /** Whether every connection is in use: then a read would wait for another one and not for the replica. */
  get isBusy(): boolean {
    return this.#pool.totalCount >= POOL_SIZE && this.#pool.idleCount === 0;
  }

  /**
   * The rows as of the point or later.
   * @throws {@link ReplicaLeftOut} if the replica is unavailable, lags, or does not replicate the point's primary; otherwise
   *   like the statement.
   */
  async rows<Row>(point: ReadPoint, statement: Statement<Row>): Promise<Row[]> {
    const client = await this.#clientAt(point);
    const { text, values, ...named } = textOf(statement);
    try {
      // Here and not in the pool, which would run it for the organization that used the connection before.
      const { rows } = await client.query({ ...named, text, values: values as unknown[] });
      client.release();
      return rows as Row[];
    } catch (thrown) {
      client.release(thrown instanceof Error ? thrown : true);
      throw leftOutOr(thrown);
    }
  }

  /** How long it takes to be at the point, in milliseconds. Throws as {@link rows}. */
  async reach(point: ReadPoint): Promise<number> {
    const begun = performance.now();
    const client = await this.#clientAt(point);
    client.release();
    return performance.now() - begun;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.end();
  }

  /** A connection to a server that is at the point. What takes longer than the lag allows ends without its caller. */
  async #clientAt(point: ReadPoint): Promise<PoolClient> {
    let found: Promise<PoolClient> | undefined;
    try {
      return await withTimeout(
        this.#maxLagMs,
        () => this.#tooLate(),
        (bound) => (found = this.#findClient(point, bound)),
      );
    } catch (thrown) {
      // A connection that is found later is released. If the search fails, nothing is held.
      found?.then(
        (client) => client.release(),
        () => undefined,
      );
      throw leftOutOr(thrown);
    }
  }

  async #findClient(point: ReadPoint, bound: AbortSignal): Promise<PoolClient> {
    const client = await this.#pool.connect();
    try {
      await this.#requireIdentity(client, point);
      if (await waitUntil(() => hasReached(client, point), { pauseMs: LOOKS, signal: bound })) return client;
      throw this.#tooLate();
    } catch (thrown) {
      client.release(thrown instanceof ReplicaLeftOut ? false : true);
      throw thrown;
    }
  }

  /** The server of a connection stays the same, and its timeline only rises. */
  async #requireIdentity(client: PoolClient, point: ReadPoint): Promise<void> {
    const known = this.#identities.get(client);
    if (known && known.system === point.system && known.timeline === point.timeline) return;
    const identity = await identityOf(client);
    const problem = problemOf(identity, point);
    if (problem !== undefined) throw new ReplicaLeftOut(problem);
    this.#identities.set(client, identity);
  }

  #tooLate(): ReplicaLeftOut {
    return new ReplicaLeftOut(
      `It did not confirm within ${this.#maxLagMs} ms that it has replayed what the primary had written.`,
    );
  }
}

type Identity = Pick<ReadPoint, 'timeline' | 'system' | 'database' | 'role'>;

/** Raw: system functions, on a connection without the builder. */
async function identityOf(client: PoolClient): Promise<Identity> {
  const { rows } = await client.query<Identity>(
    `select (select system_identifier::text from pg_control_system()) as system,
      (select timeline_id from pg_control_checkpoint()) as timeline,
      current_database()::text as database, current_user::text as role`,
  );
  return rows[0]!;
}

function problemOf(found: Identity, point: ReadPoint): string | undefined {
  if (found.system !== point.system)
    return `It belongs to another database cluster: its system identifier is ${found.system}, and the primary’s is ${point.system}.`;
  if (found.database !== point.database)
    return `Its URL names the database “${found.database}”, but DATABASE_URL names “${point.database}”.`;
  if (found.role !== point.role)
    return `Its URL names the role “${found.role}”, but DATABASE_URL names “${point.role}”: row-level security must be the same.`;
  if (found.timeline !== point.timeline)
    return `It was on timeline ${found.timeline} at its last restartpoint, but the primary is on ${point.timeline}.`;
  return undefined;
}

async function hasReached(client: PoolClient, { lsn }: ReadPoint): Promise<boolean> {
  const { rows } = await client.query<{ isReplica: boolean; isReached: boolean | null }>({
    name: 'replay_point',
    text: 'select pg_is_in_recovery() as "isReplica", pg_last_wal_replay_lsn() >= $1::pg_lsn as "isReached"',
    values: [lsn],
  });
  const { isReplica, isReached } = rows[0]!;
  if (!isReplica) throw new ReplicaLeftOut('It is not a replica: it is not in recovery.');
  return isReached === true;
}

/** `read_only_sql_transaction` */
const READ_ONLY = '25006';

/** The error of a replica: if it is unavailable, it is left out. */
function leftOutOr(thrown: unknown): unknown {
  const translated = translateDatabaseError(thrown);
  return isLucarneError(translated) && translated.code === 'UNAVAILABLE'
    ? new ReplicaLeftOut(`It cannot be reached: ${messageOf(thrown)}`, { cause: thrown })
    : thrown;
}

/** Whether the statement itself is wrong for a replica: on the primary it would write. */
export const isWrite = (thrown: unknown): boolean => sqlStateOf(thrown) === READ_ONLY;

/** The object identifier of `text[]`, from pg_type.dat. */
const TEXT_ARRAY = 1009;

/** The parsers that the ORM gives to its pool. */
function typesOfTheOrm(): pg.TypeOverrides {
  const types = new pg.TypeOverrides();
  // Typed for some types only.
  const builtIn = pg.types as unknown as { getTypeParser(type: number): (text: string) => string[] };
  const parseArray = builtIn.getTypeParser(TEXT_ARRAY);
  for (const [oid, parser] of Object.entries(createPostgreSqlTypeParsers(parseArray)))
    types.setTypeParser(Number(oid), parser);
  return types;
}

function nameOf(url: string): string {
  const { host, searchParams } = new URL(url);
  return host === '' ? (searchParams.get('host') ?? 'localhost') : host;
}
