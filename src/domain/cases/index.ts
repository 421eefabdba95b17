import type { DecryptionPool } from '../../platform/crypto/index.js';
import type { Foundation } from '../../platform/database/index.js';
import { CaseRequestResolver, caseRequestChangedResolver } from './requests/case-request.resolver.js';
import { CaseAuditorEntity, CaseEntity, CaseRequestEntity, CaseViewEntity } from './case.entity.js';
import { caseParametersResolver } from './case-parameters.resolver.js';
import { CaseParameters, CaseType, DisclosureFlagsType } from './case.type.js';
import { CaseRequestType } from './requests/case-request.type.js';
import { createCaseFacts } from './case-facts.js';
import { CaseResolver, caseChangedResolver } from './case.resolver.js';

export { approveCaseRequest } from './requests/approve-case-request.js';
export { openCases, requireCaseAccess, requireCaseAccessStill } from './case-access.js';
export {
  type CaseScope,
  type CaseSnapshot,
  requireAssetsStill,
  scopeOf,
  snapshotOf,
} from './records/case-scope.js';
export { caseTotals, type CaseAssetTotals, type CaseFlow } from './records/case-totals.js';
export type { CaseTransaction } from './records/case-transaction.js';
export type { CaseTransactionType } from './records/case-transaction-types.js';
export { type CaseText, caseTextPages, caseTransactionPages } from './records/case-transaction-pages.js';
export type { Maskable } from './records/case-masks.js';
export type { MaskedText } from './records/masked-text.js';
export type { CaseRecord } from './case.js';
export { DisclosureFlagsType };
export { closeCaseRequest } from './requests/close-case-request.js';
export { casesTopic } from './case-changes.js';
export { createCaseViewCounter } from './records/count-case-views.js';
export { countPendingRequests } from './requests/count-pending-requests.js';
export { createCaseRequest, type CreateCaseRequestInput } from './requests/create-case-request.js';
export { describeFlags, type DisclosureFlags } from './disclosure-flags.js';
export { findCase, listCases } from './find-case.js';
export { findCaseRequest, listCaseRequests } from './requests/find-case-request.js';
export { followCaseRequests, followCases } from './follow-case-changes.js';
export { listAuditorCandidates } from './requests/list-auditor-candidates.js';
export { listCaseAssets } from './requests/list-case-assets.js';
export { listCaseTransactions, sumCaseTransactions } from './records/list-case-transactions.js';
export {
  countCaseTransactions,
  estimateCaseTransactions,
  OF_ASSET,
  type RecordText,
} from './records/select-case-transactions.js';
export { withdrawCaseRequest } from './requests/withdraw-case-request.js';

export const caseEntities = [CaseRequestEntity, CaseEntity, CaseAuditorEntity, CaseViewEntity] as const;

/** The resolvers of this room. */
export function caseResolvers(foundation: Foundation, pool: DecryptionPool): object[] {
  const facts = createCaseFacts(foundation);
  return [
    caseParametersResolver(CaseRequestType, facts),
    caseParametersResolver(CaseType, facts),
    caseParametersResolver(CaseParameters, facts),
    new CaseRequestResolver(foundation, facts),
    caseRequestChangedResolver(foundation),
    new CaseResolver(foundation, pool, facts),
    caseChangedResolver(foundation),
  ];
}
