import { type DecryptionPool } from '../../../platform/crypto/index.js';
import type { Foundation } from '../../../platform/database/index.js';
import { base64 } from '../../../platform/kernel/encoding/bytes.js';
import { amountVisibility, proveRecords } from '../../transactions/index.js';
import { type CaseAccess, requireCaseAccessStill } from '../case-access.js';
import type { CaseScope } from './case-scope.js';
import type { CaseRow, CaseTransaction } from './case-transaction.js';

/** Proves that an amount is the decryption of the ledger's ciphertext under the auditor key. All members are base64. */
export interface AmountProof {
  readonly auditorElGamalPubkey: string;
  readonly ciphertext: { readonly lo: string; readonly hi: string };
  readonly proof: string;
}

/** A transaction of a page. The proofs of a page are created together, when one of them is requested. */
export interface ProvableTransaction extends CaseTransaction {
  readonly proof: Promise<AmountProof | null>;
}

/**
 * Adds the proofs of the amounts that the case shows. A ciphertext identifies its transaction on the ledger, so there are no
 * proofs without `fullTxIds`. Proving takes longer than decrypting, so the access is checked again afterwards.
 */
export function withProofs(
  foundation: Foundation,
  pool: DecryptionPool,
  access: CaseAccess,
  scope: CaseScope,
  rows: readonly CaseRow[],
  shown: readonly CaseTransaction[],
): ProvableTransaction[] {
  const proven = shown.flatMap((transaction, index) => {
    const row = rows[index]!;
    const hasProof =
      scope.flags.fullTxIds && transaction.amount !== null && amountVisibility(row.type) === 'encrypted';
    return hasProof ? [row] : [];
  });
  let making: Promise<ReadonlyMap<string, AmountProof>> | undefined;
  const make = async () => {
    const proofs = await proveRows(foundation, pool, scope, proven);
    await requireCaseAccessStill(foundation.database, access, foundation.clock.now());
    return proofs;
  };
  return shown.map((transaction, index) => ({
    ...transaction,
    get proof() {
      making ??= make();
      return making.then((proofs) => proofs.get(rows[index]!.id) ?? null);
    },
  }));
}

async function proveRows(
  foundation: Foundation,
  pool: DecryptionPool,
  { organizationId }: CaseScope,
  rows: readonly CaseRow[],
): Promise<ReadonlyMap<string, AmountProof>> {
  const proofs = new Map<string, AmountProof>();
  for (const id of new Set(rows.map(({ assetId }) => assetId))) {
    const records = rows.filter(({ assetId }) => assetId === id);
    const results = await proveRecords(foundation, pool, { id, organizationId }, records, NEVER);
    for (const { id: recordId, ciphertexts } of records) {
      const result = results.get(recordId);
      if (result?.kind !== 'amount' || !ciphertexts.auditor) continue;
      const { lo, hi } = ciphertexts.auditor;
      proofs.set(recordId, {
        auditorElGamalPubkey: base64.encode(result.publicKey),
        ciphertext: { lo, hi },
        proof: base64.encode(result.proof),
      });
    }
  }
  return proofs;
}

// Small, because the pool limits its queue.
const NEVER = new AbortController().signal;
