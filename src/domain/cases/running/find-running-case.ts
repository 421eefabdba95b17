import { conflict, notFound } from '../../../platform/kernel/errors.js';
import { parseIdOrNotFound } from '../../../platform/kernel/ids.js';
import type { Transaction } from '../../../platform/database/index.js';
import { type CaseRecord, selectCases } from '../case.js';
import type { VisibleIn } from '../visible-in.js';

/** A case whose window is open. @throws `NOT_FOUND`, or `CONFLICT` if it has ended. */
export async function findRunningCase(
  transaction: Transaction,
  visibility: VisibleIn<'all'>,
  caseId: string,
  at: Date,
): Promise<CaseRecord> {
  const found = await findCaseOf(transaction, visibility, caseId, at);
  if (found.status !== 'active') throw conflict('The case has already ended.');
  return found;
}

export async function findCaseOf(
  transaction: Transaction,
  visibility: VisibleIn<'all'>,
  caseId: string,
  at: Date,
): Promise<CaseRecord> {
  const id = parseIdOrNotFound('cas', caseId);
  const [found] = await selectCases(transaction, { ...visibility, id, at });
  if (!found) throw notFound('case');
  return found;
}
