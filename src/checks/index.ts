import 'reflect-metadata';
import type { CheckDesk } from './check-desk.js';
import { AddressCheckEntity } from './check.entity.js';
import { CheckResolver } from './check.resolver.js';

export type { AddressCheck } from './address-check.js';
export {
  createCheckDesk,
  type CheckDesk,
  type CheckDeskOptions,
  type CheckMetrics,
  type SanctionsState,
} from './check-desk.js';
export { CHECK_REASONS, type CheckReason, type CheckStep } from './check-rules.js';
export type { CheckSubject, Network } from './check-subject.js';
export { screenAddress, screenWithoutApplication } from './screen-address.js';

export const checkEntities = [AddressCheckEntity] as const;

/** The room's resolvers, ready to serve. */
export function checkResolvers(desk: CheckDesk): object[] {
  return [new CheckResolver(desk)];
}
