import { Type } from 'typebox';
import { FAILING_POOL_SELECTOR, LOCAL_POOL_SELECTOR, UNDEPLOYED_POOL_SELECTOR } from '../../devnet/index.js';
import { DemoGateway } from './gateway.js';
import { type DemoFile, ownerOf } from './organization.js';
import { prepareLocalPackage } from './relay-package.js';
import { type DemoEvent, storyteller } from './storyteller.js';
import { fillAsset } from './asset-data.js';
import { fillCases } from './case-data.js';
import { Anything, type DemoDesk, openDesk, personOf } from './demo-desk.js';

const POLICY = 'demo-small';
const ASSETS = [
  { name: 'Demo Euro', symbol: 'DEUR', policy: POLICY },
  { name: 'Demo Dollar', symbol: 'DUSD', policy: POLICY },
] as const;
const STEPS = 6;

/**
 * Fills the first demo organization with sample data, only through public HTTP and the ledger's JSON-RPC. Existing data is
 * not changed, so the next run completes one that was stopped.
 */
export async function fillDemo({
  demo,
  tell,
}: {
  readonly demo: DemoFile;
  readonly tell: (event: DemoEvent) => void;
}): Promise<void> {
  const step = storyteller(tell, STEPS);
  const desk = openDesk(
    new DemoGateway(demo.baseUrl, (call, status) => tell({ event: 'call', call, status })),
    demo,
  );
  await step('The owner makes a policy, and the administrator keeps addresses', async () => {
    await fillPolicy(desk);
    await fillAddresses(desk);
  });
  await step('A wallet relays a payment that will not land', () => fillRelays(desk, [FAILING_RELAY]));
  const assets = await step('Customers move two assets on the ledger', async () => {
    const ids: string[] = [];
    for (const asset of ASSETS) ids.push(await fillAsset(desk, asset));
    return ids;
  });
  await step('A backend asks for disclosures', () => fillDisclosures(desk, assets[0]!));
  await step('Auditors ask for cases and work on them', () => fillCases(desk));
  await step('Wallets relay payments', () => fillRelays(desk, RELAYS));
}

async function fillPolicy(desk: DemoDesk): Promise<void> {
  await desk.as(ownerOf(desk.demo), async (ask) => {
    const { disclosurePolicies } = await ask(
      Type.Object({
        disclosurePolicies: Type.Object({ nodes: Type.Array(Type.Object({ key: Type.String() })) }),
      }),
      '{ disclosurePolicies(first: 200) { nodes { key } } }',
    );
    if (disclosurePolicies.nodes.some(({ key }) => key === POLICY)) return;
    await ask(
      Anything,
      'mutation ($input: CreateDisclosurePolicyInput!) { createDisclosurePolicy(input: $input) { id } }',
      {
        input: {
          key: POLICY,
          name: 'A few records at once, more after a review',
          allowedFields: ['amount'],
          allowedFormats: ['json', 'csv'],
          maximumRecords: 10,
          inside: 'authorize',
          outside: 'review',
        },
      },
    );
  });
}

const REVOKED_ADDRESS = 'Config1111111111111111111111111111111111111';
const ADDRESSES = [
  ['approveAddress', 'Stake11111111111111111111111111111111111111', 'A customer since 2024'],
  ['approveAddress', 'ComputeBudget111111111111111111111111111111', 'The treasury of a partner'],
  ['revokeAddress', REVOKED_ADDRESS, 'The customer left'],
] as const;

