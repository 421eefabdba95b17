import { verifierKey } from '../../../platform/crypto/index.js';
import type { Foundation, Reader } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { parseKeyUri } from '../../../platform/keys/index.js';
import type { Principal } from '../../access/index.js';
import { newestCheckpoint } from '../sequencing/checkpoints.js';
import { signingKeysOf, type SigningKeyRow } from '../sequencing/signing-key.js';
import { requireSomeLog } from './log-access.js';

/** A current or earlier key that signs the log of an organization. */
export interface LogSigningKey extends Omit<SigningKeyRow, 'publicKey' | 'storeKey'> {
  /** C2SP, named after the log. */
  readonly verifierKey: string;
  /** The store of the key, such as `vault`. Null if the key is sealed in the database. */
  readonly store: string | null;
}

/** The keys of the caller's organization, newest first. */
export async function listSigningKeys({ database }: Foundation, principal: Principal | undefined) {
  return logSigningKeys(database, requireSomeLog(principal).organizationId);
}

/** The keys of the log, newest first; `NOT_FOUND` before its first checkpoint. */
export async function logSigningKeys(
  reader: Reader,
  organizationId: Id<'org'>,
): Promise<readonly [LogSigningKey, ...LogSigningKey[]]> {
  const { origin } = await newestCheckpoint(reader, organizationId);
  const keys = await signingKeysOf(reader, organizationId);
  const [newest, ...others] = keys.map(({ publicKey, storeKey, ...key }) => ({
    ...key,
    store: storeKey && parseKeyUri(storeKey).store,
    verifierKey: verifierKey(origin, publicKey),
  }));
  return [newest!, ...others];
}
