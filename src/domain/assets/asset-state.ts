/**
 * The statuses of an asset and the allowed transitions. Nothing else changes a status. No transition leads to `error`, which
 * the lists of callers and of the database name: a problem with the mint is in the status of its indexing.
 */
export const ASSET_STATUSES = ['pending', 'active', 'error', 'disabled'] as const;
export type AssetStatus = (typeof ASSET_STATUSES)[number];

const ASSET_TRANSITIONS = {
  pending: ['active', 'disabled'],
  active: ['pending', 'disabled'],
  error: ['disabled'],
  disabled: [],
} as const satisfies Record<AssetStatus, readonly AssetStatus[]>;

export function mayBecome(from: AssetStatus, to: AssetStatus): boolean {
  return (ASSET_TRANSITIONS[from] as readonly AssetStatus[]).includes(to);
}
