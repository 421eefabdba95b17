import { type Asset, findAssetOf } from '../../assets/index.js';
import type { DecryptionPool } from '../../../platform/crypto/index.js';
import type { Foundation } from '../../../platform/database/index.js';
import { timestamp } from '../../../platform/kernel/clock.js';
import { base64 } from '../../../platform/kernel/encoding/bytes.js';
import { type Id, newId } from '../../../platform/kernel/ids.js';
import { unreachable } from '../../../platform/kernel/unreachable.js';
import {
  amountVisibility,
  type IndexedTransaction,
  type ProvenRecord,
  proveRecords,
} from '../../transactions/index.js';
import { type DisclosedRecord, feeIsHidden } from './disclosed-record.js';
import type { Disclosure } from '../disclosure.js';
import { PROOF_DESCRIPTION, SALT_BYTES, saltedDigest, type UnsignedResult } from './disclosure-result.js';
import { type DisclosureField, scopeFromJson } from '../disclosure-scope.js';
import { resultDigestInSlices, serializeInSlices } from './long-result.js';
import type { ReceiptBody } from './receipt-statement.js';
import { selectRecords } from './select-records.js';

export interface GeneratedResult {
  readonly receiptId: Id<'rcp'>;
  readonly generatedAt: Date;
  /** 16 random bytes, which precede each value that the receipt digests. */
  readonly salt: Uint8Array;
  readonly result: UnsignedResult;
  readonly receipt: ReceiptBody;
}

/** Reads, decrypts and proves the records of an authorized disclosure, outside of any transaction. It stores nothing. */
export async function generateResult(
  foundation: Foundation,
  pool: DecryptionPool,
  disclosure: Disclosure,
  signal: AbortSignal,
): Promise<GeneratedResult> {
  const { organizationId, assetId, asOfPosition, decidedAt } = disclosure;
  if (asOfPosition === null || decidedAt === null) throw new Error('The disclosure is not authorized.');
  const asset = await findAssetOf(foundation.database, organizationId, assetId);
  const scope = scopeFromJson(disclosure.scope);
  const transactions = await selectRecords(foundation.database, {
    organizationId,
    assetId,
    scope,
    asOfPosition,
  });
  const encrypted = scope.fields.includes('amount')
    ? transactions.filter(({ type }) => amountVisibility(type) === 'encrypted')
    : [];
  const amounts = await proveRecords(foundation, pool, asset, encrypted, signal);
  const records = transactions.map((transaction) =>
    disclosedRecord(asset, transaction, scope.fields, amounts.get(transaction.id)),
  );

  const receiptId = newId('rcp');
  const salt = foundation.random(SALT_BYTES);
  const generatedAt = foundation.clock.now();
  const result: UnsignedResult = {
    format: disclosure.format,
    generatedAt: timestamp(generatedAt),
    receiptId,
    records,
    content: await serializeInSlices(disclosure.format, records, scope.fields),
    proof: PROOF_DESCRIPTION,
  };
  const receipt: ReceiptBody = {
    receiptId,
    organizationId,
    disclosureId: disclosure.id,
    assetId,
    mint: asset.mintAddress,
    purposeSha256: saltedDigest(salt, disclosure.purpose),
    scopeSha256: saltedDigest(salt, disclosure.scope),
    resultSha256: await resultDigestInSlices(salt, result),
    recordCount: records.length,
    decision: {
      decision: 'authorize',
      decidedBy: disclosure.decidedBy === null ? 'policy' : 'user',
      policyId: disclosure.policyId,
    },
    requestedAt: timestamp(disclosure.requestedAt),
    decidedAt: timestamp(decidedAt),
    generatedAt: timestamp(generatedAt),
  };
  return { receiptId, generatedAt, salt, result, receipt };
}

function disclosedRecord(
  asset: Asset,
  transaction: IndexedTransaction,
  fields: readonly DisclosureField[],
  decrypted: ProvenRecord | undefined,
): DisclosedRecord {
  const { type, slot, blockTime, sourceAccount, destinationAccount } = transaction;
  return {
    transactionId: transaction.id,
    networkTransactionId: transaction.networkTransactionId,
    type,
    slot,
    blockTime,
    sourceAccount,
    destinationAccount,
    decimals: asset.decimals,
    proof: null,
    ...(fields.includes('amount') ? amountMembers(transaction, decrypted) : {}),
    ...(fields.includes('fee') ? { fee: null } : {}),
    ...(fields.includes('fee') && feeIsHidden(type) ? { unavailable: ['fee'] } : {}),
  };
}

type AmountMembers = Pick<DisclosedRecord, 'amount' | 'undecryptable' | 'public'> &
  Partial<Pick<DisclosedRecord, 'proof'>>;

function amountMembers(
  { type, publicData: { amount }, ciphertexts }: IndexedTransaction,
  decrypted: ProvenRecord | undefined,
): AmountMembers {
  const visibility = amountVisibility(type);
  switch (visibility) {
    case 'none':
      return { amount: null };
    case 'public':
      return amount === undefined ? { amount: null } : { amount, public: ['amount'] };
    case 'encrypted': {
      if (decrypted?.kind !== 'amount' || !ciphertexts.auditor)
        return { amount: null, undecryptable: ['amount'] };
      const { lo, hi } = ciphertexts.auditor;
      const proof = {
        auditorElGamalPubkey: base64.encode(decrypted.publicKey),
        ciphertext: { lo, hi },
        proof: base64.encode(decrypted.proof),
      };
      return { amount: decrypted.value.toString(), proof: { amount: proof } };
    }
    default:
      return unreachable(visibility);
  }
}
