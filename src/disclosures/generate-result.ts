import { locateAsset, type Asset } from '../assets/index.js';
import type { DecryptionPool } from '../crypto/index.js';
import type { Foundation } from '../database/index.js';
import { timestamp } from '../kernel/clock.js';
import { base64 } from '../kernel/bytes.js';
import { newId, type Id } from '../kernel/ids.js';
import { unreachable } from '../kernel/unreachable.js';
import type { IndexedTransaction } from '../transactions/index.js';
import { amountVisibility, feeIsHidden, type DisclosedRecord } from './disclosed-record.js';
import { proveRecords, type ProvenRecord } from './decrypt-records.js';
import type { Disclosure } from './disclosure.js';
import { serializeRecords } from './disclosure-content.js';
import { jsonDigest, PROOF_DESCRIPTION, resultDigest, type UnsignedResult } from './disclosure-result.js';
import { scopeFromJson, type DisclosureField } from './disclosure-scope.js';
import type { ReceiptBody } from './receipt.js';
import { selectRecords } from './select-records.js';

export interface GeneratedResult {
  readonly receiptId: Id<'rcp'>;
  readonly generatedAt: Date;
  readonly result: UnsignedResult;
  readonly receipt: ReceiptBody;
}

/** Reads, decrypts and proves what an authorized disclosure selects. Outside of any transaction; it stores nothing. */
export async function generateResult(
  foundation: Foundation,
  pool: DecryptionPool,
  disclosure: Disclosure,
  signal: AbortSignal,
): Promise<GeneratedResult> {
  const { organizationId, assetId, asOfPosition, decidedAt } = disclosure;
  if (asOfPosition === null || decidedAt === null) throw new Error('The disclosure is not authorized.');
  const asset = await locateAsset(foundation.database, organizationId, assetId);
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
  const generatedAt = foundation.clock.now();
  const result: UnsignedResult = {
    format: disclosure.format,
    generatedAt: timestamp(generatedAt),
    receiptId,
    records,
    content: serializeRecords(disclosure.format, records, scope.fields),
    proof: PROOF_DESCRIPTION,
  };
  const receipt: ReceiptBody = {
    receiptId,
    organizationId,
    disclosureId: disclosure.id,
    assetId,
    mint: asset.mintAddress,
    purposeSha256: jsonDigest(disclosure.purpose),
    scopeSha256: jsonDigest(disclosure.scope),
    resultSha256: resultDigest(result),
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
  return { receiptId, generatedAt, result, receipt };
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
  { type, publicData, ciphertexts }: IndexedTransaction,
  decrypted: ProvenRecord | undefined,
): AmountMembers {
  const visibility = amountVisibility(type);
  switch (visibility) {
    case 'none':
      return { amount: null };
    case 'public': {
      const amount = publicData['amount'];
      return typeof amount === 'string' ? { amount, public: ['amount'] } : { amount: null };
    }
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
