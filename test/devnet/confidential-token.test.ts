import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ElGamalCiphertext, ElGamalKeypair } from '@solana/zk-sdk/node';
import { base58 } from '@scure/base';
import { Connection, Keypair, type VersionedTransactionResponse } from '@solana/web3.js';
import type { ConfidentialAccount } from '../../devnet/wallet/confidential-account.js';
import { createWallet, type ConfidentialMint, type Wallet } from '../../devnet/wallet/confidential-token.js';
import { forwarderProgram } from '../kit/ledger/forwarder-program.js';
import { startLocalLedger, type LocalLedger } from '../../devnet/ledger.js';
import { unprovenFeeTransfer } from '../kit/ledger/unproven-fee-transfer.js';

let ledger: LocalLedger;
let wallet: Wallet;
let connection: Connection;
const auditor = new ElGamalKeypair();

beforeAll(async () => {
  ledger = await startLocalLedger();
  wallet = await createWallet({ rpcUrl: ledger.rpcUrl });
  connection = new Connection(ledger.rpcUrl, 'confirmed');
});

afterAll(async () => {
  await ledger.close();
});

async function landed(signature: string): Promise<VersionedTransactionResponse> {
  const found = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 1 });
  return found!;
}

/** The instruction data of a transaction, including its inner instructions, that starts with `prefix`. */
async function instructionData(signature: string, ...prefix: number[]): Promise<Uint8Array[]> {
  const { transaction, meta } = await landed(signature);
  const inner = (meta!.innerInstructions ?? []).flatMap(({ instructions }) => instructions);
  const { message } = transaction;
  const all = [
    ...message.compiledInstructions.map(({ data }) => data),
    ...inner.map(({ data }) => base58.decode(data)),
  ];
  return all.filter((data) => prefix.every((byte, index) => data[index] === byte));
}

/** Both parts of an audited amount: two ciphertexts of 64 bytes from `offset` on, the second times 2^16. */
function auditedAmount(data: Uint8Array, offset: number, keypair = auditor): bigint {
  const part = (start: number) =>
    keypair.secret().decrypt(ElGamalCiphertext.fromBytes(data.slice(start, start + 64))!);
  return part(offset) + (part(offset + 64) << 16n);
}

/** The amount of the confidential transfer in a transaction, at top level or in a call. */
async function transferred(signature: string, keypair = auditor): Promise<bigint> {
  const [data] = await instructionData(signature, 27, 7);
  return auditedAmount(data!, 38, keypair);
}

async function withBalance(
  mint: ConfidentialMint,
  name: string,
  amount: bigint,
): Promise<ConfidentialAccount> {
  const account = await mint.configureAccount(name);
  await account.fund(amount);
  await account.deposit(amount);
  await account.applyPending();
  return account;
}

