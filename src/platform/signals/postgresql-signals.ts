import pg from 'pg';
import { Reconnection } from '../jobs/index.js';
import type { Log } from '../kernel/log.js';
import { createSignals, type Signals, type SignalReceiver, type SignalTransport } from './signals.js';

const CHANNEL = 'lucarne_signals';
const RECONNECTION = { firstMs: 200, maxMs: 10_000 };
const CONNECT_TIMEOUT_MS = 5_000;
/** Signals of one topic within this time are one NOTIFY: each NOTIFY takes a database-wide lock when it commits. */
const GATHER_MS = 10;

/** Signals between instances over LISTEN and NOTIFY, on a separate connection. Topics only, never data. */
export const postgresqlSignals = (url: string, log: Log): Signals =>
  createSignals((receiver) => connectPostgresql(url, log, receiver));

function connectPostgresql(url: string, log: Log, received: SignalReceiver): SignalTransport {
  const gathered = new Set<string>();
  let client: pg.Client | undefined;
  let gathering: NodeJS.Timeout | undefined;
  let closed = false;

  const connect = async () => {
    const fresh = new pg.Client({
      ...{ connectionString: url, keepAlive: true, connectionTimeoutMillis: CONNECT_TIMEOUT_MS },
    });
    fresh.on('notification', ({ payload }) => {
      if (payload) received.topic(payload);
    });
    // An `error` without a listener ends the process; `end` follows it.
    fresh.on('error', (error) => log.warn({ err: error }, 'The signal connection was lost.'));
    fresh.on('end', () => {
      if (client === fresh) client = undefined;
      reconnection.failed();
    });
    try {
      await fresh.connect();
      await fresh.query(`listen ${CHANNEL}`);
    } catch (thrown) {
      log.warn({ err: thrown }, 'The signal connection failed; polling continues.');
      await fresh.end().catch(() => undefined);
      reconnection.failed();
      return;
    }
    if (closed) return void fresh.end();
    client = fresh;
    reconnection.failures = 0;
    received.everything();
  };

  const reconnection = new Reconnection(RECONNECTION, () => void connect());

  const send = async () => {
    gathering = undefined;
    // Raw: the builder has no pg_notify.
    const topics = [...gathered];
    gathered.clear();
    await client
      ?.query(`select pg_notify('${CHANNEL}', topic) from unnest($1::text[]) as topic`, [topics])
      .catch((thrown: unknown) => log.warn({ err: thrown }, 'A signal was not sent.'));
  };

  void connect();
  return {
    send(topic) {
      // The database sends it back to this instance too, which is harmless.
      gathered.add(topic);
      gathering ??= setTimeout(() => void send(), GATHER_MS);
    },
    async [Symbol.asyncDispose]() {
      closed = true;
      reconnection[Symbol.dispose]();
      // The last signals are sent, so that other instances need not find the changes by polling.
      if (gathering) {
        clearTimeout(gathering);
        await send();
      }
      await client?.end();
    },
  };
}
