import { createClient } from 'graphql-ws';
import { Type, type TSchema } from 'typebox';
import { Value } from 'typebox/value';
import WebSocket from 'ws';
import { deriveAddress, type Address } from '../../ledger/index.js';
import { verifyRelayReceipt } from '../../relays/index.js';
import { LOCAL_POOL_PROGRAM_ID, LOCAL_POOL_SELECTOR } from '../pool/local-pool.js';
import { DemoFailed, DemoGateway } from './gateway.js';
import { ownerOf, type DemoFile } from './organization.js';
import { prepareLocalPackage, withWrongProof, type PreparedPackage } from './relay-package.js';
import { storyteller, type DemoEvent } from './storyteller.js';

export interface RelayOutcome {
  readonly relayRequestId: string;
  readonly transactionHash: string;
  /** As it was submitted, to submit it again. */
  readonly package: object;
  /** Signed by the first organization's key. */
  readonly receipt: object;
  readonly milliseconds: number;
}

export interface RelayStoryOptions {
  readonly demo: DemoFile;
  readonly tell: (event: DemoEvent) => void;
}

const STEPS = 9;
const SUBMISSIONS = '/api/relay-requests';

/**
 * The life of a relay, over the gateway's public HTTP and WebSocket and the ledger's JSON-RPC only: submitted, watched
 * live, found on the ledger, repeated, contradicted, and read with its receipt. Throws `DemoFailed` as soon as anything
 * is not as it must be.
 */
export async function tellRelayStory({ demo, tell }: RelayStoryOptions): Promise<RelayOutcome> {
  const begun = performance.now();
  const step = storyteller(tell, STEPS);
  const detail = (text: string) => tell({ event: 'detail', text });
  const gateway = new DemoGateway(demo.baseUrl, (call, status) => tell({ event: 'call', call, status }));
  const submit = (body: object, status: number) =>
    gateway.expect({ method: 'POST', path: SUBMISSIONS, body }, status, Accepted);

  await step('The relayer and its pool', async () => {
    await gateway.expect({ method: 'GET', path: '/readyz' }, 200, Type.Object({}));
    if (!demo.relayer.pools.includes(LOCAL_POOL_SELECTOR))
      throw new DemoFailed('This gateway does not serve the local test pool.');
    const lamports = await ledgerCall(demo, 'getBalance', [demo.relayer.address], Balance);
    detail(`${demo.relayer.address} pays the fees, and has ${lamports.value / 1e9} SOL`);
    detail(`${LOCAL_POOL_SELECTOR} is a test pool: its key has a public trapdoor, its proofs prove nothing`);
  });
  const applicationIdHints = demo.applications.map(({ checkApplicationId }) => checkApplicationId);
  const plan = { poolSelector: LOCAL_POOL_SELECTOR, applicationIdHints };
  const prepared = prepareLocalPackage(plan);
  const accepted = await step('A wallet submits a package', async () => {
    const { body } = await submit(prepared.body, 202);
    detail(`${body.relayRequestId} is ${body.status}; whoever knows this id may watch it`);
    return body;
  });
  const id = accepted.relayRequestId;
  await step('It is watched live', () => watch(demo, id, detail));
  const status = await step('The status says so too', async () => {
    const call = { method: 'GET', path: `${SUBMISSIONS}/${id}` };
    const { body } = await gateway.expect(call, 200, Succeeded);
    detail(`transaction ${body.transactionHash}`);
    return body;
  });
  await step('The ledger has it, finalized, and both nullifiers are spent', () =>
    requireSpent(demo, status.transactionHash, prepared, detail),
  );
  await step('The same package again is the same request', async () => {
    const { body } = await submit(prepared.body, 202);
    if (body.relayRequestId !== id) throw new DemoFailed('A repeated package became another request.');
    detail(`${id}: nothing was sent again`);
  });
  await step('Another package that spends the same notes is refused', async () => {
    const contradiction = prepareLocalPackage({ ...plan, nullifiers: prepared.spends });
    const call = { method: 'POST', path: SUBMISSIONS, body: contradiction.body };
    const { body } = await gateway.expect(call, 409, Refused);
    if (body.reason !== 'conflicting_payload') throw new DemoFailed(`It was refused for ${body.reason}.`);
    detail(`409 ${body.reason}, and nothing of the request that holds them`);
  });
  await step('A proof of something else is rejected, and blocks nobody', async () => {
    const fresh = prepareLocalPackage(plan);
    const { body } = await submit(withWrongProof(fresh), 202);
    if (body.status !== 'rejected') throw new DemoFailed(`A wrong proof was ${body.status}.`);
    const { body: own } = await submit(fresh.body, 202);
    if (own.relayRequestId === body.relayRequestId) throw new DemoFailed('A rejected request was reused.');
    detail('rejected: invalid_proof; the note’s owner submits the right proof, and it is accepted');
    await watch(demo, own.relayRequestId, detail);
  });
  const receipt = await step('The owner reads its history, and its receipt is verified offline', async () => {
    const { relayHistory } = await gateway.signedIn(ownerOf(demo), async (headers) => {
      const data = await gateway.graphql(HISTORY, { id }, headers);
      if (!Value.Check(History, data)) throw new DemoFailed('The history is in an unexpected form.');
      return data;
    });
    for (const attempt of relayHistory.attempts)
      detail(`attempt ${attempt.number}: ${attempt.transactionHash}, ${attempt.outcome ?? 'open'}`);
    const [found] = relayHistory.receipts;
    if (!found) throw new DemoFailed('The relay has no receipt.');
    const verification = verifyRelayReceipt({ receipt: found, package: prepared.body });
    for (const { passed, detail: said } of verification.checks)
      detail(`${passed ? 'pass' : 'FAIL'}  ${said}`);
    if (!verification.valid) throw new DemoFailed('The receipt does not verify.');
    return found;
  });
  return {
    relayRequestId: id,
    receipt,
    transactionHash: status.transactionHash,
    package: prepared.body,
    milliseconds: performance.now() - begun,
  };
}

const HISTORY = `query ($id: String!) {
  relayHistory(id: $id) {
    attempts { number transactionHash outcome }
    receipts { body signature verifierKey }
  }
}`;

const WATCHING = `subscription ($id: String!) {
  relayStatus(relayRequestId: $id, after: 0) { sequence status publicReason transactionHash }
}`;

/** Follows the request to its end, which must be success. */
async function watch(demo: DemoFile, id: string, detail: (text: string) => void): Promise<void> {
  const url = `${demo.baseUrl.replace(/^http/, 'ws')}/graphql`;
  const client = createClient({ url, webSocketImpl: WebSocket, retryAttempts: 0 });
  let last = 'unknown';
  let sequence = 0;
  try {
    for await (const answer of client.iterate({ query: WATCHING, variables: { id } })) {
      if (!Value.Check(Watched, answer))
        throw new DemoFailed('The subscription answered in an unexpected form.');
      const now = answer.data.relayStatus;
      if (now.sequence !== sequence + 1)
        throw new DemoFailed(`Behind change ${sequence} came ${now.sequence}.`);
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
  detail(`finalized in slot ${found.slot}`);
  for (const nullifier of nullifiers) {
    const account = deriveAddress(LOCAL_POOL_PROGRAM_ID as Address, [Buffer.from('nullifier'), nullifier]);
    const information = await ledgerCall(demo, 'getAccountInfo', [account, { encoding: 'base64' }], Owner);
    if (information.value?.owner !== LOCAL_POOL_PROGRAM_ID)
      throw new DemoFailed(`${account} is not the pool's.`);
    detail(`${account} is the pool’s: spent`);
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
