import { type DecryptionPool } from '../../../platform/crypto/index.js';
import { type Foundation, query, type Reader } from '../../../platform/database/index.js';
import { base64 } from '../../../platform/kernel/encoding/bytes.js';
import { invalidMember, notFound } from '../../../platform/kernel/errors.js';
import { type Id, parseIdOrNotFound } from '../../../platform/kernel/ids.js';
import { MAX_PAGE_SIZE } from '../../../platform/kernel/paging/paging.js';
import type { Principal } from '../../access/index.js';
import { amountVisibility, areAttached, proveRecords } from '../../transactions/index.js';
import { type CaseAccess, requireCaseAccess } from '../case-access.js';
import { type CaseScope, scopeOf } from './case-scope.js';
import type { CaseRow, CaseTransaction } from './case-transaction.js';
import { CASE_TRANSACTION_TYPES } from './case-transaction-types.js';
import { recordCaseView, requireShownStill } from './record-case-view.js';
import type { EncryptedRow } from './select-case-transactions.js';

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
 * proofs without `fullTxIds`. Proving takes longer than decrypting, so everything is checked again afterwards.
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
  let making: Promise<ReadonlyMap<string, ProvenAmount>> | undefined;
  const make = async () => {
    const proofs = await proveRows(foundation, pool, scope, proven);
    const assetIds = proven.map(({ assetId }) => assetId);
    await requireShownStill(foundation.database, access, assetIds, foundation.clock.now());
    return proofs;
  };
  return shown.map((transaction, index) => ({
    ...transaction,
    get proof() {
      making ??= make();
      return making.then((proofs) => proofs.get(rows[index]!.id)?.proof ?? null);
    },
  }));
}

interface ProvenAmount {
  /** Base units as a decimal string. */
  readonly amount: string;
  readonly proof: AmountProof;
}

/** The amounts of records with their proofs, by the ids of the records. Those that no key decrypts are missing. */
async function proveRows(
  foundation: Foundation,
  pool: DecryptionPool,
  { organizationId }: Pick<CaseScope, 'organizationId'>,
  rows: readonly EncryptedRow[],
): Promise<ReadonlyMap<string, ProvenAmount>> {
  const proofs = new Map<string, ProvenAmount>();
  for (const id of new Set(rows.map(({ assetId }) => assetId))) {
    const records = rows.filter(({ assetId }) => assetId === id);
    const results = await proveRecords(foundation, pool, { id, organizationId }, records, NEVER);
    for (const { id: recordId, ciphertexts } of records) {
      const result = results.get(recordId);
      if (result?.kind !== 'amount' || !ciphertexts.auditor) continue;
      const { lo, hi } = ciphertexts.auditor;
      const proof = {
        auditorElGamalPubkey: base64.encode(result.publicKey),
        ciphertext: { lo, hi },
        proof: base64.encode(result.proof),
      };
      proofs.set(recordId, { amount: result.value.toString(), proof });
    }
  }
  return proofs;
}

export interface ProveCaseAmountsInput {
  readonly foreignId: string;
  readonly caseId: string;
  /** The amounts that the caller read, in base units. */
  readonly amounts: readonly { readonly transactionId: string; readonly amount: string }[];
}

/**
 * The proofs of amounts that the caller read before, in their order. Null for any amount that is not the one of its
 * transaction, so the answer tells no amount. The log counts the answer, and only transactions with a wrong amount.
 */
export async function proveCaseAmounts(
  foundation: Foundation,
  pool: DecryptionPool,
  principal: Principal | undefined,
  { amounts, ...input }: ProveCaseAmountsInput,
): Promise<(AmountProof | null)[]> {
  const access = await requireCaseAccess(foundation, principal, input, 'reports:view_transactions');
  if (amounts.length < 1 || amounts.length > MAX_PAGE_SIZE)
    throw invalidMember('amounts', `must have 1 to ${MAX_PAGE_SIZE} items`);
  const scope = scopeOf(foundation, access.case);
  // A ciphertext identifies its transaction, as its id does.
  if (!scope.flags.fullTxIds) throw notFound('transaction');
  const ids = amounts.map(({ transactionId }) => parseIdOrNotFound('txn', transactionId));
  const rows = await selectByIds(foundation.database, scope, [...new Set(ids)]);
  const proofs = await proveRows(foundation, pool, scope, rows);
  const misstated = new Set(
    ids.filter((id, index) => proofs.has(id) && proofs.get(id)?.amount !== amounts[index]!.amount),
  );
  // A wrong amount may be a guess, whose answer tells as much as reading the transaction.
  const assetIds = rows.map(({ assetId }) => assetId);
  await recordCaseView(foundation, access, { transactions: misstated.size, assetIds });
  return amounts.map(({ amount }, index) => {
    const proven = proofs.get(ids[index]!);
    return proven?.amount === amount ? proven.proof : null;
  });
}

/**
 * The records of the scope with these ids.
 *
 * @throws `NOT_FOUND` if it does not have all of them, and `CONFLICT` if a missing one may be in cold storage.
 */
async function selectByIds(
  reader: Reader,
  scope: CaseScope,
  ids: readonly Id<'txn'>[],
): Promise<EncryptedRow[]> {
  const { organizationId, applicationId, assetIds, period } = scope;
  const assets = query
    .selectFrom('assets')
    .where('assets.organization_id', '=', organizationId)
    .where('assets.application_id', '=', applicationId)
    .where((where) => where('assets.id', '=', where.fn.any(where.val([...assetIds]))));
  const rows = await reader.rows(
    assets
      .innerJoin('transactions', 'transactions.asset_id', 'assets.id')
      .select([
        'transactions.id',
        'transactions.asset_id as assetId',
        'transactions.slot',
        'transactions.position',
        'transactions.ciphertexts',
      ])
      .where((where) => where('transactions.id', '=', where.fn.any(where.val([...ids]))))
      .where('transactions.type', 'in', CASE_TRANSACTION_TYPES)
      .where('transactions.block_time', '>=', period.from)
      .where('transactions.block_time', '<', period.until),
  );
  if (rows.length < ids.length) {
    await reader.rows(assets.select('assets.id').where(areAttached(organizationId, assetIds, { period })));
    throw notFound('transaction');
  }
  return rows;
}

// Small, because the pool limits its queue.
const NEVER = new AbortController().signal;
