import { columnsOf, query, type Reader, type RowOf } from '../../database/index.js';
import { DataKeyEntity, MasterKeyEntity, ResealingEntity } from '../key-rows.entity.js';

interface KeyStatus {
  readonly masterKeys: readonly RowOf<typeof MasterKeyEntity>[];
  readonly dataKeys: readonly Omit<RowOf<typeof DataKeyEntity>, 'wrappedKey'>[];
  readonly resealing: readonly Pick<RowOf<typeof ResealingEntity>, 'purpose' | 'valuesLeft' | 'finishedAt'>[];
}

/** What is known about the keys without opening any. */
export async function keyStatus(reader: Reader): Promise<KeyStatus> {
  return {
    masterKeys: await reader.rows(
      query.selectFrom('master_keys').select(columnsOf(MasterKeyEntity)).orderBy('version'),
    ),
    dataKeys: await reader.rows(
      query
        .selectFrom('data_keys')
        .select(
          columnsOf(DataKeyEntity, [
            ...(['id', 'purpose', 'masterVersion', 'firstMasterVersion'] as const),
            ...(['createdAt', 'usableAt', 'destroyedAt'] as const),
          ]),
        )
        .orderBy('id'),
    ),
    resealing: await reader.rows(
      query
        .selectFrom('resealing')
        .select(columnsOf(ResealingEntity, ['purpose', 'valuesLeft', 'finishedAt']))
        .orderBy('purpose'),
    ),
  };
}
