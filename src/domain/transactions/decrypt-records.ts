import { type Asset, auditorKeysOf, MintAuditorKeyEntity, withAuditorSecret } from '../assets/index.js';
import {
  type DecryptedAmount,
  type DecryptionPool,
  type DisclosedAmount,
  type DisclosureRequest,
  type SplitCiphertext,
  TOKEN_2022_SPLIT,
} from '../../platform/crypto/index.js';
import { columnsOf, type Foundation, query, type RowOf } from '../../platform/database/index.js';
import { base64, equalBytes } from '../../platform/kernel/encoding/bytes.js';
import type { IndexedTransaction } from './transaction.js';

/** An amount with its proof, or the fact that no key of the organization decrypts the ciphertext. */
export type ProvenRecord = ProvenAmount | Undecryptable;

type Undecryptable = Extract<DecryptedAmount, { kind: 'undecryptable' }>;
type ProvenAmount = Exclude<DisclosedAmount, Undecryptable> & {
  /** The key that the amount is encrypted to. */
  readonly publicKey: Uint8Array;
};

/** The members of a record that its decryption needs. */
export type EncryptedRecord = Pick<IndexedTransaction, 'id' | 'slot' | 'position' | 'ciphertexts'>;

interface Undone {
  readonly transaction: EncryptedRecord;
  readonly ciphertext: SplitCiphertext;
  /** Epochs of the organization's key that have not been tried. The likeliest is last. */
  readonly epochs: number[];
}

/** Decrypts the auditor ciphertexts of records. The results are keyed by the records' ids. */
export function decryptRecords(
  foundation: Pick<Foundation, 'database' | 'sealer'>,
  pool: DecryptionPool,
  asset: Pick<Asset, 'id' | 'organizationId'>,
  transactions: readonly EncryptedRecord[],
  signal: AbortSignal,
): Promise<Map<string, DecryptedAmount>> {
  const party = asset.organizationId;
  return openRecords(foundation, asset, transactions, ({ secret, ciphertexts }) =>
    pool.decrypt({ party, secret, ciphertexts }, signal),
  );
}

/** Decrypts the records and proves their amounts, which is more than ten times the work. */
export function proveRecords(
  foundation: Pick<Foundation, 'database' | 'sealer'>,
  pool: DecryptionPool,
  asset: Pick<Asset, 'id' | 'organizationId'>,
  transactions: readonly EncryptedRecord[],
  signal: AbortSignal,
): Promise<Map<string, ProvenRecord>> {
  const party = asset.organizationId;
  return openRecords(foundation, asset, transactions, async (request) => {
    const { publicKey } = request;
    const amounts = await pool.decryptAndProve({ party, ...request }, signal);
    return amounts.map((amount) => (amount.kind === 'amount' ? { ...amount, publicKey } : amount));
  });
}

/**
 * Decrypts each record. It tries the key of the mint at the record's position first, then every other epoch of the
 * organization's key, so each record costs at most as many attempts as there are epochs.
 */
async function openRecords<Opened extends DecryptedAmount>(
  { database, sealer }: Pick<Foundation, 'database' | 'sealer'>,
  asset: Pick<Asset, 'id' | 'organizationId'>,
  transactions: readonly EncryptedRecord[],
  open: (request: DisclosureRequest) => Promise<Opened[]>,
): Promise<Map<string, Opened | Undecryptable>> {
  const { organizationId } = asset;
  const keys = await auditorKeysOf(database, organizationId);
  const mintKeys = await mintKeysOf({ database }, asset);
  const results = new Map<string, Opened | Undecryptable>();
  let undone: Undone[] = [];
  for (const transaction of transactions) {
    const ciphertext = splitCiphertext(transaction);
    if (!ciphertext) {
      results.set(transaction.id, UNDECRYPTABLE);
      continue;
    }
    const likely = epochAt(transaction);
    const others = keys.map(({ epoch }) => epoch).filter((epoch) => epoch !== likely);
    const epochs = likely === undefined ? others : [likely, ...others];
    undone.push({ transaction, ciphertext, epochs: epochs.reverse() });
  }

  while (undone.length > 0) {
    const failed: Undone[] = [];
    for (const [epoch, attempts] of byNextEpoch(undone)) {
      const publicKey = keys.find((key) => key.epoch === epoch)?.publicKey;
      if (epoch === undefined || publicKey === undefined) {
        for (const { transaction } of attempts) results.set(transaction.id, UNDECRYPTABLE);
        continue;
      }
      const ciphertexts = attempts.map(({ ciphertext }) => ciphertext);
      const amounts = await withAuditorSecret(database, sealer, organizationId, epoch, (secret) =>
        open({ secret, publicKey, ciphertexts }),
      );
      for (const [index, attempt] of attempts.entries()) {
        const amount = amounts[index];
        if (amount?.kind === 'amount') results.set(attempt.transaction.id, amount);
        else failed.push(attempt);
      }
    }
    undone = failed;
  }
  return results;

  function epochAt({ slot, position }: EncryptedRecord): number | undefined {
    const change = mintKeys.findLast(
      ({ fromSlot, position: from }) => fromSlot < slot || (fromSlot === slot && from < position),
    );
    const onMint = change?.publicKey;
    return onMint ? keys.find(({ publicKey }) => equalBytes(publicKey, onMint))?.epoch : undefined;
  }
}

const UNDECRYPTABLE: Undecryptable = { kind: 'undecryptable' };

/** Groups the records by the next epoch to try. `undefined`: every epoch was tried. */
function byNextEpoch(undone: readonly Undone[]): Map<number | undefined, Undone[]> {
  const groups = new Map<number | undefined, Undone[]>();
  for (const attempt of undone) {
    const epoch = attempt.epochs.pop();
    const group = groups.get(epoch);
    if (group) group.push(attempt);
    else groups.set(epoch, [attempt]);
  }
  return groups;
}

type MintKey = Pick<RowOf<typeof MintAuditorKeyEntity>, 'fromSlot' | 'position' | 'publicKey'>;

function mintKeysOf(
  { database }: Pick<Foundation, 'database'>,
  asset: Pick<Asset, 'id' | 'organizationId'>,
): Promise<MintKey[]> {
  return database.rows(
    query
      .selectFrom('mint_auditor_keys')
      .innerJoin('assets', 'assets.id', 'mint_auditor_keys.asset_id')
      .select(columnsOf(MintAuditorKeyEntity, ['fromSlot', 'position', 'publicKey']))
      .where('assets.organization_id', '=', asset.organizationId)
      .where('asset_id', '=', asset.id)
      .orderBy('from_slot')
      .orderBy('position'),
  );
}

function splitCiphertext({ ciphertexts }: EncryptedRecord): SplitCiphertext | undefined {
  const lo = ciphertexts.auditor && base64.decode(ciphertexts.auditor.lo);
  const hi = ciphertexts.auditor && base64.decode(ciphertexts.auditor.hi);
  return lo && hi && { lo, hi, ...TOKEN_2022_SPLIT };
}
