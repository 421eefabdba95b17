import { AssetEntity, AuditorKeyEntity } from './asset.entity.js';
import { ApplicationAssetsResolver, AssetResolver } from './asset.resolver.js';
import { FollowedAddressEntity, IndexedMintEntity, MintAuditorKeyEntity } from './mint.entity.js';

export { SEALED_AUDITOR_KEYS } from './auditor-keys/auditor-keys.js';
export {
  type Asset,
  assetSummaryColumns,
  type AssetsOf,
  type AssetSummary,
  createAssetsOf,
  lockAsset,
} from './asset.js';
export { CaseAssetType } from './asset.type.js';
export { auditorKeysOf, withAuditorSecret } from './auditor-keys/auditor-keys.js';
export { chooseAuditorKeys, findBrokenAuditorKeys } from './auditor-keys/broken-auditor-keys.js';
export { importAuditorKey } from './auditor-keys/import-auditor-key.js';
export { showAuditorKey } from './auditor-keys/list-auditor-keys.js';
export { bindMint, MINTS_TOPIC } from './bind-mint.js';
export { createAsset } from './create-asset.js';
export { findAssetOf } from './find-asset.js';
export {
  FollowedAddressEntity,
  type FollowedKind,
  IndexedMintEntity,
  MintAuditorKeyEntity,
} from './mint.entity.js';
export const assetEntities = [
  AssetEntity,
  AuditorKeyEntity,
  IndexedMintEntity,
  FollowedAddressEntity,
  MintAuditorKeyEntity,
] as const;
export const assetResolvers = [AssetResolver, ApplicationAssetsResolver] as const;
