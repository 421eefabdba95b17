import { EventEmitter } from 'node:events';
import pg from 'pg';
import type { Log } from '../kernel/log.js';
import { messageOf } from '../kernel/errors.js';
import type { Signals } from './signals.js';

const CHANNEL = 'lucarne_signals';
const LONGEST_PAUSE = 10_000;
/** Signals of one topic within this time are one NOTIFY: each takes a database-wide lock when it commits. */
const GATHER_MILLISECONDS = 10;

/** Signals between instances over LISTEN and NOTIFY, on one connection of their own. Topics only, never data. */
export function postgresqlSignals(url: string, log: Log): Signals {
  const emitter = new EventEmitter().setMaxListeners(0);
  const gathered = new Set<string>();
  let client: pg.Client | undefined;
  let gathering: NodeJS.Timeout | undefined;
  let retrying: NodeJS.Timeout | undefined;
  let failures = 0;
  let closed = false;

  const connect = async () => {
    const fresh = new pg.Client({ connectionString: url, keepAlive: true, connectionTimeoutMillis: 5_000 });
    fresh.on('notification', ({ payload }) => {
      if (payload) emitter.emit(payload);
    });
    // An `error` without a listener ends the process; `end` follows it.
    fresh.on('error', (error) => log.warn({ reason: error.message }, 'The signal connection broke.'));
    fresh.on('end', () => {
      if (client === fresh) client = undefined;
      reconnect();
    });
    try {
      await fresh.connect();
      await fresh.query(`listen ${CHANNEL}`);
    } catch (thrown) {
      log.warn({ reason: messageOf(thrown) }, 'The signal connection cannot be made; polling goes on.');
      await fresh.end().catch(() => undefined);
      reconnect();
      return;
    }
    if (closed) return void fresh.end();
    client = fresh;
    failures = 0;
    // What was signalled while nobody listened: every listener looks again.
    for (const topic of emitter.eventNames()) emitter.emit(topic);
  };

  const reconnect = () => {
    if (closed || retrying) return;
    failures += 1;
    const pause = Math.min(LONGEST_PAUSE, 100 * 2 ** Math.min(failures, 10));
    retrying = setTimeout(() => {
      retrying = undefined;
      void connect();
    }, pause);
  };

  const send = async () => {
    gathering = undefined;
    const topics = [...gathered];
    gathered.clear();
    await client
      ?.query(`select pg_notify('${CHANNEL}', topic) from unnest($1::text[]) as topic`, [topics])
      .catch((thrown: unknown) => log.warn({ reason: messageOf(thrown) }, 'A signal was not sent.'));
  };

  void connect();
  return {
    publish(topic) {
      // Here at once; to the others by the database, which also tells us again, and that is harmless.
      emitter.emit(topic);
      gathered.add(topic);
      gathering ??= setTimeout(() => void send(), GATHER_MILLISECONDS);
    },
    listen(topic, listener) {
      emitter.on(topic, listener);
      return () => void emitter.off(topic, listener);
    },
    async [Symbol.asyncDispose]() {
      closed = true;
      clearTimeout(retrying);
      emitter.removeAllListeners();
      // The others are told of the last that was done here, and need not find it by polling.
      if (gathering) {
        clearTimeout(gathering);
        await send();
      }
      await client?.end();
    },
  };
}
