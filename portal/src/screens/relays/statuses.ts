/** The statuses of a relay, in the order in which it can have them. */
export const RELAY_STATUSES = [
  'accepted',
  'validating',
  'queued',
  'submitted',
  'reconciling',
  'succeeded',
  'rejected',
  'failed',
] as const;
export type RelayStatus = (typeof RELAY_STATUSES)[number];
