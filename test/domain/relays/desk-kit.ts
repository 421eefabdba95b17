import { systemClock } from '../../../src/platform/kernel/clock.js';
import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { createClient } from 'graphql-ws';
import { pino } from 'pino';
import { WebSocket } from 'ws';
import { createCheckDesk } from '../../../src/domain/checks/index.js';
import { createProofPool, type ProofPool, SCALAR_FIELD_ORDER } from '../../../src/platform/crypto/index.js';
import { inProcessSignals, postgresqlSignals } from '../../../src/platform/signals/index.js';
import type { Database, Foundation } from '../../../src/platform/database/index.js';
import { createFulfilment } from '../../../src/domain/disclosures/index.js';
import {
  createContextFactory,
  createAdmission,
  registerGraphql,
  registerGraphqlWebSocket,
} from '../../../src/edge/graphql/index.js';
import { withSignatures } from '../../../src/platform/keys/index.js';
import { silentLog } from '../../../src/platform/kernel/log.js';
import type { Id } from '../../../src/platform/kernel/ids.js';
import { LOCAL_POOL_CIRCUIT, LOCAL_POOLS_FILE } from '../../../devnet/index.js';
import { createHttpServer, createRegistry } from '../../../src/platform/http/index.js';
import { createAuthenticator } from '../../../src/domain/access/index.js';
import {
  createPayers,
  createRelayDesk,
  keyPairSigner,
  parsePoolsFile,
  type PoolDescriptor,
  type RelayDesk,
  type RelayDeskOptions,
} from '../../../src/domain/relays/index.js';
import { changeStatus, type StatusChange } from '../../../src/domain/relays/status/change-status.js';
import type { PayersOptions } from '../../../src/domain/relays/payers/payers.js';
import { relayerKey } from './kit.js';
import { findRelay, type Relay } from '../../../src/domain/relays/relay.js';
import { createReporting } from '../../../src/domain/reports/index.js';
import { refuseFor, registerRest } from '../../../src/edge/rest/index.js';
import { createSchema } from '../../../src/app/schemas/schema.js';
import { inlinePool } from '../../kit/ledger/inline-pool.js';

const [LOCAL_POOL] = LOCAL_POOLS_FILE.pools;
const ACTIVE = LOCAL_POOL.circuits['3'];
export const POOL = LOCAL_POOL.poolSelector;
/** Another pool of another program, whose instruction carries a ciphertext. */
export const CIPHERTEXT_POOL = 'ciphertext-pool';
/** The nonce of a deprecated circuit. */
export const DEPRECATED = '4';

/** The local pool with an additional deprecated circuit, and a pool whose instruction carries a ciphertext. */
function testPools(): Promise<ReadonlyMap<string, PoolDescriptor>> {
  const circuits = { '3': ACTIVE, [DEPRECATED]: { ...ACTIVE, status: 'deprecated' } };
  const carrying = {
    ...LOCAL_POOL,
    poolSelector: CIPHERTEXT_POOL,
    programId: 'HUwk5maVn86j1eheSddwdtkekkxsygiU72Yv29tfdkFp',
    instruction: { prefix: '01', data: ['proof', 'signals', 'ciphertext'] },
  };
  const file = { pools: [{ ...LOCAL_POOL, circuits }, carrying] };
  return parsePoolsFile(file, () => Promise.reject(new Error('The keys are in the file.')));
}

export const word = (value: bigint) => value.toString(16).padStart(64, '0');
const randomSignal = () => BigInt(`0x${randomBytes(32).toString('hex')}`) % SCALAR_FIELD_ORDER;

export interface TestPackage {
  readonly version: number;
  readonly poolSelector: string;
  readonly zkConfigNonce: string | number;
  readonly proofBytes: string;
  readonly publicSignals: readonly string[];
  readonly applicationIdHints: readonly string[];
}

/** A package that was not submitted before, with a valid proof. */
export function freshPackage(
  changes: Partial<TestPackage> & Record<string, unknown> = {},
  nullifiers = [randomSignal(), randomSignal()],
): TestPackage {
  const signals = [7n, 0n, 9n, ...nullifiers, randomSignal(), randomSignal()];
  return {
    version: 1,
    poolSelector: POOL,
    zkConfigNonce: '3',
    proofBytes: Buffer.from(LOCAL_POOL_CIRCUIT.prove(signals, randomBytes(8).toString('hex'))).toString(
      'hex',
    ),
    publicSignals: signals.map(word),
    applicationIdHints: [],
    ...changes,
  };
}

/** Another package with the same nullifiers and another proof. */
export const rivalOf = ({ publicSignals }: TestPackage) =>
  freshPackage(
    {},
    [3, 4].map((at) => BigInt(`0x${publicSignals[at]}`)),
  );

/** Replaces the proof by points that prove something else. */
export const badProof = (valid: TestPackage): TestPackage => ({
  ...valid,
  proofBytes: freshPackage().proofBytes,
});

/** Nodes that return these balances in turn. An error is thrown. */
export function scriptedNodes(...lamports: (number | Error)[]) {
  const answers = { lamports, asked: 0 };
  const balance = (at: number) => {
    answers.asked += 1;
    const answer = answers.lamports[at];
    return answer instanceof Error || answer === undefined
      ? Promise.reject(answer ?? new Error('gone'))
      : Promise.resolve({ slot: 1, lamports: answer });
  };
  return {
    answers,
    nodes: lamports.map((_, at) => ({ label: `provider ${at}`, balance: () => balance(at) })),
  };
}

/** Options of a desk and of its payers. Default: one payer with enough balance. */
export type DeskOptions = Partial<RelayDeskOptions> & Partial<Omit<PayersOptions, 'clock'>>;

