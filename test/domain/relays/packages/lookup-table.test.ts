import { describe, expect, it } from '@jest/globals';
import {
  AddressLookupTableProgram,
  Connection,
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  VersionedTransaction,
} from '@solana/web3.js';
import { buildMessage } from '../../../../src/domain/relays/execution/build-transaction.js';
import { relaySignals } from '../../../../src/domain/relays/packages/relay-identity.js';
import { parseRelayPackage } from '../../../../src/domain/relays/packages/relay-package.js';
import { LOCAL_POOL_SELECTOR } from '../../../../devnet/index.js';
import { forFile } from '../../../kit/for-file.js';
import { randomAddress } from '../../../kit/ledger/confidential-records.js';
import { localPools, openRelayRoom, type RelayRoom } from '../kit.js';

const SYSTEM_PROGRAM = SystemProgram.programId.toBase58();

const room = forFile(await openRelayRoom());
const addresses = [randomAddress(), SYSTEM_PROGRAM];
const table = await createTable(room.ledger, addresses);

describe('a pool with an address lookup table', () => {
  it('lands transactions of version 0 that name the accounts of the table by their position', async () => {
    const id = await room.submit();
    const worker = room.worker({
      pools: await localPools({ lookupTables: [{ address: table, addresses }] }),
    });
    expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded', attemptNumber: 1 });
    await worker.stop();
    expect(await room.spent(id)).toEqual([true, true]);
    const [attempt] = await room.attempts(id);
    const { version, message } = VersionedTransaction.deserialize(attempt!.transaction);
    expect(version).toBe(0);
    expect(message.staticAccountKeys.map(String)).not.toContain(SYSTEM_PROGRAM);
    expect(message.addressTableLookups).toEqual([
      { accountKey: new PublicKey(table), writableIndexes: [], readonlyIndexes: [1] },
    ]);
  });

  it('signs nothing if the descriptor differs from the table on the ledger', async () => {
    const id = await room.submit();
    const lookupTables = [{ address: table, addresses: addresses.toReversed() }];
    const worker = room.worker({ pools: await localPools({ lookupTables }) });
    expect(await room.untilEnded(id)).toMatchObject({ status: 'rejected', reason: 'simulation_failed' });
    await worker.stop();
    expect(await room.attempts(id)).toEqual([]);
  });

  it('relays again when the descriptor names a table that is on the ledger', async () => {
    const id = await room.submit();
    const missing = await localPools({ lookupTables: [{ address: randomAddress(), addresses }] });
    const before = room.worker({ pools: missing });
    expect(await room.untilEnded(id)).toMatchObject({
      ...{ status: 'failed', reason: 'infrastructure_failed' },
    });
    await before.stop();
    expect(await room.attempts(id)).toEqual([]);
    await room.retry(id);
    const worker = room.worker({
      pools: await localPools({ lookupTables: [{ address: table, addresses }] }),
    });
    expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
    await worker.stop();
  });

  it('can have more accounts than a transaction could name without a table', async () => {
    const fixed = Array.from({ length: 40 }, () => randomAddress());
    const accounts = [{ role: 'relayer' }, ...fixed.map((address) => ({ address, writable: true }))];
    const terms = {
      payer: room.signer.address,
      blockhash: PublicKey.default.toBase58(),
      ...{ computeUnits: 200_000, microLamportsPerUnit: 0 },
    };
    const messageWith = async (changes: object) => {
      const pool = (await localPools({ accounts, ...changes })).get(LOCAL_POOL_SELECTOR)!;
      const prepared = parseRelayPackage({
        ...{ version: 1, poolSelector: LOCAL_POOL_SELECTOR, zkConfigNonce: '3', applicationIdHints: [] },
        proofBytes: '00'.repeat(256),
        publicSignals: [1, 0, 3, 4, 5, 6, 7].map((signal) => String(signal).padStart(64, '0')),
      });
      return buildMessage(pool, prepared, relaySignals(prepared, pool.circuits.get('3')!), terms);
    };
    expect(await messageWith({})).toBeUndefined();
    const lookupTables = [{ address: table, addresses: fixed }];
    expect(await messageWith({ lookupTables })).toBeDefined();
  });
});

async function createTable(ledger: RelayRoom['ledger'], addresses: readonly string[]): Promise<string> {
  const connection = new Connection(ledger.rpcUrl, { commitment: 'confirmed', wsEndpoint: ledger.wsUrl });
  const authority = Keypair.generate();
  const payer = authority.publicKey;
  ledger.airdrop(payer.toBase58(), 1_000_000_000);
  const recentSlot = await connection.getSlot();
  const [create, table] = AddressLookupTableProgram.createLookupTable({
    ...{ authority: payer, payer, recentSlot },
  });
  const extend = AddressLookupTableProgram.extendLookupTable({
    ...{ lookupTable: table, authority: payer, payer },
    addresses: addresses.map((address) => new PublicKey(address)),
  });
  const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash();
  const transaction = new Transaction({ feePayer: payer, blockhash, lastValidBlockHeight });
  transaction.add(create, extend).sign(authority);
  const signature = await connection.sendRawTransaction(transaction.serialize());
  await connection.confirmTransaction({ signature, blockhash, lastValidBlockHeight });
  return table.toBase58();
}
