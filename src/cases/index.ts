import type { DecryptionPool } from '../crypto/index.js';
import type { Foundation } from '../database/index.js';
import { CaseRequestResolver, caseRequestChangedResolver } from './case-request.resolver.js';
import { CaseAuditorEntity, CaseEntity, CaseRequestEntity } from './case.entity.js';
import { CaseResolver, caseChangedResolver } from './case.resolver.js';

export { approveCaseRequest } from './approve-case-request.js';
export { requireCaseAccess, requireCaseAccessStill, type CaseAccess } from './case-access.js';
export { scopeOf, snapshotOf, type CaseScope, type CaseSnapshot } from './case-scope.js';
export { caseTotals, type CaseAssetTotals, type CaseFlow, type CaseTotal } from './case-totals.js';
export {
  CASE_TRANSACTION_TYPES,
  MASKABLE,
  type CaseTransaction,
  type CaseTransactionType,
  type Maskable,
} from './case-transaction.js';
export { caseTransactionPages, type CasePagesOptions } from './case-transaction-pages.js';
export type { CasePerson, CaseRecord } from './case.js';
export { CasePersonType, DisclosureFlagsType } from './case.type.js';
export { closeCaseRequest, type CaseDecisionInput } from './close-case-request.js';
export { createCaseRequest, type CreateCaseRequestInput } from './create-case-request.js';
export { describeFlags, type DisclosureFlags } from './disclosure-flags.js';
export { findCase, listCases } from './find-case.js';
export { findCaseRequest, listCaseRequests, listDisclosureRegistry } from './find-case-request.js';
export { followCaseRequests, followCases } from './follow-case-changes.js';
export { listAuditorCandidates } from './list-auditor-candidates.js';
export { listCaseAssets } from './list-case-assets.js';
export { LARGEST_TOTALS, listCaseTransactions, sumCaseTransactions } from './list-case-transactions.js';
export { countCaseTransactions } from './select-case-transactions.js';
export { withdrawCaseRequest } from './withdraw-case-request.js';

export const caseEntities = [CaseRequestEntity, CaseEntity, CaseAuditorEntity] as const;

/** The room's resolvers, ready to serve. */
export function caseResolvers(foundation: Foundation, pool: DecryptionPool): object[] {
  return [
    new CaseRequestResolver(foundation),
    caseRequestChangedResolver(foundation),
    new CaseResolver(foundation, pool),
    caseChangedResolver(foundation),
  ];
}
