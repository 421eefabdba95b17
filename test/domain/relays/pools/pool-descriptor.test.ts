import { describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {
  LOCAL_POOL_CIRCUIT,
  LOCAL_POOL_SELECTOR,
  LOCAL_POOLS_FILE,
  trapdoorCircuit,
} from '../../../../devnet/index.js';
import { parsePoolsFile } from '../../../../src/domain/relays/pools/pool-descriptor.js';
import { readPoolsFile } from '../../../../src/domain/relays/pools/read-pools-file.js';

type Json = Record<string, unknown>;
const noFile = () => Promise.reject(new Error('There is no such file.'));
const [pool] = LOCAL_POOLS_FILE.pools;
const withPool = (changes: Json) => ({ pools: [{ ...pool, ...changes }] });
const withCircuit = (changes: Json) => withPool({ circuits: { '3': { ...pool.circuits['3'], ...changes } } });
const relayer = { role: 'relayer' };

describe('a pools file', () => {
  it('is the one of the local ledger', async () => {
    const pools = await parsePoolsFile(LOCAL_POOLS_FILE, noFile);
    const local = pools.get(LOCAL_POOL_SELECTOR);
    expect(local?.circuits.get('3')).toMatchObject({ status: 'active', inputs: 2, outputs: 2 });
    expect(local?.instruction.prefix).toEqual(Uint8Array.of(1));
  });

  it('may keep a verification key in a separate file', async () => {
    const file = withCircuit({ verificationKey: undefined, verificationKeyFile: 'keys/3.json' });
    const asked: string[] = [];
    const pools = await parsePoolsFile(JSON.parse(JSON.stringify(file)), (name) => {
      asked.push(name);
      return Promise.resolve(LOCAL_POOL_CIRCUIT.verificationKey);
    });
    expect(asked).toEqual(['keys/3.json']);
    expect(pools.get(LOCAL_POOL_SELECTOR)?.circuits.get('3')?.key.ic).toHaveLength(8);
  });

  it('lets a submitter choose who screens, but not in production', async () => {
    const directory = await mkdtemp(path.join(os.tmpdir(), 'lucarne-pools-'));
    try {
      const file = path.join(directory, 'pools.json');
      const write = (applications: unknown) =>
        writeFile(file, JSON.stringify(withPool({ screening: { ...pool.screening, applications } })));
      await write('*');
      expect((await readPoolsFile(file, false)).get(LOCAL_POOL_SELECTOR)?.screening.applications).toBe('*');
      await expect(readPoolsFile(file, true)).rejects.toThrow(
        'pools[0].screening.applications is "*" in production, which lets each submitter choose who screens a package. ' +
          'List the public check ids of the applications that serve the pool, or [] for none.',
      );
      for (const listed of [[], ['app-1']]) {
        await write(listed);
        expect((await readPoolsFile(file, true)).size).toBe(1);
      }
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  it.each([
    [[], 'The pools file must be a JSON object.'],
    [{}, 'pools is required.'],
    [{ pools: [pool, pool] }, 'pools[1].poolSelector is already used by another pool: local-test-pool.'],
    [withPool({ color: 'red' }), 'pools[0].color is not a known member.'],
    [withPool({ network: 'ethereum' }), 'pools[0].network must be "solana".'],
    [withPool({ programId: '1'.repeat(44) }), 'pools[0].programId must be an address.'],
    [
      withPool({ programId: '1'.repeat(32) }),
      'pools[0].programId is a native program of the ledger, which could move the relayer’s funds with its signature. Name the program of the pool.',
    ],
    [
      withPool({ programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }),
      'pools[0].programId is a native program of the ledger, which could move the relayer’s funds with its signature. Name the program of the pool.',
    ],
    [withPool({ accounts: [] }), 'pools[0].accounts must be an array of 1 to 64 items.'],
    [withPool({ accounts: [relayer, relayer] }), 'pools[0].accounts must name the relayer exactly once.'],
    [
      withPool({ accounts: [relayer, { address: '1'.repeat(40) }] }),
      'pools[0].accounts[1].address must be an address.',
    ],
    [
      withPool({ accounts: [relayer, { pda: [{ signal: 'each' }] }] }),
      'pools[0].accounts[1].pda[0].signal is "each", but the account has no "forEach".',
    ],
    [
      withPool({ accounts: [relayer, { pda: [{ hex: '00'.repeat(33) }] }] }),
      'pools[0].accounts[1].pda[0] must be at most 32 bytes.',
    ],
    [
      withPool({ nullifierAccount: { pda: [{ utf8: 'nullifier' }] } }),
      'pools[0].nullifierAccount.pda must have the seed { "signal": "each" }.',
    ],
    [
      withPool({ lookupTables: [{ address: '1'.repeat(32), addresses: ['1'.repeat(40)] }] }),
      'pools[0].lookupTables[0].addresses[0] must be an address.',
    ],
    [withPool({ computeUnits: 2_000_000 }), 'pools[0].computeUnits must be an integer from 1 to 1400000.'],
    [
      withCircuit({ outputs: 3 }),
      'pools[0].circuits.3 has 8 public signals, but its verification key has 7.',
    ],
    [
      withCircuit({ verificationKeyFile: 'also.json' }),
      'pools[0].circuits.3 must have exactly one of verificationKey and verificationKeyFile.',
    ],
    [
      withCircuit({ verificationKey: { ...LOCAL_POOL_CIRCUIT.verificationKey, curve: 'bls12381' } }),
      'pools[0].circuits.3.verificationKey: curve must be "bn128".',
    ],
    [
      withCircuit({ verificationKey: trapdoorCircuit('other', 6).verificationKey }),
      'pools[0].circuits.3 has 7 public signals, but its verification key has 6.',
    ],
  ])('is refused with the path of the invalid member: %#', async (file, message) => {
    await expect(parsePoolsFile(file, noFile)).rejects.toThrow(message);
  });

  it('is refused if the file of a key does not exist', async () => {
    const file = JSON.parse(
      JSON.stringify(withCircuit({ verificationKey: undefined, verificationKeyFile: 'keys/3.json' })),
    ) as unknown;
    await expect(parsePoolsFile(file, noFile)).rejects.toThrow(
      'pools[0].circuits.3.verificationKeyFile: There is no such file.',
    );
  });
});
