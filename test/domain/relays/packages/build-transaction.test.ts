import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Connection, Keypair, PublicKey, VersionedMessage, VersionedTransaction } from '@solana/web3.js';
import { address } from '../../../../src/platform/ledger/index.js';
import {
  LOCAL_POOL_CIRCUIT,
  LOCAL_POOL_PROGRAM_ID,
  LOCAL_POOL_SELECTOR,
  LOCAL_POOLS_FILE,
  localPoolProgram,
  startLocalLedger,
  type LocalLedger,
} from '../../../../devnet/index.js';
import {
  buildMessage,
  nullifierAccounts,
} from '../../../../src/domain/relays/execution/build-transaction.js';
import { parsePoolsFile, type PoolDescriptor } from '../../../../src/domain/relays/pools/pool-descriptor.js';
import { relaySignals } from '../../../../src/domain/relays/packages/relay-identity.js';
import { parseRelayPackage } from '../../../../src/domain/relays/packages/relay-package.js';

const SIGNALS = [1n, 0n, 3n, 4n, 5n, 6n, 7n];
const RECIPIENT = 'HUwk5maVn86j1eheSddwdtkekkxsygiU72Yv29tfdkFp';
const word = (value: bigint) => value.toString(16).padStart(64, '0');
const noFile = () => Promise.reject(new Error('none'));

const packageOf = (changes: object = {}) =>
  parseRelayPackage({
    version: 1,
    poolSelector: LOCAL_POOL_SELECTOR,
    zkConfigNonce: '3',
    proofBytes: Buffer.from(LOCAL_POOL_CIRCUIT.prove(SIGNALS, 'proof')).toString('hex'),
    publicSignals: SIGNALS.map(word),
    applicationIdHints: [],
    ...changes,
  });

async function poolOf(changes: object = {}): Promise<PoolDescriptor> {
  const file = { pools: [{ ...LOCAL_POOLS_FILE.pools[0], ...changes }] };
  const pools = await parsePoolsFile(file, noFile);
  return pools.get(LOCAL_POOL_SELECTOR)!;
}

describe('the transaction of a package', () => {
  let ledger: LocalLedger;
  let connection: Connection;
  const relayer = Keypair.generate();
  const terms = (blockhash: string) => ({
    payer: address(relayer.publicKey.toBase58()),
    blockhash,
    computeUnits: 200_000,
    microLamportsPerUnit: 1_000,
  });
  const anyBlockhash = PublicKey.default.toBase58();

  beforeAll(async () => {
    ledger = await startLocalLedger({ blockMs: 20 });
    ledger.addProgram(LOCAL_POOL_PROGRAM_ID, localPoolProgram());
    ledger.airdrop(relayer.publicKey.toBase58(), 10_000_000_000);
    connection = new Connection(ledger.rpcUrl, { wsEndpoint: ledger.wsUrl, commitment: 'confirmed' });
  });
  afterAll(() => ledger.close());

  it('has version 0, lands at the pool of its descriptor, and spends its nullifiers', async () => {
    const pool = await poolOf();
    const relayPackage = packageOf();
    const signals = relaySignals(relayPackage, pool.circuits.get('3')!);
    const accounts = nullifierAccounts(pool, signals).map((account) => new PublicKey(account));
    expect(await connection.getMultipleAccountsInfo(accounts)).toEqual([null, null]);
    const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash();
    const transaction = new VersionedTransaction(
      VersionedMessage.deserialize(buildMessage(pool, relayPackage, signals, terms(blockhash))!),
    );
    expect(transaction.version).toBe(0);
    transaction.sign([relayer]);
    const signature = await connection.sendTransaction(transaction);
    const { value } = await connection.confirmTransaction({ signature, blockhash, lastValidBlockHeight });
    expect(value.err).toBeNull();
    for (const account of await connection.getMultipleAccountsInfo(accounts))
      expect(account?.owner.toBase58()).toBe(LOCAL_POOL_PROGRAM_ID);
  });

  it('is the same for the same package and terms', async () => {
    const pool = await poolOf();
    const relayPackage = packageOf();
    const signals = relaySignals(relayPackage, pool.circuits.get('3')!);
    const bytes = () => buildMessage(pool, relayPackage, signals, terms(anyBlockhash));
    expect(bytes()).toBeDefined();
    expect(bytes()).toEqual(bytes());
  });

  it('names the accounts in the order of the descriptor, one for each of its signals', async () => {
    const pool = await poolOf({
      accounts: [
        { role: 'relayer' },
        { role: 'recipient', writable: true },
        { pda: [{ utf8: 'tree' }, { signal: 'root' }] },
        { pda: [{ hex: '0xff' }, { signal: 'each' }], forEach: 'commitments', writable: true },
      ],
    });
    const relayPackage = packageOf({ recipient: RECIPIENT });
    const signals = relaySignals(relayPackage, pool.circuits.get('3')!);
    const message = VersionedMessage.deserialize(
      buildMessage(pool, relayPackage, signals, terms(anyBlockhash))!,
    );
    const keys = message.getAccountKeys();
    const named = message.compiledInstructions.at(-1)!.accountKeyIndexes.map((at) => ({
      key: keys.get(at)!.toBase58(),
      writable: message.isAccountWritable(at),
      signs: message.isAccountSigner(at),
    }));
    const derived = (...seeds: Buffer[]) =>
      PublicKey.findProgramAddressSync(seeds, new PublicKey(LOCAL_POOL_PROGRAM_ID))[0].toBase58();
    const bytes = (value: bigint) => Buffer.from(word(value), 'hex');
    expect(named).toEqual([
      { key: relayer.publicKey.toBase58(), writable: true, signs: true },
      { key: RECIPIENT, writable: true, signs: false },
      { key: derived(Buffer.from('tree'), bytes(1n)), writable: false, signs: false },
      { key: derived(Buffer.of(0xff), bytes(6n)), writable: true, signs: false },
      { key: derived(Buffer.of(0xff), bytes(7n)), writable: true, signs: false },
    ]);
  });

  it('is too large if the ciphertext is too long', async () => {
    const pool = await poolOf({ instruction: { prefix: '01', data: ['proof', 'signals', 'ciphertext'] } });
    for (const [length, fits] of [
      [100, true],
      [600, false],
      [5_000, false],
    ] as const) {
      const relayPackage = packageOf({ ciphertextBytes: '00'.repeat(length) });
      const signals = relaySignals(relayPackage, pool.circuits.get('3')!);
      const message = buildMessage(pool, relayPackage, signals, terms(anyBlockhash));
      expect([length, message !== undefined]).toEqual([length, fits]);
    }
  });
});
