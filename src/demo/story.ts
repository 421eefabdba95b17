import { decimalAmount } from '../platform/kernel/amounts.js';
import { randomUUID } from 'node:crypto';
import { Type } from 'typebox';
import { verifyDisclosureFile } from '../domain/disclosures/index.js';
import { base64 } from '../platform/kernel/encoding/bytes.js';
import { type ConfidentialAccount, type ConfidentialMint, createWallet } from '../../devnet/index.js';
import {
  AvailableDisclosure,
  requireLedgerCiphertexts,
  requireSentAmounts,
  type SentTransfer,
  tampered,
} from './checks.js';
import { DemoFailed, DemoGateway } from './gateway.js';
import { type DemoFile, ownerOf } from './organization.js';
import { type DemoEvent, storyteller } from './storyteller.js';

export interface DemoOutcome {
  readonly assetId: string;
  readonly mintAddress: string;
  readonly transfers: number;
  readonly disclosureId: string;
  readonly receiptId: string;
  /** The disclosure as the gateway returned it. */
  readonly disclosure: unknown;
  readonly durationMs: number;
}

export interface DemoStoryOptions {
  readonly demo: DemoFile;
  readonly tell: (event: DemoEvent) => void;
}

const STEPS = 13;
const DECIMALS = 6;
const DEPOSIT = 5_000_000_000n;
/** From Alice to Bob: amounts above and below 16 bits, where Token-2022 splits an amount in two. */
const PAYMENTS = [1_250_500_000n, 42_000_000n, 65_535n] as const;
const REFUND = 300_070_000n;
/** Two configured accounts, one deposit, two applied pending balances, and the transfers. */
const RECORDS = 2 + 1 + 2 + PAYMENTS.length + 1;

/** Runs the life of a confidential asset over the public APIs. The first failed check throws `DemoFailed`. */
export async function tellDemoStory({ demo, tell }: DemoStoryOptions): Promise<DemoOutcome> {
  const begun = performance.now();
  const step = storyteller(tell, STEPS);
  const detail = (text: string) => tell({ event: 'detail', text });
  const gateway = new DemoGateway(demo.baseUrl, (call, status) => tell({ event: 'call', call, status }));
  const backend = { authorization: `Bearer ${demo.apiKey}` };

  const wallet = await step('Connect to the gateway and the ledger', async () => {
    await gateway.expect({ method: 'GET', path: '/readyz' }, 200, Type.Object({}));
    detail(`A wallet on the ledger at ${demo.ledger.rpcUrl}, funded by the faucet`);
    return createWallet({ rpcUrl: demo.ledger.rpcUrl, onProgress: detail });
  });
  const asset = await step(`${demo.organization.name} registers an asset`, async () => {
    const workspaceId = demo.applications[0]?.foreignId;
    const body = { name: 'Confidential Euro', symbol: 'CEUR', decimals: DECIMALS, workspaceId };
    const headers = { ...backend, 'idempotency-key': randomUUID() };
    const call = { method: 'POST', path: '/v1/assets', body, headers };
    const { body: registered } = await gateway.expect(call, 201, Asset);
    detail(`${registered.id} is ${registered.status}. Auditor key: ${registered.auditorElGamalPubkey}`);
    return registered;
  });
  const path = `/v1/assets/${asset.id}`;
  const mint = await step('The issuer deploys the mint with that auditor key', () =>
    wallet.deployMint({ decimals: DECIMALS, auditorPublicKey: auditorKeyOf(asset) }),
  );
  const [alice, bob] = await step('Alice and Bob open accounts, and Alice deposits', () =>
    openAccounts(mint, detail),
  );
  const sent = await step('Alice and Bob send each other hidden amounts', () => pay(alice, bob, detail));
  await step('The issuer binds the mint to the asset', async () => {
    const body = { mintAddress: mint.address, deploymentSignature: mint.signature };
    const call = { method: 'PATCH', path: `${path}/mint`, body, headers: backend };
    const { body: bound } = await gateway.expect(call, 200, Asset);
    if (bound.status !== 'active') throw new DemoFailed(`The bound asset is ${bound.status}.`);
    detail('The asset is active. The indexer checks the mint and reads its history');
  });
  await step('The gateway indexes the transactions', async () => {
    const call = { method: 'GET', path: `${path}/indexer-status`, headers: backend };
    const status = await gateway.poll(call, IndexerStatus, (now) => {
      if (now.status === 'error') throw new DemoFailed(`The indexer refuses the mint: ${now.reason ?? ''}`);
      return now.registered && now.indexedCount >= RECORDS;
    });
    detail(`The mint passed verification, and ${status.indexedCount} records are indexed`);
  });
  const records = await step('The gateway shows only ciphertexts, as the ledger does', async () => {
    const query = 'type=confidential_transfer&limit=200';
    const call = { method: 'GET', path: `${path}/transactions?${query}`, headers: backend };
    const { transactions } = (await gateway.expect(call, 200, Transactions)).body;
    const missing = sent.find(
      ({ signature }) => !transactions.some((record) => record.networkTransactionId === signature),
    );
    if (missing) throw new DemoFailed(`The transfer ${missing.signature} is not listed.`);
    for (const { networkTransactionId, ciphertexts } of transactions) {
      const { lo, hi } = ciphertexts.auditor;
      detail(`${shortened(networkTransactionId)}  lo ${shortened(lo)}  hi ${shortened(hi)}`);
    }
    return transactions;
  });
  const requested = await step('A backend requests disclosure of the amounts', async () => {
    const body = {
      assetId: asset.id,
      purpose: 'Demonstration of a scoped disclosure',
      scope: { transactionIds: records.map(({ id }) => id), fields: ['amount'] },
      format: 'json',
      externalReference: 'demo',
    };
    const headers = { ...backend, 'idempotency-key': randomUUID() };
    const call = { method: 'POST', path: '/v1/disclosures', body, headers };
    const { body: disclosure } = await gateway.expect(call, 201, Disclosure);
    if (disclosure.status !== 'pending') throw new DemoFailed(`The disclosure is ${disclosure.status}.`);
    detail(`${disclosure.id} is pending: no policy applies, so a person decides`);
    return disclosure;
  });
  await step('The owner signs in and authorizes it', async () => {
    const owner = ownerOf(demo);
    await gateway.signedIn(owner, async (headers) => {
      const variables = { id: requested.id, reason: 'Demonstration' };
      await gateway.graphql(DECIDE, variables, headers);
      detail(`mutation decideDisclosure(decision: authorize) as ${owner.name}`);
    });
  });
  const disclosure = await step('The backend reads the amounts, with proofs and a receipt', async () => {
    const call = { method: 'GET', path: `/v1/disclosures/${requested.id}`, headers: backend };
    await gateway.poll(call, Disclosure, ({ status }) => status === 'available');
    const { body: available } = await gateway.expect({ ...call, quiet: true }, 200, AvailableDisclosure);
    for (const { networkTransactionId, amount } of available.result.records) {
      detail(`${shortened(networkTransactionId)}  ${formatted(BigInt(amount))} ${asset.symbol}`);
    }
    detail(`receipt ${available.result.receiptId}`);
    return available;
  });
  await step('Every amount is verified offline', async () => {
    const verification = verifyDisclosureFile(disclosure);
    for (const check of verification.checks) detail(`${check.passed ? 'pass' : 'FAIL'}  ${check.detail}`);
    if (!verification.valid) throw new DemoFailed('The disclosure failed verification.');
    requireSentAmounts(disclosure, sent);
    detail('The amounts match what the wallets sent');
    await requireLedgerCiphertexts(wallet, mint.address, disclosure);
    detail('The ciphertexts match the transactions on the ledger, and the key matches the mint');
    const failed = verifyDisclosureFile(tampered(disclosure)).checks.filter(({ passed }) => !passed);
    if (!failed.some(({ name }) => name === 'proofs'))
      throw new DemoFailed('A changed amount passed verification.');
    detail('A copy with one amount changed by one unit fails verification');
  });
  await step(`${demo.other.organization.name} cannot see any of it`, async () => {
    const headers = { authorization: `Bearer ${demo.other.apiKey}` };
    const paths = [path, `/v1/transactions/${sent[0]?.signature}`, `/v1/disclosures/${disclosure.id}`];
    for (const path of paths) {
      await gateway.expect({ method: 'GET', path, headers }, 404, Type.Object({}));
    }
  });
  return {
    assetId: asset.id,
    mintAddress: mint.address,
    transfers: sent.length,
    disclosureId: disclosure.id,
    receiptId: disclosure.result.receiptId,
    disclosure,
    durationMs: performance.now() - begun,
  };
}

