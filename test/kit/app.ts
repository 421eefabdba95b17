import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { startApplication, type Application } from '../../src/app/application.js';
import { readConfiguration, type Configuration } from '../../src/app/configuration/index.js';
import type { Database } from '../../src/platform/database/index.js';
import { startLocalLedger, type LocalLedger } from '../../devnet/index.js';
import { createTestDatabase } from './database/database.js';
import { seedOrganization, type SeededOrganization } from './seed.js';

export interface TestApp extends AsyncDisposable {
  readonly url: string;
  readonly application: Application;
  readonly database: Database;
  readonly ledger: LocalLedger;
  /** Two organizations, so that tests can check isolation. */
  readonly organization: SeededOrganization;
  readonly other: SeededOrganization;
  /** The whole log output as text, to search it for values that must not be there. */
  readonly logged: () => string;
}

/** What outlives the application, and what no variable can say. */
export interface TestSurroundings {
  readonly database?: Awaited<ReturnType<typeof createTestDatabase>>;
  readonly ledger?: LocalLedger;
  readonly keyStores?: Configuration['keyStores'];
}

/** The whole application over real HTTP on a free port, with a test database and a separate embedded ledger. */
export async function startTestApp(
  environment: Record<string, string> = {},
  surroundings: TestSurroundings = {},
): Promise<TestApp> {
  const parts = new AsyncDisposableStack();
  try {
    return await assemble(parts, environment, surroundings);
  } catch (thrown) {
    await parts.disposeAsync();
    throw thrown;
  }
}

async function assemble(
  parts: AsyncDisposableStack,
  environment: Record<string, string>,
  surroundings: TestSurroundings,
): Promise<TestApp> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'lucarne-app-'));
  parts.defer(() => rm(directory, { recursive: true, force: true }));
  const database = surroundings.database ?? parts.use(await createTestDatabase());
  const ledger = surroundings.ledger ?? parts.use(await startLocalLedger());
  const lines: string[] = [];
  const logger = pino({ level: 'debug' }, { write: (line) => void lines.push(line) });
  const { NODE_ENV, ...others } = environment;
  const read = await readConfiguration({
    LUCARNE_PORT: '0',
    LUCARNE_DATA_DIR: directory,
    LUCARNE_MASTER_KEY: randomBytes(32).toString('base64'),
    SOLANA_RPC_URL: ledger.rpcUrl,
    SOLANA_WS_URL: ledger.wsUrl,
    ...(database.url === undefined ? {} : { DATABASE_URL: database.url }),
    ...others,
  });
  // Without the requirements of production: a test has no TLS, not always PostgreSQL, and writes as the owner of the tables.
  const { keyStores = read.keyStores } = surroundings;
  const configuration = { ...read, keyStores, production: NODE_ENV === 'production', serveAsOwner: true };
  const application = parts.use(await startApplication(configuration, { logger, database }));
  await application.initialized;
  return {
    url: application.url ?? '',
    application,
    database,
    ledger,
    organization: await seedOrganization(application.foundation, { name: 'Acme', foreignId: 'payments' }),
    other: await seedOrganization(application.foundation, { name: 'Other', foreignId: 'other-app' }),
    logged: () => lines.join(''),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

export interface GraphqlAnswer {
  readonly status: number;
  readonly data: Record<string, unknown> | null | undefined;
  readonly errors: { readonly message: string; readonly extensions: Record<string, unknown> }[] | undefined;
}

/** Posts a GraphQL operation like an integrator's client. */
export async function graphql(
  app: TestApp,
  query: string,
  { variables = {}, headers = {} }: { variables?: object; headers?: Record<string, string> } = {},
): Promise<GraphqlAnswer> {
  const answer = await fetch(`${app.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables }),
  });
  const body = (await answer.json()) as Omit<GraphqlAnswer, 'status'>;
  return { status: answer.status, data: body.data, errors: body.errors };
}

export const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
export const sessionOf = (app: TestApp, token: string) => ({ cookie: `lucarne=${token}`, origin: app.url });
