import 'reflect-metadata';
import type { Foundation } from '../database/index.js';
import { DisclosureEntity, DisclosurePolicyEntity, ReceiptEntity } from './disclosure.entity.js';
import { DisclosureResolver } from './disclosure.resolver.js';
import type { Fulfilment } from './fulfilment.js';

export { createDisclosurePolicy } from './create-disclosure-policy.js';
export { decideDisclosure, type DecideDisclosureInput } from './decide-disclosure.js';
export { decryptRecords } from './decrypt-records.js';
export { cellText, csv } from './disclosure-content.js';
export type { DisclosureResult } from './disclosure-result.js';
export { createDisclosureWorker } from './disclosure-worker.js';
export { amountVisibility } from './disclosed-record.js';
export { findDisclosure, listDisclosures, openResult } from './find-disclosure.js';
export { createFulfilment, type Fulfilment } from './fulfilment.js';
export { findReceipt, type SignedReceipt } from './receipt.js';
export { requestDisclosure, type RequestDisclosureInput } from './request-disclosure.js';
export {
  verifyDisclosureFile,
  type DisclosureCheck,
  type DisclosureVerification,
} from './verify-disclosure-file.js';

export const disclosureEntities = [DisclosureEntity, DisclosurePolicyEntity, ReceiptEntity] as const;

/** The room's resolvers, ready to serve. */
export function disclosureResolvers(foundation: Foundation, fulfilment: Fulfilment): object[] {
  return [new DisclosureResolver(foundation, fulfilment)];
}