const Asset = Type.Object({
  id: Type.String(),
  symbol: Type.String(),
  status: Type.String(),
  auditorElGamalPubkey: Type.String(),
});
const IndexerStatus = Type.Object({
  registered: Type.Boolean(),
  status: Type.String(),
  reason: Type.Optional(Type.String()),
  indexedCount: Type.Integer(),
});
const Transactions = Type.Object({
  transactions: Type.Array(
    Type.Object({
      id: Type.String(),
      networkTransactionId: Type.String(),
      ciphertexts: Type.Object({ auditor: Type.Object({ lo: Type.String(), hi: Type.String() }) }),
    }),
  ),
});
const Disclosure = Type.Object({ id: Type.String(), status: Type.String() });

const DECIDE = `mutation Decide($id: ID!, $reason: String!) {
  decideDisclosure(input: { id: $id, decision: authorize, reason: $reason }) { id status }
}`;

type Detail = (text: string) => void;

function auditorKeyOf(asset: { readonly auditorElGamalPubkey: string }): Uint8Array {
  const key = base64.decode(asset.auditorElGamalPubkey);
  if (key?.length !== 32) throw new DemoFailed('The auditor key is not 32 bytes in base64.');
  return key;
}

async function openAccounts(
  mint: ConfidentialMint,
  detail: Detail,
): Promise<readonly [ConfidentialAccount, ConfidentialAccount]> {
  const alice = await mint.configureAccount('Alice');
  const bob = await mint.configureAccount('Bob');
  await alice.fund(DEPOSIT);
  await alice.deposit(DEPOSIT);
  await alice.applyPending();
  detail(`Alice deposited ${formatted(DEPOSIT)}. Deposits are public; the amounts sent from here are hidden`);
  return [alice, bob];
}

async function pay(
  alice: ConfidentialAccount,
  bob: ConfidentialAccount,
  detail: Detail,
): Promise<SentTransfer[]> {
  const sent: SentTransfer[] = [];
  for (const amount of PAYMENTS) sent.push({ amount, signature: await alice.transfer(bob, amount) });
  await bob.applyPending();
  sent.push({ amount: REFUND, signature: await bob.transfer(alice, REFUND) });
  for (const { signature } of sent) detail(`Transaction ${signature}`);
  return sent;
}

const formatted = (amount: bigint) => decimalAmount(amount.toString(), DECIMALS);

const shortened = (text: string) => `${text.slice(0, 12)}…${text.slice(-4)}`;
