import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  ComputeBudgetProgram,
  Connection,
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
  sendAndConfirmTransaction,
} from '@solana/web3.js';
import { SCALAR_FIELD_ORDER } from '../../src/platform/crypto/index.js';
import {
  LOCAL_POOL_CIRCUIT,
  LOCAL_POOL_PROGRAM_ID,
  localPoolProgram,
  startLocalLedger,
  type LocalLedger,
} from '../../devnet/index.js';
import { failingPoolProgram } from '../../devnet/pool/local-pool.js';
import { LOCAL_POOL_KEY } from '../../devnet/pool/local-pool-key.js';
import { poolWithOutputsProgram } from '../kit/ledger/pool-with-outputs.js';

const PROGRAM = new PublicKey(LOCAL_POOL_PROGRAM_ID);
const COMPUTE_UNITS = 200_000;
/** SHA-256 of the three programs; `npm run pool-program -- --check` compiles them again and compares. */
const PROGRAM_HASHES = [
  '62b9fae5f9d990daccab985adc5ed20b60d0ce3f7b98df9f62cfb1c712672217',
  'd55700728b0d44d340c81a49b131d823c6e1a30570a70584825828f0ee9ada8c',
  'a73ea16776c2d13e68eef49c3bfa56283a6eaef5f31577d253516de130e181b4',
];

/** The program's error codes, with the names in `pool.c`. */
const FAULT = {
  wrongData: 1,
  wrongAccounts: 2,
  signalNotReduced: 3,
  pointInvalid: 4,
  proofInvalid: 5,
  wrongNullifierAccount: 6,
  nullifierSpent: 7,
} as const;

const be32 = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
let drawn = 0n;
/** Unused signals: root, publicAmount, extDataHash, two nullifiers, two commitments. */
const freshSignals = () => [7n, 0n, 9n, ...[1n, 2n, 3n, 4n].map((part) => (drawn += 1n) * 1_000n + part)];

const nullifierAccount = (nullifier: bigint) =>
  PublicKey.findProgramAddressSync([Buffer.from('nullifier'), be32(nullifier % (1n << 256n))], PROGRAM)[0];

interface Attempt {
  readonly signals?: readonly bigint[];
  readonly proof?: Uint8Array;
  readonly accounts?: readonly PublicKey[];
  readonly cut?: number;
}

