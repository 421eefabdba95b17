export const ADDRESS_STATUSES = ['approved', 'revoked'] as const;
export type AddressStatus = (typeof ADDRESS_STATUSES)[number];

/** The allowed changes of a listed address's status. An address that is not listed can get either status. */
const TRANSITIONS: Readonly<Record<AddressStatus, readonly AddressStatus[]>> = {
  approved: ['revoked'],
  revoked: ['approved'],
};

/** The statuses from which a listed address may become `to`. */
export function mayBecomeFrom(to: AddressStatus): readonly AddressStatus[] {
  return ADDRESS_STATUSES.filter((from) => TRANSITIONS[from].includes(to));
}
