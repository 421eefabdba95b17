import 'reflect-metadata';
import type { Foundation } from '../../platform/database/index.js';
import { DisclosureEntity, DisclosurePolicyEntity, ReceiptEntity } from './disclosure.entity.js';
import { DisclosureResolver, disclosureChangedResolver } from './disclosure.resolver.js';
import { DisclosureResultResolver } from './results/disclosure-result.resolver.js';
import { ResultReader } from './results/read-result.js';
import type { Fulfilment } from './results/fulfilment.js';

export { SEALED_RESULTS } from './results/sealed-result.js';
export { createDisclosurePolicy } from './policies/create-disclosure-policy.js';
export { countUndecidedDisclosures } from './reading/count-undecided.js';
export { disclosuresTopic } from './disclosure-changes.js';
export { decideDisclosure } from './decide-disclosure.js';
export type { DisclosureResult } from './results/disclosure-result.js';
export { createDisclosureWorker } from './results/disclosure-worker.js';
export { findDisclosure, listDisclosures } from './reading/find-disclosure.js';
export { ResultReader } from './results/read-result.js';
export { createFulfilment, type Fulfilment } from './results/fulfilment.js';
export { findReceipt } from './results/receipt.js';
export { retainedResults } from './results/retained-results.js';
export { requestDisclosure, type RequestDisclosureInput } from './request-disclosure.js';
export { verifyAmountFile } from './verification/verify-amount-file.js';
export { verifyDisclosureFile } from './verification/verify-disclosure-file.js';

export const disclosureEntities = [DisclosureEntity, DisclosurePolicyEntity, ReceiptEntity] as const;

/** The resolvers of this room. */
export function disclosureResolvers(foundation: Foundation, fulfilment: Fulfilment): object[] {
  const reader = new ResultReader(foundation);
  return [
    new DisclosureResolver(foundation, fulfilment, reader),
    disclosureChangedResolver(foundation),
    new DisclosureResultResolver(foundation),
  ];
}
