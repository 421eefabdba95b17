import { IdempotencyKeyEntity } from './idempotency/idempotency-key.entity.js';
import { RateWindowEntity } from './rate-window.entity.js';
import { SettingEntity } from './setting.entity.js';

/** The entities of the tables that belong to no feature. */
export const platformEntities = [SettingEntity, IdempotencyKeyEntity, RateWindowEntity] as const;
