import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { messageOf } from '../../kernel/errors.js';
import {
  CLOSE,
  type EmbeddedFailure,
  type EmbeddedNotice,
  type EmbeddedReply,
  type EmbeddedRequest,
} from './embedded-messages.js';

export interface StatementResult<Row> {
  readonly rows: Row[];
  readonly affectedRows?: number | undefined;
}

export interface StatementRunner {
  query<Row>(text: string, parameters?: readonly unknown[]): Promise<StatementResult<Row>>;
}

/** A PostgreSQL in this process with one connection: PGlite itself, or PGlite in a thread. */
export interface EmbeddedDatabase extends StatementRunner {
  /** Statements of others wait until `work` has ended. */
  transaction<Result>(work: (transaction: StatementRunner) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
  readonly closed: boolean;
  readonly ready: boolean;
  readonly waitReady: Promise<unknown>;
}

/**
 * Opens the embedded database in a separate thread, so that a long statement never stops the event loop. The caller
 * must hold a lock of the directory: opened twice, it is corrupted.
 */
export async function openEmbedded(directory: string): Promise<EmbeddedDatabase> {
  await mkdir(path.dirname(directory), { recursive: true });
  const thread = new EmbeddedThread(directory);
  await thread.waitReady;
  return thread;
}

interface Pending {
  resolve(result: StatementResult<Record<string, unknown>>): void;
  reject(error: Error): void;
}

class EmbeddedThread implements EmbeddedDatabase {
  readonly waitReady: Promise<unknown>;
  ready = false;
  closed = false;
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  #ended: Error | undefined;
  #nextId = 0;
  /** Resolves when the last transaction that was asked for has ended. */
  #lastTransaction: Promise<unknown> = Promise.resolve();

  constructor(directory: string) {
    // The environment of the process holds secrets that the database does not need.
    this.#worker = new Worker(THREAD, { env: {}, workerData: { directory } });
    const started = Promise.withResolvers<undefined>();
    this.waitReady = started.promise;
    this.#worker.on('message', (message: EmbeddedReply | EmbeddedNotice) => {
      if (message === 'ready') {
        this.ready = true;
        started.resolve(undefined);
      } else if (message !== 'closed') this.#answered(message);
    });
    let cause: unknown;
    this.#worker.on('error', (error: unknown) => {
      cause = error;
    });
    this.#worker.on('exit', () => {
      // SQLSTATE 57P01, `admin_shutdown`: what a server says when it ends.
      this.#ended = Object.assign(new Error('The embedded database has ended.', { cause }), {
        code: '57P01',
      });
      for (const pending of this.#pending.values()) pending.reject(this.#ended);
      this.#pending.clear();
      started.reject(cause instanceof Error ? cause : this.#ended);
    });
  }

  async query<Row>(text: string, parameters?: readonly unknown[]): Promise<StatementResult<Row>> {
    await this.#lastTransaction;
    return this.#send<Row>(text, parameters);
  }

  async transaction<Result>(work: (transaction: StatementRunner) => Promise<Result>): Promise<Result> {
    const before = this.#lastTransaction;
    const ended = Promise.withResolvers<undefined>();
    this.#lastTransaction = ended.promise;
    try {
      await before;
      await this.#send('begin');
    } catch (thrown) {
      ended.resolve(undefined);
      // Kysely's driver would wait forever for a transaction that does not call it: it fails at its first statement.
      const failure = thrown instanceof Error ? thrown : new Error(messageOf(thrown));
      await work({ query: () => Promise.reject(failure) });
      throw thrown;
    }
    try {
      const result = await work({ query: (text, parameters) => this.#send(text, parameters) });
      await this.#send('commit');
      return result;
    } catch (thrown) {
      // After a failed commit there is nothing to roll back; after the end of the thread, no transaction.
      await this.#send('rollback').catch(() => undefined);
      throw thrown;
    } finally {
      ended.resolve(undefined);
    }
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    if (!this.#ended) {
      const closed = Promise.withResolvers<undefined>();
      this.#worker.on('message', (message) => {
        if (message === 'closed') closed.resolve(undefined);
      });
      this.#worker.on('exit', () => closed.resolve(undefined));
      this.#worker.postMessage(CLOSE);
      await closed.promise;
    }
    await this.#worker.terminate();
  }

  #send<Row>(text: string, parameters: readonly unknown[] = []): Promise<StatementResult<Row>> {
    if (this.#ended) return Promise.reject(this.#ended);
    const id = (this.#nextId += 1);
    const request: EmbeddedRequest = { id, text, parameters: parameters.map(withoutNeighbours) };
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve: (result) => resolve(result as StatementResult<Row>), reject });
      this.#worker.postMessage(request);
    });
  }

  #answered(reply: EmbeddedReply): void {
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if ('failure' in reply) pending?.reject(asError(reply.failure));
    else pending?.resolve(reply);
  }
}

// A message carries the whole buffer of a view: a small `Buffer` would take the pool that it was cut from with it.
function withoutNeighbours(parameter: unknown): unknown {
  if (!(parameter instanceof Uint8Array)) return parameter;
  return parameter.byteLength === parameter.buffer.byteLength ? parameter : new Uint8Array(parameter);
}

function asError({ message, ...members }: EmbeddedFailure): Error {
  return Object.assign(new Error(message), members);
}

const THREAD = new URL('embedded-thread.js', import.meta.url);