/** Approving an approved address changes nothing. */
async function fillAddresses(desk: DemoDesk): Promise<void> {
  await desk.as(personOf(desk, 'administrator'), async (ask) => {
    for (const [name, address, reason] of ADDRESSES) {
      const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`;
      await ask(Anything, `mutation ($input: ${type}!) { ${name}(input: $input) { address } }`, {
        input: { foreignId: desk.foreignId, network: 'solana', address, reason },
      });
    }
  });
}

const Records = Type.Object({ nodes: Type.Array(Type.Object({ id: Type.String() })) });
const Requested = Type.Object({
  requestDisclosure: Type.Object({ id: Type.String(), status: Type.String() }),
});

/** One that the policy authorizes, one that waits for a person, and one that the owner rejects. */
async function fillDisclosures(desk: DemoDesk, assetId: string): Promise<void> {
  const { transfers, deposits, disclosures } = await desk.backend(
    Type.Object({
      transfers: Records,
      deposits: Records,
      disclosures: Type.Object({
        nodes: Type.Array(Type.Object({ externalReference: Type.Union([Type.String(), Type.Null()]) })),
      }),
    }),
    `query ($id: ID!) { transfers: transactions(assetId: $id, type: confidential_transfer, first: 40) { nodes { id } }
      deposits: transactions(assetId: $id, type: confidential_deposit, first: 40) { nodes { id } }
      disclosures(assetId: $id, first: 200) { nodes { externalReference } } }`,
    { id: assetId },
  );
  // Amounts that can be proven come first: the ledger shows those of deposits itself.
  const records = [...transfers.nodes, ...deposits.nodes];
  const ask = async (externalReference: string, purpose: string, count: number) => {
    if (disclosures.nodes.some((known) => known.externalReference === externalReference)) return undefined;
    const { requestDisclosure } = await desk.backend(
      Requested,
      'mutation ($input: RequestDisclosureInput!) { requestDisclosure(input: $input) { id status } }',
      {
        input: {
          assetId,
          purpose,
          scope: {
            transactionIds: records.slice(0, count).map(({ id }) => id),
            fields: ['amount'],
          },
          format: 'json',
          externalReference,
          idempotencyKey: `demo-data-${externalReference}`,
        },
      },
    );
    return requestDisclosure;
  };
  await ask('demo-tax', 'Tax return of a customer', 5);
  await ask('demo-review', 'Yearly statement of the bank', 40);
  const refused = await ask('demo-refused', 'Marketing', 30);
  if (refused?.status !== 'pending') return;
  await desk.as(ownerOf(desk.demo), (owner) =>
    owner(Anything, 'mutation ($input: DecideDisclosureInput!) { decideDisclosure(input: $input) { id } }', {
      input: { id: refused.id, decision: 'reject', reason: 'Marketing is no reason to see amounts.' },
    }),
  );
}

const Accepted = Type.Object({ relayRequestId: Type.String(), status: Type.String() });

interface DemoRelay {
  /** How it ends. If absent, the demo does not wait for the end. */
  readonly outcome?: 'succeeded' | 'rejected';
  readonly poolSelector: string;
  readonly changes: { readonly recipient?: string };
}

/** It fails when its blockhash has expired, a minute after it was signed, while the rest of the data is made. */
const FAILING_RELAY: DemoRelay = { poolSelector: FAILING_POOL_SELECTOR, changes: {} };

/** Ends of a relay, and what of a package leads to each. */
const RELAYS: readonly DemoRelay[] = [
  { outcome: 'succeeded', poolSelector: LOCAL_POOL_SELECTOR, changes: {} },
  // Screening refuses addresses that the application revoked.
  { outcome: 'rejected', poolSelector: LOCAL_POOL_SELECTOR, changes: { recipient: REVOKED_ADDRESS } },
  // The simulation finds no program.
  { outcome: 'rejected', poolSelector: UNDEPLOYED_POOL_SELECTOR, changes: {} },
];

/** Creates each of these relays, unless it exists already. */
async function fillRelays(desk: DemoDesk, wanted: readonly DemoRelay[]): Promise<void> {
  const { demo, gateway } = desk;
  const { relays } = await desk.as(ownerOf(demo), (ask) =>
    ask(
      Type.Object({
        relays: Type.Object({
          nodes: Type.Array(Type.Object({ status: Type.String(), poolSelector: Type.String() })),
        }),
      }),
      '{ relays(first: 200) { nodes { status poolSelector } } }',
    ),
  );
  const applicationIdHints = demo.applications.map(({ checkApplicationId }) => checkApplicationId);
  for (const { outcome, poolSelector, changes } of wanted) {
    const isThere = relays.nodes.some(
      (known) => known.poolSelector === poolSelector && (outcome === undefined || known.status === outcome),
    );
    if (isThere || !demo.relayer.pools.includes(poolSelector)) continue;
    const { body: prepared } = prepareLocalPackage({ poolSelector, applicationIdHints, ...changes });
    const submission = { method: 'POST', path: '/api/relay-requests', body: prepared };
    const { body } = await gateway.expect(submission, 202, Accepted);
    if (outcome === undefined) continue;
    const call = { method: 'GET', path: `/api/relay-requests/${body.relayRequestId}` };
    await gateway.poll(call, Type.Object({ status: Type.String() }), ({ status }) => status === outcome);
  }
}
