import {
  InvalidVerificationKey,
  parseVerificationKey,
  type VerificationKey,
} from '../../../platform/crypto/index.js';
import { messageOf } from '../../../platform/kernel/errors.js';
import { isAddress, type Address, type LookupTable } from '../../../platform/ledger/index.js';
import type { AccountEntry, PoolEntry, SeedEntry } from './pool-schema.js';
import { signalCountOf, type CircuitShape } from './circuit-shape.js';

/** A circuit of a pool, with its parsed verification key. */
export interface PoolCircuit extends CircuitShape {
  readonly status: 'active' | 'deprecated';
  readonly key: VerificationKey;
}

/** Describes how packages of a pool become transactions. It is data, so that a new pool needs no code. */
export interface PoolDescriptor {
  readonly poolSelector: string;
  readonly name: string;
  readonly programId: Address;
  readonly instruction: {
    readonly prefix: Uint8Array;
    readonly data: readonly ('proof' | 'signals' | 'ciphertext')[];
  };
  readonly accounts: readonly AccountEntry[];
  readonly lookupTables: readonly LookupTable[];
  /** Circuits by `zkConfigNonce`. */
  readonly circuits: ReadonlyMap<string, PoolCircuit>;
  readonly nullifierSeeds: readonly SeedEntry[];
  readonly computeUnits: number;
  readonly maxFeeLamports: number;
  /** Maximum debit of the relayer for a transaction with this number of nullifiers, rent included. */
  readonly maxCostLamports: (nullifiers: number) => number;
  readonly screening: {
    /** Public check ids of the applications that always screen; `*`: the applications that the package names. */
    readonly applications: readonly string[] | '*';
    readonly applicationIdHints: boolean;
    readonly recipient: boolean;
  };
}

/** The applications that serve the pool and that a package names. */
export function namedApplications(
  { screening: { applications } }: Pick<PoolDescriptor, 'screening'>,
  hints: readonly string[],
): readonly string[] {
  return applications === '*' ? hints : hints.filter((hint) => applications.includes(hint));
}

/** A pools file that cannot be used. The message names the path of the invalid member. */
export class InvalidPoolsFile extends Error {
  override readonly name = 'InvalidPoolsFile';
}

/**
 * Parses a pools file. `readKeyFile` returns the JSON of a verification key that is a separate file.
 * @throws {InvalidPoolsFile}
 */
export async function parsePoolsFile(
  value: unknown,
  readKeyFile: (file: string) => Promise<unknown>,
): Promise<ReadonlyMap<string, PoolDescriptor>> {
  // Loaded when needed: the schema library has hundreds of modules.
  const [{ PoolsFile }, { explainViolation }, { Check }] = await Promise.all([
    import('./pool-schema.js'),
    import('../../../platform/kernel/explain-violation.js'),
    import('typebox/value'),
  ]);
  if (!Check(PoolsFile, value))
    throw new InvalidPoolsFile(explainViolation(PoolsFile, value, 'The pools file'));
  const pools = new Map<string, PoolDescriptor>();
  for (const [at, entry] of value.pools.entries()) {
    const path = `pools[${at}]`;
    if (pools.has(entry.poolSelector))
      throw new InvalidPoolsFile(
        `${path}.poolSelector is already used by another pool: ${entry.poolSelector}.`,
      );
    pools.set(entry.poolSelector, await descriptorOf(entry, path, readKeyFile));
  }
  return pools;
}

/** The native programs of the ledger: they can move a signer's lamports and accounts as the instruction data specifies. */
const NATIVE_PROGRAMS: ReadonlySet<string> = new Set([
  '11111111111111111111111111111111',
  'Stake11111111111111111111111111111111111111',
  'Vote111111111111111111111111111111111111111',
  'AddressLookupTab1e1111111111111111111111111',
  'BPFLoaderUpgradeab1e11111111111111111111111',
  'LoaderV411111111111111111111111111111111111',
  'ComputeBudget111111111111111111111111111111',
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
]);

