import { elGamalPublicKeyOf, type Sealer } from '../../../platform/crypto/index.js';
import { query, type Reader, sql } from '../../../platform/database/index.js';
import { equalBytes } from '../../../platform/kernel/encoding/bytes.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { withAuditorSecret } from './auditor-keys.js';

interface StoredAuditorKey {
  readonly organizationId: Id<'org'>;
  readonly epoch: number;
  readonly publicKey: Uint8Array;
}

/** An auditor key that cannot decrypt. */
interface BrokenAuditorKey extends StoredAuditorKey {
  /** The error of opening its secret; `undefined` if the secret belongs to another key. */
  readonly thrown: unknown;
}

/** At most `limit` auditor keys of all organizations and epochs, chosen at random if there are more, and their total number. */
export async function chooseAuditorKeys(
  reader: Reader,
  limit: number,
): Promise<{ readonly all: number; readonly chosen: readonly StoredAuditorKey[] }> {
  const [counted] = await reader.rows(
    query.selectFrom('auditor_keys').select(sql<number>`count(*)::integer`.as('all')),
  );
  const chosen = await reader.rows(
    query
      .selectFrom('auditor_keys')
      .select(['organization_id as organizationId', 'epoch', 'public_key as publicKey'])
      .orderBy(sql`random()`)
      .limit(limit),
  );
  return { all: counted?.all ?? 0, chosen };
}

/** The keys whose secret does not open or does not match the public key. Secrets are wiped at once. */
export async function findBrokenAuditorKeys(
  reader: Reader,
  sealer: Sealer,
  keys: readonly StoredAuditorKey[],
): Promise<BrokenAuditorKey[]> {
  const broken: BrokenAuditorKey[] = [];
  for (const key of keys) {
    const isItsOwn = (secret: Uint8Array) =>
      Promise.resolve(equalBytes(elGamalPublicKeyOf(secret), key.publicKey));
    try {
      if (!(await withAuditorSecret(reader, sealer, key.organizationId, key.epoch, isItsOwn)))
        broken.push({ ...key, thrown: undefined });
    } catch (thrown) {
      broken.push({ ...key, thrown });
    }
  }
  return broken.toSorted(
    (one, other) => one.organizationId.localeCompare(other.organizationId, 'en') || one.epoch - other.epoch,
  );
}
