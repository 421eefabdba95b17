import {
  compileMessage,
  deriveAddress,
  type Address,
  type InstructionAccount,
  type MessageTerms,
} from '../../../platform/ledger/index.js';
import type { PoolDescriptor } from '../pools/pool-descriptor.js';
import type { AccountEntry, SeedEntry } from '../pools/pool-schema.js';
import type { RelaySignals } from '../packages/relay-identity.js';
import type { RelayPackage } from '../packages/relay-package.js';
import { unreachable } from '../../../platform/kernel/unreachable.js';

/**
 * Builds the message for a package. The relayer signs no other kind of message: it has the compute budget limits and the one
 * instruction that the pool's descriptor describes. `undefined` if it is larger than a transaction may be.
 */
export function buildMessage(
  pool: PoolDescriptor,
  relayPackage: RelayPackage,
  signals: RelaySignals,
  terms: MessageTerms,
): Uint8Array | undefined {
  const accounts = pool.accounts.flatMap((account) =>
    accountsOf(account, pool, relayPackage, signals, terms.payer),
  );
  const instruction = { programId: pool.programId, accounts, data: dataOf(pool, relayPackage) };
  return compileMessage(instruction, terms, pool.lookupTables);
}

/** The accounts that exist once the nullifiers are spent, in the order of the nullifiers. */
export function nullifierAccounts(pool: PoolDescriptor, signals: RelaySignals): Address[] {
  return signals.nullifiers.map((nullifier) =>
    deriveAddress(pool.programId, seedsOf(pool.nullifierSeeds, signals, nullifier)),
  );
}

/** The accounts that only this package creates, one for each commitment; empty if the pool has none. */
export function outputAccounts(pool: PoolDescriptor, signals: RelaySignals): Address[] {
  const each = pool.accounts.find(
    (account) => 'pda' in account && account.forEach === 'commitments' && account.writable === true,
  );
  if (!each || !('pda' in each)) return [];
  return signals.commitments.map((commitment) =>
    deriveAddress(pool.programId, seedsOf(each.pda, signals, commitment)),
  );
}

/** The accounts that other transactions may write to at the same time. */
export function writableAccounts(
  pool: PoolDescriptor,
  relayPackage: RelayPackage,
  signals: RelaySignals,
  payer: Address,
): Address[] {
  const accounts = pool.accounts.flatMap((account) =>
    accountsOf(account, pool, relayPackage, signals, payer),
  );
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
    // Without a recipient, nothing is paid out, and the relayer's account takes its place in the instruction.
    return [{ address: recipient ?? relayer, isSigner: false, isWritable: true }];
  }
  const isWritable = account.writable ?? false;
  if ('address' in account) return [{ address: account.address as Address, isSigner: false, isWritable }];
  const values = account.forEach === undefined ? [undefined] : signals[account.forEach];
  return values.map((each) => ({
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

function dataOf({ instruction: { prefix, data } }: PoolDescriptor, relayPackage: RelayPackage): Uint8Array {
  const parts = data.map((part) => {
    switch (part) {
      case 'proof':
        return relayPackage.proof;
      case 'signals':
        return Buffer.concat(relayPackage.signals.map(fieldElement));
      case 'ciphertext':
        return relayPackage.ciphertext ?? new Uint8Array();
      default:
        return unreachable(part);
    }
  });
  return Buffer.concat([prefix, ...parts]);
}

const fieldElement = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