async function descriptorOf(
  entry: PoolEntry,
  path: string,
  readKeyFile: (file: string) => Promise<unknown>,
): Promise<PoolDescriptor> {
  if (!isAddress(entry.programId)) throw new InvalidPoolsFile(`${path}.programId must be an address.`);
  if (NATIVE_PROGRAMS.has(entry.programId))
    throw new InvalidPoolsFile(
      `${path}.programId is a native program of the ledger, which could move the relayer’s funds with its signature. Name the program of the pool.`,
    );
  checkAccounts(entry.accounts, `${path}.accounts`);
  const lookupTables = lookupTablesOf(entry, path);
  checkSeeds(entry.nullifierAccount.pda, `${path}.nullifierAccount.pda`, true);
  // Otherwise all nullifiers would have the same account.
  if (!entry.nullifierAccount.pda.some((seed) => 'signal' in seed && seed.signal === 'each'))
    throw new InvalidPoolsFile(`${path}.nullifierAccount.pda must have the seed { "signal": "each" }.`);
  const circuits = new Map<string, PoolCircuit>();
  for (const [nonce, circuit] of Object.entries(entry.circuits)) {
    const { status, inputs, outputs } = circuit;
    const at = `${path}.circuits.${nonce}`;
    const key = await keyOf(circuit, at, readKeyFile);
    if (key.ic.length - 1 !== signalCountOf(circuit))
      throw new InvalidPoolsFile(
        `${at} has ${signalCountOf(circuit)} public signals, but its verification key has ${key.ic.length - 1}.`,
      );
    circuits.set(nonce, { status, inputs, outputs, key });
  }
  const { poolSelector, name, programId, computeUnits, maxFeeLamports, maxCostLamports, screening } = entry;
  return {
    ...{ poolSelector, name, programId, computeUnits, maxFeeLamports, circuits },
    maxCostLamports: (nullifiers) => maxCostLamports ?? maxFeeLamports + nullifiers * DEFAULT_RENT_LAMPORTS,
    screening: { ...screening, applications: screening.applications ?? [] },
    ...{ accounts: entry.accounts, lookupTables },
    instruction: { prefix: bytesOf(entry.instruction.prefix), data: entry.instruction.data },
    nullifierSeeds: entry.nullifierAccount.pda,
  };
}

/** Rent that a spent nullifier may cost if the descriptor does not limit the cost. */
const DEFAULT_RENT_LAMPORTS = 2_000_000;

function checkAccounts(accounts: readonly AccountEntry[], path: string): void {
  const payers = accounts.filter((account) => 'role' in account && account.role === 'relayer');
  if (payers.length !== 1) throw new InvalidPoolsFile(`${path} must name the relayer exactly once.`);
  for (const [at, account] of accounts.entries()) {
    if ('address' in account && !isAddress(account.address))
      throw new InvalidPoolsFile(`${path}[${at}].address must be an address.`);
    if ('pda' in account) checkSeeds(account.pda, `${path}[${at}].pda`, account.forEach !== undefined);
  }
}

function lookupTablesOf({ lookupTables = [] }: PoolEntry, path: string): LookupTable[] {
  const parsed = (text: string, at: string): Address => {
    if (!isAddress(text)) throw new InvalidPoolsFile(`${path}.${at} must be an address.`);
    return text;
  };
  return lookupTables.map(({ address, addresses }, at) => ({
    address: parsed(address, `lookupTables[${at}].address`),
    addresses: addresses.map((one, place) => parsed(one, `lookupTables[${at}].addresses[${place}]`)),
  }));
}

/** A seed has at most 32 bytes. `each` is valid only if the account has a signal to repeat over. */
function checkSeeds(seeds: readonly SeedEntry[], path: string, forEach: boolean): void {
  for (const [at, seed] of seeds.entries()) {
    const length =
      'utf8' in seed ? Buffer.byteLength(seed.utf8) : 'hex' in seed ? bytesOf(seed.hex).length : 32;
    if (length > 32) throw new InvalidPoolsFile(`${path}[${at}] must be at most 32 bytes.`);
    if ('signal' in seed && seed.signal === 'each' && !forEach)
      throw new InvalidPoolsFile(`${path}[${at}].signal is "each", but the account has no "forEach".`);
  }
}

async function keyOf(
  { verificationKey, verificationKeyFile }: PoolEntry['circuits'][string],
  path: string,
  readKeyFile: (file: string) => Promise<unknown>,
): Promise<VerificationKey> {
  if ((verificationKey === undefined) === (verificationKeyFile === undefined))
    throw new InvalidPoolsFile(`${path} must have exactly one of verificationKey and verificationKeyFile.`);
  try {
    return parseVerificationKey(verificationKey ?? (await readKeyFile(verificationKeyFile!)));
  } catch (thrown) {
    const where = thrown instanceof InvalidVerificationKey ? 'verificationKey' : 'verificationKeyFile';
    throw new InvalidPoolsFile(`${path}.${where}: ${messageOf(thrown)}`, { cause: thrown });
  }
}

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text.replace(/^0x/i, ''), 'hex'));
