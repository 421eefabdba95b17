import 'reflect-metadata';
import { AddressPolicyEntity, ApplicationAddressEntity } from './addresses/address.entity.js';
import type { CheckDesk } from './check-desk.js';
import { AddressCheckEntity } from './check.entity.js';
import { CheckResolver, ListedAddressResolver } from './check.resolver.js';

export type { AddressCheck } from './address-check.js';
export { createCheckDesk, type CheckDesk } from './check-desk.js';
export type { CheckSubject } from './check-subject.js';
export { screenAddress } from './screen-address.js';
export { screenForPool, type PoolScreening } from './screen-for-pool.js';

export const checkEntities = [AddressCheckEntity, ApplicationAddressEntity, AddressPolicyEntity] as const;

/** The resolvers of this room. */
export function checkResolvers(desk: CheckDesk): object[] {
  return [new CheckResolver(desk), new ListedAddressResolver(desk.foundation)];
}
