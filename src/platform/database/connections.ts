import { Socket } from 'node:net';
import type { Client, Pool, TypeOverrides } from 'pg';
import { sendScope } from './scope/scoped-client.js';
import { typeParsers } from './type-parsers.js';

/** Far longer than any statement takes. Without a limit, a connection that hangs would block its request until TCP times out. */
const SILENCE_MS = 40_000;

export interface ConnectionTerms {
  /** A connection on which nothing came for so long is given up; 40,000. */
  readonly silenceMs?: number | undefined;
  readonly mayBeSilent?: () => boolean;
}

/** The common options of PostgreSQL connections: parsing of columns, timeouts, and the organization of the statements. */
export function prepareConnections(
  pool: Pool,
  { silenceMs = SILENCE_MS, mayBeSilent = () => false }: ConnectionTerms,
): void {
  readTypesAlike(pool);
  // The pool waits for it before anyone gets the connection, although its type does not say so.
  Object.assign(pool.options, {
    async onConnect(client: Client) {
      giveUpIfSilent(client, silenceMs, mayBeSilent);
      await commitDurably(client);
    },
  });
  pool.on('connect', sendScope);
}

/** Both engines must parse columns the same way; the pool's own parsers handle types that are not listed here. */
function readTypesAlike(pool: Pool): void {
  const { types } = pool.options;
  for (const [oid, parser] of Object.entries(typeParsers))
    (types as TypeOverrides).setTypeParser(Number(oid), parser);
}

/** Closes the connection if the server does not answer: waiting statements fail, and the pool opens new connections. */
function giveUpIfSilent(
  { connection: { stream: socket } }: Client,
  silenceMs: number,
  mayBeSilent: () => boolean,
): void {
  if (!(socket instanceof Socket)) return;
  socket.setTimeout(silenceMs, () => {
    if (mayBeSilent()) return;
    socket.destroy(Object.assign(new Error('The database does not answer.'), { code: 'ETIMEDOUT' }));
  });
}

/**
 * A checkpoint that was published, or a signature that was sent, must not be lost: the log would fork, and a relay could be sent
 * twice. So where `synchronous_commit` is off, it is turned on. Other values keep their meaning.
 */
async function commitDurably(client: Client): Promise<void> {
  await client.query(
    `select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`,
  );
}
