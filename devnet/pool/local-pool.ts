import { readFileSync } from 'node:fs';
import { LOCAL_POOL_KEY } from './local-pool-key.js';
import { trapdoorCircuit } from './trapdoor-circuit.js';

/** Two inputs and two outputs: root, publicAmount, extDataHash, two nullifiers, two commitments. */
export const LOCAL_POOL_CIRCUIT = trapdoorCircuit('Lucarne local test pool, 2 × 2', 7);

/** Where the local ledger has the pool program. Nobody has a key for it. */
export const LOCAL_POOL_PROGRAM_ID = 'Poo1Loca1Test111111111111111111111111111111';

/** The pool program (ELF, sBPF version 3), compiled from `program/pool.c`. */
export function localPoolProgram(): Uint8Array {
  return new Uint8Array(readFileSync(new URL('program/pool.so', import.meta.url)));
}

/** Where the local ledger has the same program, compiled to ask for more compute units than it uses. */
export const FAILING_POOL_PROGRAM_ID = 'Poo1Loca1Asks111111111111111111111111111111';

export function failingPoolProgram(): Uint8Array {
  return new Uint8Array(readFileSync(new URL('program/pool-asking-units.so', import.meta.url)));
}

/** How a package names the local pool. */
export const LOCAL_POOL_SELECTOR = 'local-test-pool';

/** How a package names the pool whose relays are rejected: the local ledger has no program at its address. */
export const UNDEPLOYED_POOL_SELECTOR = 'local-undeployed-pool';

/**
 * How a package names the pool whose relays fail. A relayer states as many compute units as the simulation used, and this
 * program asks for more than that: the ledger takes none of its transactions, and each expires.
 */
export const FAILING_POOL_SELECTOR = 'local-failing-pool';

const LOCAL_POOL = {
  poolSelector: LOCAL_POOL_SELECTOR,
  name: 'Local test pool: its key has a public trapdoor, and its proofs prove nothing',
  network: 'solana',
  programId: LOCAL_POOL_PROGRAM_ID,
  instruction: { prefix: '01', data: ['proof', 'signals'] },
  accounts: [
    { role: 'relayer' },
    { pda: [{ utf8: 'nullifier' }, { signal: 'each' }], writable: true, forEach: 'nullifiers' },
    { address: '11111111111111111111111111111111' },
  ],
  circuits: {
    '3': {
      status: 'active',
      inputs: 2,
      outputs: 2,
      verificationKey: LOCAL_POOL_KEY,
    },
  },
  signals: ['root', 'publicAmount', 'extDataHash', 'nullifiers', 'commitments'],
  nullifierAccount: { pda: [{ utf8: 'nullifier' }, { signal: 'each' }] },
  computeUnits: 200_000,
  maxFeeLamports: 50_000,
  screening: { applications: '*', applicationIdHints: true, recipient: true },
} as const;

/** The pools file of the local ledger. */
export const LOCAL_POOLS_FILE = {
  pools: [
    LOCAL_POOL,
    {
      ...LOCAL_POOL,
      poolSelector: UNDEPLOYED_POOL_SELECTOR,
      name: 'Local pool without a program: its relays are rejected',
      programId: 'Poo1Loca1Fai1ing111111111111111111111111111',
    },
    {
      ...LOCAL_POOL,
      poolSelector: FAILING_POOL_SELECTOR,
      name: 'Local pool whose program asks for more compute units than it uses: its relays fail',
      programId: FAILING_POOL_PROGRAM_ID,
      accounts: [...LOCAL_POOL.accounts, { address: 'Sysvar1nstructions1111111111111111111111111' }],
    },
  ],
} as const;
