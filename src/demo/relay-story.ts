import { createClient } from 'graphql-ws';
import { Type, type TSchema } from 'typebox';
import { Value } from 'typebox/value';
import WebSocket from 'ws';
import { type Address, deriveAddress } from '../platform/ledger/index.js';
import { verifyRelayReceipt } from '../domain/relays/index.js';
import { LOCAL_POOL_PROGRAM_ID, LOCAL_POOL_SELECTOR } from '../../devnet/index.js';
import { DemoFailed, DemoGateway } from './gateway.js';
import { type DemoFile, ownerOf } from './organization.js';
import { type PreparedPackage, prepareLocalPackage, withWrongProof } from './relay-package.js';
import { type DemoEvent, storyteller } from './storyteller.js';

export interface RelayOutcome {
  readonly relayRequestId: string;
  readonly transactionHash: string;
  /** The package as it was submitted. */
  readonly package: object;
  /** Signed with the first organization's key. */
  readonly receipt: object;
  readonly durationMs: number;
}

export interface RelayStoryOptions {
  readonly demo: DemoFile;
  readonly tell: (event: DemoEvent) => void;
}

const STEPS = 9;
const SUBMISSIONS = '/api/relay-requests';

/** Runs the life of a relay over the public APIs of the gateway and the ledger. The first failed check throws `DemoFailed`. */
export async function tellRelayStory({ demo, tell }: RelayStoryOptions): Promise<RelayOutcome> {
  const begun = performance.now();
  const step = storyteller(tell, STEPS);
  const detail = (text: string) => tell({ event: 'detail', text });
  const gateway = new DemoGateway(demo.baseUrl, (call, status) => tell({ event: 'call', call, status }));
  const submit = (body: object, status: number) =>
    gateway.expect({ method: 'POST', path: SUBMISSIONS, body }, status, Accepted);

  await step('Find the relayer and its pool', async () => {
    await gateway.expect({ method: 'GET', path: '/readyz' }, 200, Type.Object({}));
    if (!demo.relayer.pools.includes(LOCAL_POOL_SELECTOR))
      throw new DemoFailed('This gateway does not serve the local test pool.');
    const lamports = await ledgerCall(demo, 'getBalance', [demo.relayer.address], Balance);
    detail(`${demo.relayer.address} pays the fees from a balance of ${lamports.value / 1e9} SOL`);
    detail(
      `${LOCAL_POOL_SELECTOR} is a test pool: anyone can make valid proofs for it, so they prove nothing`,
    );
  });
  const applicationIdHints = demo.applications.map(({ checkApplicationId }) => checkApplicationId);
  const plan = { poolSelector: LOCAL_POOL_SELECTOR, applicationIdHints };
  const prepared = prepareLocalPackage(plan);
  const accepted = await step('A wallet submits a package', async () => {
    const { body } = await submit(prepared.body, 202);
    detail(`${body.relayRequestId} is ${body.status}. Anyone who has this id may follow it`);
    return body;
  });
  const id = accepted.relayRequestId;
  await step('The wallet follows it over WebSocket', () => watch(demo, id, detail));
  const status = await step('The status request returns the same', async () => {
    const call = { method: 'GET', path: `${SUBMISSIONS}/${id}` };
    const { body } = await gateway.expect(call, 200, Succeeded);
    detail(`Transaction ${body.transactionHash}`);
    return body;
  });
  await step('The transaction is finalized, and both nullifiers are spent', () =>
    requireSpent(demo, status.transactionHash, prepared, detail),
  );
  await step('Submitting the same package again returns the same request', async () => {
    const { body } = await submit(prepared.body, 202);
    if (body.relayRequestId !== id) throw new DemoFailed('The repeated package created a second request.');
    detail(`${id}: nothing is sent twice`);
  });
  await step('A different package that spends the same notes is refused', async () => {
    const contradiction = prepareLocalPackage({ ...plan, nullifiers: prepared.spends });
    const call = { method: 'POST', path: SUBMISSIONS, body: contradiction.body };
    const { body } = await gateway.expect(call, 409, Refused);
    if (body.reason !== 'conflicting_payload') throw new DemoFailed(`It was refused with ${body.reason}.`);
    detail(`${body.reason}: the answer reveals nothing about the first request`);
  });
  await step('An invalid proof is rejected and blocks nothing', async () => {
    const fresh = prepareLocalPackage(plan);
    const { body } = await submit(withWrongProof(fresh), 202);
    if (body.status !== 'rejected')
      throw new DemoFailed(`A package with an invalid proof is ${body.status}.`);
    const { body: own } = await submit(fresh.body, 202);
    if (own.relayRequestId === body.relayRequestId) throw new DemoFailed('A rejected request was reused.');
    detail('rejected: invalid_proof. The same notes with a valid proof are accepted');
    await watch(demo, own.relayRequestId, detail);
  });
  const receipt = await step('The owner reads the history, and the receipt is verified offline', async () => {
    const { relayHistory } = await gateway.signedIn(ownerOf(demo), async (headers) => {
      const data = await gateway.graphql(HISTORY, { id }, headers);
      if (!Value.Check(History, data)) throw new DemoFailed('The history has an unexpected shape.');
      return data;
    });
    for (const attempt of relayHistory.attempts)
      detail(`Attempt ${attempt.number}: ${attempt.transactionHash}, ${attempt.outcome ?? 'open'}`);
    const [found] = relayHistory.receipts;
    if (!found) throw new DemoFailed('The relay has no receipt.');
    const verification = verifyRelayReceipt({ receipt: found, package: prepared.body });
    for (const check of verification.checks) detail(`${check.passed ? 'pass' : 'FAIL'}  ${check.detail}`);
    if (!verification.valid) throw new DemoFailed('The receipt failed verification.');
    return found;
  });
  return {
    relayRequestId: id,
    receipt,
    transactionHash: status.transactionHash,
    package: prepared.body,
    durationMs: performance.now() - begun,
  };
}

