import { Type } from 'typebox';
import { base64 } from '../platform/kernel/encoding/bytes.js';
import { type ConfidentialAccount, type ConfidentialMint, createWallet } from '../../devnet/index.js';
import { DemoFailed } from './gateway.js';
import { Anything, type DemoDesk } from './demo-desk.js';

export interface DemoAsset {
  readonly name: string;
  readonly symbol: string;
  readonly policy: string;
}

const DECIMALS = 6;
const UNIT = 1_000_000n;
const NAMES = ['Alice', 'Bob', 'Carol'] as const;
/** Each account deposits this often, in transactions of several instructions. */
const DEPOSIT_TRANSACTIONS = 4;
const DEPOSITS_EACH = 10;
const TRANSFERS = 9;
const WITHDRAWALS = 2;
const MOVING_RECORDS = NAMES.length * DEPOSIT_TRANSACTIONS * DEPOSITS_EACH + TRANSFERS + WITHDRAWALS;

const Asset = Type.Object({
  id: Type.String(),
  name: Type.String(),
  status: Type.String(),
  auditorElGamalPubkey: Type.String(),
});
const ASSET = '{ id name status auditorElGamalPubkey }';
const Status = Type.Object({ registered: Type.Boolean(), indexedCount: Type.Integer() });

/**
 * Registers an asset, moves amounts on the ledger, and then binds its mint. A run that was interrupted starts again with a new
 * mint. An asset with a mint is not changed.
 */
export async function fillAsset(desk: DemoDesk, { name, symbol, policy }: DemoAsset): Promise<string> {
  const { assets } = await desk.backend(
    Type.Object({ assets: Type.Object({ nodes: Type.Array(Asset) }) }),
    `{ assets(first: 200) { nodes ${ASSET} } }`,
  );
  const known = assets.nodes.find((asset) => asset.name === name);
  const asset = known ?? (await registerAsset(desk, { name, symbol, policy }));
  if (asset.status === 'pending') {
    const mint = await moveAmounts(desk, asset.auditorElGamalPubkey);
    await desk.backend(Anything, 'mutation ($input: BindMintInput!) { bindMint(input: $input) { id } }', {
      input: { assetId: asset.id, mintAddress: mint.address, deploymentSignature: mint.signature },
    });
  }
  const call = {
    method: 'GET',
    path: `/v1/assets/${asset.id}/indexer-status`,
    headers: { authorization: `Bearer ${desk.demo.apiKey}` },
  };
  await desk.gateway.poll(call, Status, (now) => now.registered && now.indexedCount >= MOVING_RECORDS);
  return asset.id;
}

async function registerAsset(desk: DemoDesk, { name, symbol, policy }: DemoAsset) {
  const { createAsset } = await desk.backend(
    Type.Object({ createAsset: Asset }),
    `mutation ($input: CreateAssetInput!) { createAsset(input: $input) ${ASSET} }`,
    {
      input: {
        ...{ name, symbol, decimals: DECIMALS, workspaceId: desk.foreignId, disclosurePolicyId: policy },
        idempotencyKey: `demo-data-${symbol}`,
      },
    },
  );
  return createAsset;
}

async function moveAmounts({ demo }: DemoDesk, auditorKey: string): Promise<ConfidentialMint> {
  const auditorPublicKey = base64.decode(auditorKey);
  if (auditorPublicKey?.length !== 32) throw new DemoFailed('The auditor key is not 32 bytes in base64.');
  const wallet = await createWallet({ rpcUrl: demo.ledger.rpcUrl });
  const mint = await wallet.deployMint({ decimals: DECIMALS, auditorPublicKey });
  const accounts: ConfidentialAccount[] = [];
  for (const name of NAMES) accounts.push(await openAccount(mint, name));
  const [alice, bob, carol] = accounts as [ConfidentialAccount, ConfidentialAccount, ConfidentialAccount];
  const ways = [
    [alice, bob],
    [bob, carol],
    [carol, alice],
  ] as const;
  for (let index = 0; index < TRANSFERS; index += 1) {
    const [from, to] = ways[index % ways.length]!;
    await from.transfer(to, UNIT * BigInt(3 + 7 * index) + BigInt(index));
  }
  for (const account of [alice, bob].slice(0, WITHDRAWALS)) await account.withdraw(2n * UNIT);
  return mint;
}

/** An account that others can pay, with a balance of many deposits. */
async function openAccount(mint: ConfidentialMint, name: string): Promise<ConfidentialAccount> {
  const account = await mint.configureAccount(name);
  // All transactions differ, because the ledger refuses repetitions.
  const deposits = Array.from({ length: DEPOSIT_TRANSACTIONS }, (_, round) =>
    Array.from({ length: DEPOSITS_EACH }, (_each, index) => UNIT * BigInt(5 + index * 3) + BigInt(round)),
  );
  await account.fund(deposits.flat().reduce((sum, amount) => sum + amount, 0n));
  for (const amounts of deposits) await account.depositEach(amounts);
  await account.applyPending();
  return account;
}
