import { InvalidVerificationKey, parseVerificationKey, type VerificationKey } from '../crypto/index.js';
import { messageOf } from '../kernel/errors.js';
import { isAddress, type Address } from '../ledger/index.js';
import type { AccountEntry, PoolEntry, SeedEntry } from './pool-schema.js';
import { signalCountOf, type CircuitShape } from './relay-identity.js';

/** A circuit of a pool, ready to verify with. */
export interface PoolCircuit extends CircuitShape {
  readonly status: 'active' | 'deprecated';
  readonly key: VerificationKey;
}

/** How packages of a pool become transactions: data, so that a new pool needs no code. */
export interface PoolDescriptor {
  readonly poolSelector: string;
  readonly name: string;
  readonly programId: Address;
  readonly instruction: {
    readonly prefix: Uint8Array;
    readonly data: readonly ('proof' | 'signals' | 'ciphertext')[];
  };
  readonly accounts: readonly AccountEntry[];
  /** By `zkConfigNonce`. */
  readonly circuits: ReadonlyMap<string, PoolCircuit>;
  readonly nullifierSeeds: readonly SeedEntry[];
  readonly computeUnits: number;
  readonly maxFeeLamports: number;
  readonly screening: { readonly applicationIdHints: boolean; readonly recipient: boolean };
}

/** What is wrong with a pools file, with the path of the member. */
export class InvalidPoolsFile extends Error {
  override readonly name = 'InvalidPoolsFile';
}

/**
 * Reads a pools file. `readKeyFile` gives the JSON of a verification key that is a file of its own.
 * @throws {InvalidPoolsFile}
 */
export async function parsePoolsFile(
  value: unknown,
  readKeyFile: (file: string) => Promise<unknown>,
): Promise<ReadonlyMap<string, PoolDescriptor>> {
  // Loaded for who reads such a file: a schema library is hundreds of modules.
  const [{ PoolsFile }, { explainViolation }, { Check }] = await Promise.all([
    import('./pool-schema.js'),
    import('../kernel/explain-violation.js'),
    import('typebox/value'),
  ]);
  if (!Check(PoolsFile, value))
    throw new InvalidPoolsFile(explainViolation(PoolsFile, value, 'The pools file'));
  const pools = new Map<string, PoolDescriptor>();
  for (const [at, entry] of value.pools.entries()) {
    const path = `pools[${at}]`;
    if (pools.has(entry.poolSelector))
      throw new InvalidPoolsFile(`${path}.poolSelector is that of another pool: ${entry.poolSelector}.`);
    pools.set(entry.poolSelector, await descriptorOf(entry, path, readKeyFile));
  }
  return pools;
}

/** Programs that are no pool's, and that do with a signer's lamports and accounts what the data says. */
const LEDGERS_OWN: ReadonlySet<string> = new Set([
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
  if (LEDGERS_OWN.has(entry.programId))
    throw new InvalidPoolsFile(
      `${path}.programId is the ledger’s own: there the relayer’s signature moves its funds.`,
    );
  checkAccounts(entry.accounts, `${path}.accounts`);
  checkSeeds(entry.nullifierAccount.pda, `${path}.nullifierAccount.pda`, true);
  // Otherwise every nullifier would have the same account.
  if (!entry.nullifierAccount.pda.some((seed) => 'signal' in seed && seed.signal === 'each'))
    throw new InvalidPoolsFile(`${path}.nullifierAccount.pda must have the seed { "signal": "each" }.`);
  const circuits = new Map<string, PoolCircuit>();
  for (const [nonce, circuit] of Object.entries(entry.circuits)) {
    const { status, inputs, outputs } = circuit;
    const at = `${path}.circuits.${nonce}`;
    const key = await keyOf(circuit, at, readKeyFile);
    if (key.ic.length - 1 !== signalCountOf(circuit))
      throw new InvalidPoolsFile(
        `${at} has ${signalCountOf(circuit)} signals, and its verification key is for ${key.ic.length - 1}.`,
      );
    circuits.set(nonce, { status, inputs, outputs, key });
  }
  const { poolSelector, name, programId, computeUnits, maxFeeLamports, screening } = entry;
  return {
    ...{ poolSelector, name, programId, computeUnits, maxFeeLamports, screening, circuits },
    accounts: entry.accounts,
    instruction: { prefix: bytesOf(entry.instruction.prefix), data: entry.instruction.data },
    nullifierSeeds: entry.nullifierAccount.pda,
  };
}

function checkAccounts(accounts: readonly AccountEntry[], path: string): void {
  const payers = accounts.filter((account) => 'role' in account && account.role === 'relayer');
  if (payers.length !== 1) throw new InvalidPoolsFile(`${path} must have the relayer once.`);
  for (const [at, account] of accounts.entries()) {
    if ('address' in account && !isAddress(account.address))
      throw new InvalidPoolsFile(`${path}[${at}].address must be an address.`);
    if ('pda' in account) checkSeeds(account.pda, `${path}[${at}].pda`, account.forEach !== undefined);
  }
}

/** A seed is at most 32 bytes; `each` has a meaning only where there is a signal for each account. */
function checkSeeds(seeds: readonly SeedEntry[], path: string, forEach: boolean): void {
  for (const [at, seed] of seeds.entries()) {
    const length =
      'utf8' in seed ? Buffer.byteLength(seed.utf8) : 'hex' in seed ? bytesOf(seed.hex).length : 32;
    if (length > 32) throw new InvalidPoolsFile(`${path}[${at}] must be at most 32 bytes.`);
    if ('signal' in seed && seed.signal === 'each' && !forEach)
      throw new InvalidPoolsFile(
        `${path}[${at}].signal is "each", and the account is not for each of anything.`,
      );
  }
}

async function keyOf(
  { verificationKey, verificationKeyFile }: PoolEntry['circuits'][string],
  path: string,
  readKeyFile: (file: string) => Promise<unknown>,
): Promise<VerificationKey> {
  if ((verificationKey === undefined) === (verificationKeyFile === undefined))
    throw new InvalidPoolsFile(`${path} must have one of verificationKey and verificationKeyFile.`);
  try {
    return parseVerificationKey(verificationKey ?? (await readKeyFile(verificationKeyFile!)));
  } catch (thrown) {
    const where = thrown instanceof InvalidVerificationKey ? 'verificationKey' : 'verificationKeyFile';
    throw new InvalidPoolsFile(`${path}.${where}: ${messageOf(thrown)}`, { cause: thrown });
  }
}

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text.replace(/^0x/i, ''), 'hex'));