const HISTORY = `query ($id: ID!) {
  relayHistory(relayRequestId: $id) {
    attempts { number transactionHash outcome }
    receipts { body signature verifierKey }
  }
}`;

const WATCHING = `subscription ($id: ID!) {
  relayStatus(relayRequestId: $id, after: 0) { sequence status publicReason transactionHash }
}`;

/** Follows the request until it ends, which must be with success. */
async function watch(demo: DemoFile, id: string, detail: (text: string) => void): Promise<void> {
  const url = `${demo.baseUrl.replace(/^http/, 'ws')}/graphql`;
  const client = createClient({ url, webSocketImpl: WebSocket, retryAttempts: 0 });
  let last = 'unknown';
  let sequence = 0;
  try {
    for await (const answer of client.iterate({ query: WATCHING, variables: { id } })) {
      if (!Value.Check(Watched, answer))
        throw new DemoFailed('The subscription returned an unexpected shape.');
      const now = answer.data.relayStatus;
      if (now.sequence !== sequence + 1)
        throw new DemoFailed(`Change ${sequence} was followed by ${now.sequence}.`);
      ({ sequence, status: last } = now);
      detail(`${now.sequence}  ${now.status}${now.publicReason ? `: ${now.publicReason}` : ''}`);
    }
  } finally {
    await client.dispose();
  }
  if (last !== 'succeeded') throw new DemoFailed(`The relay ended as ${last}.`);
}

async function requireSpent(
  demo: DemoFile,
  signature: string,
  { nullifiers }: PreparedPackage,
  detail: (text: string) => void,
): Promise<void> {
  const { value } = await ledgerCall(demo, 'getSignatureStatuses', [[signature]], Statuses);
  const [found] = value;
  if (found?.confirmationStatus !== 'finalized' || found.err !== null)
    throw new DemoFailed('The ledger does not have the transaction as finalized.');
  detail(`Finalized in slot ${found.slot}`);
  for (const nullifier of nullifiers) {
    const account = deriveAddress(LOCAL_POOL_PROGRAM_ID as Address, [Buffer.from('nullifier'), nullifier]);
    const information = await ledgerCall(demo, 'getAccountInfo', [account, { encoding: 'base64' }], Owner);
    if (information.value?.owner !== LOCAL_POOL_PROGRAM_ID)
      throw new DemoFailed(`${account} does not belong to the pool.`);
    detail(`Nullifier account ${account} exists: spent`);
  }
}

async function ledgerCall<Schema extends TSchema>(
  { ledger }: DemoFile,
  method: string,
  params: readonly unknown[],
  schema: Schema,
) {
  const answer = await fetch(ledger.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const body = (await answer.json()) as { readonly result?: unknown };
  if (!Value.Check(schema, body.result)) throw new DemoFailed(`The ledger does not answer ${method}.`);
  return body.result;
}

const Accepted = Type.Object({ relayRequestId: Type.String(), status: Type.String() });
const Succeeded = Type.Object({ status: Type.Literal('succeeded'), transactionHash: Type.String() });
const Refused = Type.Object({ reason: Type.String() });
const Watched = Type.Object({
  data: Type.Object({
    relayStatus: Type.Object({
      sequence: Type.Integer(),
      status: Type.String(),
      publicReason: Type.Union([Type.String(), Type.Null()]),
    }),
  }),
});
const History = Type.Object({
  relayHistory: Type.Object({
    attempts: Type.Array(
      Type.Object({
        number: Type.Integer(),
        transactionHash: Type.String(),
        outcome: Type.Union([Type.String(), Type.Null()]),
      }),
    ),
    receipts: Type.Array(
      Type.Object({ body: Type.Unknown(), signature: Type.String(), verifierKey: Type.String() }),
    ),
  }),
});
const Balance = Type.Object({ value: Type.Number() });
const Statuses = Type.Object({
  value: Type.Array(
    Type.Union([
      Type.Null(),
      Type.Object({
        slot: Type.Integer(),
        err: Type.Unknown(),
        confirmationStatus: Type.String(),
      }),
    ]),
  ),
});
const Owner = Type.Object({ value: Type.Union([Type.Null(), Type.Object({ owner: Type.String() })]) });
