import { chooseAuditorKeys, findBrokenAuditorKeys } from '../../domain/assets/index.js';
import type { Examined } from '../../edge/cli/index.js';
import type { Database } from '../../platform/database/index.js';
import type { Keyring } from '../../platform/keys/index.js';
import { failed } from './failed-check.js';

const MAX_KEYS = 10_000;
/** Maximum number of keys that are opened. Others are only counted. */
const MAX_NAMED = 10;

const CHECK = 'auditor keys';

/** Checks that secrets of auditor keys open, and belong to their public keys. */
export async function examineAuditorKeys(
  database: Database,
  keyring: Keyring,
  maxKeys = MAX_KEYS,
): Promise<readonly Examined[]> {
  const { all, chosen } = await chooseAuditorKeys(database, maxKeys);
  let broken = await findBrokenAuditorKeys(database, keyring.sealer, chosen);
  if (broken.length > 0) {
    // A missing data key may not be loaded yet: refresh once before reporting it.
    await keyring.refresh();
    broken = await findBrokenAuditorKeys(database, keyring.sealer, broken);
  }
  const which = chosen.length < all ? `${chosen.length} of ${all}, chosen at random` : `all ${all}`;
  if (broken.length === 0) {
    const detail = `Examined: ${which}. Each opens, and belongs to its public key.`;
    return [{ check: CHECK, result: 'ok', detail }];
  }
  const named = broken.slice(0, MAX_NAMED).map(({ organizationId, epoch, thrown }): Examined => {
    const why =
      thrown === undefined ? 'Its secret does not belong to its public key.' : failed(CHECK, thrown).detail;
    const detail = `The auditor key of epoch ${epoch} of ${organizationId} does not work: ${why} ${TO_DO}`;
    return { check: CHECK, result: 'failed', detail };
  });
  const others = broken.length - named.length;
  const counted = `Examined: ${which}. ${broken.length} ${broken.length === 1 ? 'does' : 'do'} not work${others > 0 ? `; ${others} of them are not listed` : ''}.`;
  return [...named, { check: CHECK, result: 'failed', detail: counted }];
}

const TO_DO =
  'Restore its row of auditor_keys from a backup. Until then, this gateway reads no amount that was encrypted to it.';
