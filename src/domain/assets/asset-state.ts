/** The statuses of an asset and the allowed transitions. Nothing else changes a status. */
export const ASSET_STATUSES = ['pending', 'active', 'error', 'disabled'] as const;
export type AssetStatus = (typeof ASSET_STATUSES)[number];

const ASSET_TRANSITIONS = {
  pending: ['active', 'error', 'disabled'],
  active: ['pending', 'error', 'disabled'],
  error: ['disabled'],
  disabled: [],
} as const satisfies Record<AssetStatus, readonly AssetStatus[]>;

export function mayBecome(from: AssetStatus, to: AssetStatus): boolean {
  return (ASSET_TRANSITIONS[from] as readonly AssetStatus[]).includes(to);
}
