import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Connection, Keypair } from '@solana/web3.js';
import { fc } from '../kit/properties.js';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { DamagedLedger } from '../../devnet/chain/journal.js';
import { startLocalLedger } from '../../devnet/ledger.js';

const SOL = 1_000_000_000;
const COMPILED = path.resolve(import.meta.dirname, '../../dist/devnet/ledger.js');

let dataDirectory: string;

beforeEach(async () => {
  dataDirectory = await mkdtemp(path.join(os.tmpdir(), 'lucarne-ledger-'));
});

afterEach(async () => {
  await rm(dataDirectory, { recursive: true });
});

const account = Keypair.generate().publicKey;

/** The state of `account` on a restarted ledger: its history, oldest first, and its balance. */
async function restored(directory: string): Promise<{ signatures: string[]; balance: number }> {
  const ledger = await startLocalLedger({ dataDirectory: directory });
  try {
    const connection = new Connection(ledger.rpcUrl);
    const page = await connection.getSignaturesForAddress(account);
    return {
      signatures: page.map(({ signature }) => signature).reverse(),
      balance: await connection.getBalance(account),
    };
  } finally {
    await ledger.close();
  }
}

async function requestAirdrop(url: string): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'requestAirdrop',
      params: [account.toBase58(), SOL],
    }),
  });
  return ((await response.json()) as { result: string }).result;
}

async function fill(airdrops: number): Promise<string[]> {
  const ledger = await startLocalLedger({ dataDirectory });
  const signatures = Array.from({ length: airdrops }, () => ledger.airdrop(account.toBase58(), SOL));
  await ledger.close();
  return signatures;
}

const journal = () => path.join(dataDirectory, 'ledger', 'journal.jsonl');
const snapshot = () => path.join(dataDirectory, 'ledger', 'accounts.snapshot');

describe('a ledger that was closed', () => {
  it('resumes with the same history, balances, genesis, slots and valid blockhashes', async () => {
    const first = await startLocalLedger({ dataDirectory });
    const before = new Connection(first.rpcUrl);
    const signature = first.airdrop(account.toBase58(), SOL);
    const [genesis, slot] = [await before.getGenesisHash(), await before.getSlot()];
    const { blockhash } = await before.getLatestBlockhash();
    first.skipBlocks(100);
    first.skipSlots(1_000);
    await first.close();

    const second = await startLocalLedger({ dataDirectory });
    const after = new Connection(second.rpcUrl);
    expect(await after.getGenesisHash()).toBe(genesis);
    expect(await after.getSlot()).toBeGreaterThanOrEqual(slot + 1_100);
    expect((await after.isBlockhashValid(blockhash)).value).toBe(true);
    expect(
      (await after.getTransaction(signature, { maxSupportedTransactionVersion: 1 }))!.meta!.err,
    ).toBeNull();
    expect(await after.getBalance(account)).toBe(SOL);
    await second.close();
  });

  it('restores the same state without its snapshot, with a damaged one, and across several snapshots', async () => {
    const signatures = await fill(130);
    const expected = { signatures, balance: 130 * SOL };
    expect(await restored(dataDirectory)).toEqual(expected);
    const bytes = await readFile(snapshot());
    bytes[bytes.length - 1]! ^= 1;
    await writeFile(snapshot(), bytes);
    expect(await restored(dataDirectory)).toEqual(expected);
    await rm(snapshot());
    expect(await restored(dataDirectory)).toEqual(expected);
  });

  it('reports a damaged journal, and does not start', async () => {
    await fill(3);
    const text = await readFile(journal(), 'utf8');
    await writeFile(journal(), text.replace(String(SOL), String(SOL + 1)));
    const start = startLocalLedger({ dataDirectory });
    await expect(start).rejects.toThrow(DamagedLedger);
    await expect(start).rejects.toThrow('Remove that folder to start an empty ledger');
  });

  it('restores a prefix of its history with correct balances from a journal cut at any byte', async () => {
    const signatures = await fill(6);
    await rm(snapshot());
    const whole = await readFile(journal());
    const directory = path.join(dataDirectory, 'cut');
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: whole.length }), async (length) => {
        await cp(path.join(dataDirectory, 'ledger'), path.join(directory, 'ledger'), { recursive: true });
        await writeFile(path.join(directory, 'ledger', 'journal.jsonl'), whole.subarray(0, length));
        const lines = whole.subarray(0, length).toString('latin1').split('\n').length - 1;
        const landed = Math.max(0, lines - 1);
        expect(await restored(directory)).toEqual({
          signatures: signatures.slice(0, landed),
          balance: landed * SOL,
        });
        await rm(directory, { recursive: true });
      }),
      { numRuns: 15 },
    );
  });
});

describe('a ledger that is killed under load', () => {
  it('has every acknowledged transaction, and balances that match its history', async () => {
    const script = `import { startLocalLedger } from ${JSON.stringify(COMPILED)};
      const ledger = await startLocalLedger({ dataDirectory: process.argv[1] });
      console.log(ledger.rpcUrl);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, dataDirectory], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const url = line.toString().trim();
    const answered: string[] = [];
    const exited = once(child, 'exit');
    const work = async () => {
      for (;;) {
        answered.push(await requestAirdrop(url));
        // After the first snapshot, while the other workers' requests are in progress.
        if (answered.length === 80) child.kill('SIGKILL');
      }
    };
    const workers = [work(), work(), work()];
    await Promise.allSettled([exited, ...workers]);

    const { signatures, balance } = await restored(dataDirectory);
    expect(signatures).toEqual(expect.arrayContaining(answered));
    expect(balance).toBe(signatures.length * SOL);
  });
});
