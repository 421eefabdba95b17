import { pino } from 'pino';
import { startApplication, type Application } from '../../src/app/application.js';
import { readConfiguration } from '../../src/app/configuration/index.js';
import type { Database } from '../../src/platform/database/index.js';
import { bearer } from '../kit/app.js';

/** An answer of the REST API, as an integrator receives it. */
interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}
/** The members of answers that tests use later. Others are compared with `toMatchObject`. */
interface Body {
  readonly id: string;
  readonly auditorElGamalPubkey: string;
  readonly indexedCount: number;
  readonly transactions: readonly { readonly networkTransactionId: string }[];
  readonly result: { readonly records: readonly { readonly amount: string }[] };
}

export function integrator(url: string, key: string) {
  return async (path: string, method = 'GET', body?: object): Promise<Answer> => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { ...bearer(key), ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Body };
  };
}

/** Starts the application like a process. Without `database`, it opens its own. */
export async function start(
  environment: Record<string, string>,
  database?: Database,
): Promise<{ readonly application: Application; readonly logged: () => string }> {
  const lines: string[] = [];
  const logger = pino({ level: 'debug' }, { write: (line) => void lines.push(line) });
  const configuration = await readConfiguration({ LUCARNE_PORT: '0', ...environment });
  const application = await startApplication(configuration, { logger, ...(database ? { database } : {}) });
  return { application, logged: () => lines.join('') };
}

export const newAsset = { name: 'Euro', symbol: 'EUR', decimals: 2 };
