import {
  compileMessage,
  deriveAddress,
  type Address,
  type InstructionAccount,
  type MessageTerms,
} from '../ledger/index.js';
import type { PoolDescriptor } from './pool-descriptor.js';
import type { AccountEntry, SeedEntry } from './pool-schema.js';
import type { RelaySignals } from './relay-identity.js';
import type { RelayPackage } from './relay-package.js';

/**
 * The message that a package becomes, and nothing else that the relayer would ever sign: the limits of its compute
 * budget and the one instruction that the pool's descriptor describes. `undefined`: larger than the ledger carries.
 */
export function buildMessage(
  pool: PoolDescriptor,
  given: RelayPackage,
  signals: RelaySignals,
  terms: MessageTerms,
): Uint8Array | undefined {
  const accounts = pool.accounts.flatMap((account) => accountsOf(account, pool, given, signals, terms.payer));
  return compileMessage({ programId: pool.programId, accounts, data: dataOf(pool, given) }, terms);
}

/** The accounts whose existence means that the nullifiers are spent, in the order of the nullifiers. */
export function nullifierAccounts(pool: PoolDescriptor, signals: RelaySignals): Address[] {
  return signals.nullifiers.map((nullifier) =>
    deriveAddress(pool.programId, seedsOf(pool.nullifierSeeds, signals, nullifier)),
  );
}

/** The accounts that others may write to at the same time. */
export function writableAccounts(
  pool: PoolDescriptor,
  given: RelayPackage,
  signals: RelaySignals,
  payer: Address,
): Address[] {
  const accounts = pool.accounts.flatMap((account) => accountsOf(account, pool, given, signals, payer));
  return accounts.filter(({ isWritable }) => isWritable).map(({ address }) => address);
}

function accountsOf(
  account: AccountEntry,
  { programId }: PoolDescriptor,
  { recipient }: RelayPackage,
  signals: RelaySignals,
  relayer: Address,
): InstructionAccount[] {
  if ('role' in account) {
    if (account.role === 'relayer') return [{ address: relayer, isSigner: true, isWritable: true }];
    // Nobody receives anything where there is no recipient: the program takes the relayer in its place.
    return [{ address: recipient ?? relayer, isSigner: false, isWritable: true }];
  }
  const isWritable = account.writable ?? false;
  if ('address' in account) return [{ address: account.address as Address, isSigner: false, isWritable }];
  const of = account.forEach === undefined ? [undefined] : signals[account.forEach];
  return of.map((each) => ({
    address: deriveAddress(programId, seedsOf(account.pda, signals, each)),
    isSigner: false,
    isWritable,
  }));
}

function seedsOf(
  seeds: readonly SeedEntry[],
  signals: RelaySignals,
  each: bigint | undefined,
): readonly Uint8Array[] {
  return seeds.map((seed) => {
    if ('utf8' in seed) return Buffer.from(seed.utf8);
    if ('hex' in seed) return Buffer.from(seed.hex.replace(/^0x/i, ''), 'hex');
    return fieldElement(seed.signal === 'root' ? signals.root : each!);
  });
}

function dataOf({ instruction: { prefix, data } }: PoolDescriptor, given: RelayPackage): Uint8Array {
  const parts = data.map((part) => {
    switch (part) {
      case 'proof':
        return given.proof;
      case 'signals':
        return Buffer.concat(given.signals.map(fieldElement));
      case 'ciphertext':
        return given.ciphertext ?? new Uint8Array();
    }
  });
  return Buffer.concat([prefix, ...parts]);
}

const fieldElement = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