describe('the test pool of the local ledger', () => {
  let ledger: LocalLedger;
  let connection: Connection;
  const payer = Keypair.generate();

  beforeAll(async () => {
    // A blockhash lives for 150 blocks, here 15 s, so that none expires on a busy machine.
    ledger = await startLocalLedger({ blockMs: 100 });
    ledger.addProgram(LOCAL_POOL_PROGRAM_ID, localPoolProgram());
    ledger.airdrop(payer.publicKey.toBase58(), 10_000_000_000);
    connection = new Connection(ledger.rpcUrl, { wsEndpoint: ledger.wsUrl, commitment: 'confirmed' });
  });
  afterAll(() => ledger.close());

  function transact({ signals = freshSignals(), proof, accounts, cut = 0 }: Attempt) {
    const bytes = proof ?? LOCAL_POOL_CIRCUIT.prove(signals, `proof ${signals.join()}`);
    const data = Buffer.concat([Uint8Array.of(1), bytes, ...signals.map(be32)]);
    const named = accounts ?? [signals[3]!, signals[4]!].map(nullifierAccount);
    return new Transaction().add(
      ComputeBudgetProgram.setComputeUnitLimit({ units: COMPUTE_UNITS }),
      new TransactionInstruction({
        programId: PROGRAM,
        data: data.subarray(0, data.length - cut),
        keys: [
          { pubkey: payer.publicKey, isSigner: true, isWritable: true },
          ...named.map((pubkey) => ({ pubkey, isSigner: false, isWritable: true })),
          { pubkey: SystemProgram.programId, isSigner: false, isWritable: false },
        ],
      }),
    );
  }

  const land = (attempt: Attempt) => sendAndConfirmTransaction(connection, transact(attempt), [payer]);

  /** The program's error for a simulated transaction. */
  async function faultOf(attempt: Attempt): Promise<number | undefined> {
    const { blockhash } = await connection.getLatestBlockhash();
    const message = new TransactionMessage({
      payerKey: payer.publicKey,
      recentBlockhash: blockhash,
      instructions: transact(attempt).instructions,
    }).compileToV0Message();
    const { value } = await connection.simulateTransaction(new VersionedTransaction(message));
    if (value.err === null) return undefined;
    const { InstructionError: fault } = value.err as { InstructionError: [number, { Custom: number }] };
    return fault[1].Custom;
  }

  it('has the key that follows from the name of its circuit', () => {
    expect(LOCAL_POOL_KEY).toEqual(LOCAL_POOL_CIRCUIT.verificationKey);
  });

  it('lands a valid proof, and takes ownership of its nullifier accounts', async () => {
    const signals = freshSignals();
    await land({ signals });
    for (const nullifier of signals.slice(3, 5)) {
      const account = await connection.getAccountInfo(nullifierAccount(nullifier));
      expect(account?.owner.equals(PROGRAM)).toBe(true);
      expect(account?.data).toHaveLength(0);
    }
    expect(await faultOf({ signals })).toBe(FAULT.nullifierSpent);
  });

  it('spends both nullifiers or neither', async () => {
    const [spent, fresh] = [freshSignals(), freshSignals()];
    await land({ signals: spent });
    expect(await faultOf({ signals: fresh.with(4, spent[3]!) })).toBe(FAULT.nullifierSpent);
    expect(await faultOf({ signals: fresh.with(4, fresh[3]!) })).toBe(FAULT.nullifierSpent);
    expect(await connection.getAccountInfo(nullifierAccount(fresh[3]!))).toBeNull();
  });

  it('refuses a proof if any one signal differs', async () => {
    const signals = freshSignals();
    const proof = LOCAL_POOL_CIRCUIT.prove(signals, 'proof');
    for (const at of signals.keys()) {
      const changed = signals.with(at, signals[at]! + 1n);
      expect([at, await faultOf({ signals: changed, proof })]).toEqual([at, FAULT.proofInvalid]);
    }
  });

  it('refuses an unreduced signal, which would be a second nullifier for one note', async () => {
    const signals = freshSignals();
    const proof = LOCAL_POOL_CIRCUIT.prove(signals, 'proof');
    const alias = signals.with(3, signals[3]! + SCALAR_FIELD_ORDER);
    expect(await faultOf({ signals: alias, proof })).toBe(FAULT.signalNotReduced);
  });

  it('refuses bytes that are not curve points', async () => {
    const signals = freshSignals();
    const proof = LOCAL_POOL_CIRCUIT.prove(signals, 'proof');
    proof[63]! ^= 1;
    expect(await faultOf({ signals, proof })).toBe(FAULT.pointInvalid);
    expect(await faultOf({ signals, proof: new Uint8Array(256) })).toBe(FAULT.proofInvalid);
  });

  it('refuses accounts other than the nullifiers’, and truncated data', async () => {
    const signals = freshSignals();
    const [, right] = [signals[3]!, signals[4]!].map(nullifierAccount);
    const stranger = Keypair.generate().publicKey;
    expect(await faultOf({ signals, accounts: [stranger, right!] })).toBe(FAULT.wrongNullifierAccount);
    expect(await faultOf({ signals, accounts: [right!] })).toBe(FAULT.wrongAccounts);
    expect(await faultOf({ signals, cut: 1 })).toBe(FAULT.wrongData);
  });

  // The minimum balance of an account, and more.
  it.each([890_880, 5_000_000])(
    'spends a nullifier whose account already holds %d lamports',
    async (lamports) => {
      const signals = freshSignals();
      const account = nullifierAccount(signals[3]!);
      ledger.airdrop(account.toBase58(), lamports);
      await land({ signals });
      expect((await connection.getAccountInfo(account))?.owner.equals(PROGRAM)).toBe(true);
      expect(await faultOf({ signals })).toBe(FAULT.nullifierSpent);
    },
  );

  it('has the expected hash, as do the other two programs', () => {
    const hashOf = (program: Uint8Array) => createHash('sha256').update(program).digest('hex');
    const programs = [localPoolProgram(), failingPoolProgram(), poolWithOutputsProgram()];
    expect(programs.map(hashOf)).toEqual(PROGRAM_HASHES);
  });

  // Only with the compiler that made it: another one produces other bytes from the same source.
  (hasCompiler() ? it : it.skip)('is what its source compiles to', () => {
    const root = path.resolve(import.meta.dirname, '../..');
    const build = (script: string, ...parameters: string[]) =>
      execFileSync(process.execPath, [path.join(root, 'scripts', script), ...parameters], {
        encoding: 'utf8',
      });
    build('build.mjs');
    const hashes = build('pool-program/build.mjs', '--check');
    for (const hash of PROGRAM_HASHES) expect(hashes).toContain(hash);
  });
});

function hasCompiler(): boolean {
  try {
    execFileSync('clang-14', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