/** Limits that a test reaches only if it is about them. */
const WIDE = {
  perClient: 1_000_000,
  invalidPerClient: 1_000_000,
  perPool: 1_000_000,
  queue: 1_000_000,
};

export const openProofs = (): ProofPool => createProofPool({ workers: 1, queueLimit: 1_000 });

export async function openDesk(
  foundation: Foundation,
  proofs: ProofPool,
  options: DeskOptions = {},
): Promise<RelayDesk> {
  return createRelayDesk(foundation, {
    pools: await testPools(),
    proofs,
    payers: createPayers({
      signers: [keyPairSigner(relayerKey())],
      nodes: scriptedNodes(1_000_000_000),
      clock: foundation.clock,
      ...options,
    }),
    ...options,
    limits: { ...WIDE, ...options.limits },
  });
}

/** Makes the changes of a worker to a request, one after another. */
export async function change(
  foundation: Foundation,
  id: string,
  ...changes: Partial<StatusChange>[]
): Promise<Relay> {
  let relay = await findRelay(foundation.database, id as Id<'rly'>);
  for (const next of changes) {
    const from = relay!;
    relay = await withSignatures(foundation.signingKeys, (signatures) =>
      foundation.database.transaction((transaction) =>
        changeStatus(transaction, { ...foundation, signing: { ...foundation, signatures } }, from, {
          evidence: {},
          ...next,
        } as StatusChange),
      ),
    );
  }
  return relay!;
}

/** The changes up to a signed transaction. */
export const TO_SUBMITTED: readonly Partial<StatusChange>[] = [
  { to: 'validating' },
  { to: 'queued', attemptNumber: 1 },
  { to: 'submitted' },
];
/** Fails before anything is signed, so that it can be retried. */
export const TO_FAILED: readonly Partial<StatusChange>[] = [
  { to: 'validating' },
  { to: 'failed', reason: 'infrastructure_failed' },
];

/** The signals of an instance: NOTIFY between instances on PostgreSQL, in process otherwise. */
export function instanceSignals(database: Database & { readonly url?: string }) {
  const shared = inProcessSignals();
  return () => (database.url === undefined ? shared : postgresqlSignals(database.url, silentLog));
}

export interface RelayInstance extends AsyncDisposable {
  readonly url: string;
  readonly desk: RelayDesk;
  /** Everything that was logged. */
  readonly logged: () => string;
}

/** An instance of the gateway with real HTTP and WebSocket, and a separate desk. */
export async function startRelayInstance(
  foundation: Foundation,
  proofs: ProofPool,
  options: DeskOptions = {},
): Promise<RelayInstance> {
  await using parts = new AsyncDisposableStack();
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line) => void lines.push(line) });
  const logging = { ...foundation, log };
  const desk = parts.use(await openDesk(logging, proofs, options));
  const pool = inlinePool();
  const schema = createSchema(logging, {
    fulfilment: createFulfilment(logging, pool),
    pool,
    reporting: createReporting(logging, { pool, publicHost: () => 'lucarne.example' }),
    checkDesk: createCheckDesk(logging),
    relayDesk: desk,
    organizations: { origin: () => 'http://localhost' },
  });
  const trustProxy = 'loopback';
  const server = await createHttpServer({
    log,
    registry: createRegistry(),
    trustProxy,
    refuse: refuseFor([]),
  });
  const port = () => (server.server.address() as AddressInfo).port;
  const http = {
    authenticator: parts.use(createAuthenticator(logging)),
    admission: createAdmission({ clock: systemClock }),
    publicUrl: undefined,
    port,
    started: () => true,
    trustProxy,
  } as const;
  const graphql = {
    schema,
    contextFor: createContextFactory(http),
    admission: http.admission,
    log,
    development: true,
  };
  await registerGraphql(server, graphql);
  registerGraphqlWebSocket(server, { ...graphql, ...http });
  await registerRest(server, { ...graphql, fileBytes: () => Readable.from([]) });
  parts.defer(() => server.close());
  await server.listen({ host: '127.0.0.1', port: 0 });
  const kept = parts.move();
  return {
    url: `http://127.0.0.1:${port()}`,
    desk,
    logged: () => lines.join(''),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** A message of `relayStatus`. */
export interface Told {
  readonly sequence: number;
  readonly status: string;
}

export interface RelayFollower extends AsyncDisposable {
  /** The next change; `undefined` if there are no more. */
  next(): Promise<Told | undefined>;
  /** All changes until the end, such as `2 validating`. */
  rest(): Promise<string[]>;
}

/** Follows a request over WebSocket, as an integrator's client does. */
export function followOver({ url }: RelayInstance, relayRequestId: string, after?: number): RelayFollower {
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    onNonLazyError: () => undefined,
  });
  const events = client.iterate<{ relayStatus: Told }>({
    query: `subscription ($id: ID!, $after: Int) { relayStatus(relayRequestId: $id, after: $after) {
      relayRequestId sequence status createdAt updatedAt retryAllowed attemptNumber transactionHash publicReason
      statusUrl } }`,
    variables: { id: relayRequestId, after },
  });
  const next = async () => {
    const step = await events.next();
    if (step.done) return undefined;
    const { data, errors } = step.value;
    if (!data) throw new Error('The subscription broke.', { cause: errors });
    return data.relayStatus;
  };
  return {
    next,
    async rest() {
      const changes: string[] = [];
      for (let one = await next(); one; one = await next()) changes.push(`${one.sequence} ${one.status}`);
      return changes;
    },
    async [Symbol.asyncDispose]() {
      await client.dispose();
    },
  };
}
