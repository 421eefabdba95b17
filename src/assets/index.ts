import { AssetEntity, AuditorKeyEntity } from './asset.entity.js';
import { AssetResolver } from './asset.resolver.js';

export type { Asset } from './asset.js';
export { AssetType } from './asset.type.js';
export type { AssetStatus } from './asset-state.js';
export { auditorKeysOf, currentAuditorKey, withAuditorSecret, type AuditorKey } from './auditor-keys.js';
export { MINTS_TOPIC } from './bind-mint.js';
export { locateAsset } from './find-asset.js';
export const assetEntities = [AssetEntity, AuditorKeyEntity] as const;
export const assetResolvers = [AssetResolver] as const;
export { bindMint } from './bind-mint.js';
export { createAsset } from './create-asset.js';