describe('a confidential mint on the local ledger', () => {
  let mint: ConfidentialMint;
  let alice: ConfidentialAccount;
  let bob: ConfidentialAccount;

  beforeAll(async () => {
    mint = await wallet.deployMint({ decimals: 2, auditorPublicKey: auditor.pubkey().toBytes() });
    alice = await withBalance(mint, 'Alice', 10_000_000_000n);
    bob = await mint.configureAccount('Bob');
  });

  it('lets only its auditor read the amount of a transfer', async () => {
    const signature = await alice.transfer(bob, 1_234_567_890n);
    expect(await transferred(signature)).toBe(1_234_567_890n);
    await expect(transferred(signature, new ElGamalKeypair())).rejects.toBeDefined();
    expect(await alice.availableBalance()).toBe(10_000_000_000n - 1_234_567_890n);
  });

  it.each([['legacy' as const], [0 as const], [1 as const]])(
    'is transferred by a transaction of version %s',
    async (version) => {
      const signature = await alice.transfer(bob, 65_536n, { version });
      expect((await landed(signature)).version).toBe(version);
      expect(await transferred(signature)).toBe(65_536n);
    },
  );

  it('is transferred inside a Batch instruction, without a top-level transfer instruction', async () => {
    const signature = await alice.transfer(bob, 4_321n, { batch: true });
    expect(await instructionData(signature, 27, 7)).toEqual([]);
    const [batch] = await instructionData(signature, 255);
    const at = Buffer.from(batch!).indexOf(Buffer.from([169, 27, 7])) + 1;
    expect(auditedAmount(batch!.slice(at), 38)).toBe(4_321n);
  });

  it('is transferred by a CPI from another program, where only inner instructions show it', async () => {
    const program = Keypair.generate().publicKey.toBase58();
    ledger.addProgram(program, forwarderProgram());
    const signature = await alice.transfer(bob, 99n, { through: program });
    const { meta } = await landed(signature);
    expect(meta!.innerInstructions).toMatchObject([{ index: 0, instructions: [{ stackHeight: 2 }] }]);
    expect(await transferred(signature)).toBe(99n);
  });

  it('pays received amounts back to the public balance, and empties an account', async () => {
    const carol = await withBalance(mint, 'Carol', 500n);
    const dave = await mint.configureAccount('Dave');
    await carol.transfer(dave, 200n);
    await dave.applyPending();
    await dave.withdraw(150n);
    expect(await dave.publicBalance()).toBe(150n);
    expect(await dave.availableBalance()).toBe(50n);
    await dave.withdraw(50n);
    expect(await instructionData(await dave.emptyAccount(), 27, 4)).toHaveLength(1);
  });

  it('refuses to spend more than the balance', async () => {
    await expect(bob.transfer(alice, 1n << 40n)).rejects.toThrow('does not cover');
  });

  it('refuses confidential credits while its owner disables them', async () => {
    const erin = await mint.configureAccount('Erin');
    await erin.allowConfidentialCredits(false);
    await expect(alice.transfer(erin, 1n)).rejects.toThrow('Transaction simulation failed');
    await erin.allowConfidentialCredits(true);
    expect(await transferred(await alice.transfer(erin, 1n))).toBe(1n);
  });

  it('enables and disables both kinds of credits with Token-2022 instructions', async () => {
    expect(await instructionData(await bob.allowConfidentialCredits(false), 27, 10)).toHaveLength(1);
    expect(await instructionData(await bob.allowConfidentialCredits(true), 27, 9)).toHaveLength(1);
    expect(await instructionData(await bob.allowNonConfidentialCredits(false), 27, 12)).toHaveLength(1);
    expect(await instructionData(await bob.allowNonConfidentialCredits(true), 27, 11)).toHaveLength(1);
  });

  it('encrypts transfers after a rotation to the new auditor', async () => {
    const successor = new ElGamalKeypair();
    await mint.rotateAuditor(successor.pubkey().toBytes());
    expect(await transferred(await alice.transfer(bob, 77n), successor)).toBe(77n);
    await mint.rotateAuditor(auditor.pubkey().toBytes());
  });
});

describe('a mint with confidential minting and burning', () => {
  it('shows both amounts to the auditor, and keeps its supply consistent', async () => {
    const mint = await wallet.deployMint({
      decimals: 0,
      auditorPublicKey: auditor.pubkey().toBytes(),
      confidentialMintBurn: true,
    });
    const account = await mint.configureAccount('Frank');
    const [minted] = await instructionData(await mint.confidentialMint(account, 5_000_000_123n), 42, 3);
    expect(auditedAmount(minted!, 38)).toBe(5_000_000_123n);
    await account.applyPending();
    const [burnt] = await instructionData(await account.burn(1_000_000_007n), 42, 4);
    expect(auditedAmount(burnt!, 38)).toBe(1_000_000_007n);
    await mint.applyPendingBurn(1_000_000_007n);
    // Its equality proof is valid only if the recorded supply is correct.
    await mint.confidentialMint(account, 1n);
  });
});

describe('a mint that requires account approval', () => {
  it('lets an account receive only after approval', async () => {
    const mint = await wallet.deployMint({ decimals: 0, autoApproveNewAccounts: false });
    const account = await mint.configureAccount('Grace');
    await account.fund(5n);
    await expect(account.deposit(5n)).rejects.toThrow('Transaction simulation failed');
    await mint.approveAccount(account);
    await account.deposit(5n);
  });
});

describe('a mint with a transfer fee', () => {
  it('accepts deposits, and refuses a transfer that does not prove its fee', async () => {
    const mint = await wallet.deployMint({ decimals: 0, transferFee: { basisPoints: 100, maximum: 10n } });
    const heidi = await withBalance(mint, 'Heidi', 1_000n);
    const ivan = await mint.configureAccount('Ivan');
    await expect(heidi.transfer(ivan, 10n)).rejects.toThrow('Transaction simulation failed');
    await heidi.withdraw(1_000n);
    expect(await heidi.publicBalance()).toBe(1_000n);
  });

  it('stores fee transfers with the amount where the auditor reads it in plain transfers', () => {
    const address = () => Keypair.generate().publicKey.toBase58();
    const { data } = unprovenFeeTransfer({
      source: address(),
      mint: address(),
      destination: address(),
      authority: address(),
      auditorPublicKey: auditor.pubkey().toBytes(),
      amount: 70_001n,
    });
    expect([...data!.slice(0, 2)]).toEqual([27, 13]);
    expect(auditedAmount(Uint8Array.from(data!), 38)).toBe(70_001n);
  });
});
