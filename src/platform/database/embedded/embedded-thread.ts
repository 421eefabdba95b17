import { parentPort, workerData } from 'node:worker_threads';
import {
  CLOSE,
  type EmbeddedFailure,
  type EmbeddedNotice,
  type EmbeddedReply,
  type EmbeddedRequest,
} from './embedded-messages.js';
import { openPglite } from './open-pglite.js';

// The thread of the embedded database: it runs the statements that it is sent, in their order.

const { directory } = workerData as { readonly directory: string };
const pglite = await openPglite(directory);

const post = (message: EmbeddedReply | EmbeddedNotice) => parentPort?.postMessage(message);

parentPort?.on('message', (message: EmbeddedRequest | typeof CLOSE) => {
  if (message === CLOSE) void pglite.close().finally(() => post('closed'));
  else void answer(message);
});
post('ready');

async function answer({ id, text, parameters }: EmbeddedRequest): Promise<void> {
  try {
    const { rows, affectedRows } = await pglite.query<Record<string, unknown>>(text, [...parameters]);
    post({ id, rows, affectedRows });
  } catch (thrown) {
    post({ id, failure: describe(thrown) });
  }
}

function describe(thrown: unknown): EmbeddedFailure {
  const { message, code, constraint, table, detail } = thrown as Record<string, unknown>;
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  return {
    message: text(message) ?? 'The statement failed.',
    code: text(code),
    constraint: text(constraint),
    table: text(table),
    detail: text(detail),
  };
}
