import type { Foundation } from '../../../platform/database/index.js';
import { base64 } from '../../../platform/kernel/encoding/bytes.js';
import { type Principal, requireScope } from '../../access/index.js';
import { type AuditorKey, auditorKeysOf } from './auditor-keys.js';

/** An auditor key as its readers see it. */
export interface ShownAuditorKey extends Omit<AuditorKey, 'publicKey'> {
  /** Standard base64 of 32 bytes. */
  readonly auditorElGamalPubkey: string;
}

/** The organization's auditor keys, newest first; their number is bounded by the number of epochs. */
export async function listAuditorKeys(
  { database }: Pick<Foundation, 'database'>,
  principal: Principal | undefined,
): Promise<ShownAuditorKey[]> {
  const { organizationId } = requireScope(principal, 'assets:read');
  return (await auditorKeysOf(database, organizationId)).map(showAuditorKey);
}

export const showAuditorKey = ({ publicKey, ...key }: AuditorKey): ShownAuditorKey => ({
  ...key,
  auditorElGamalPubkey: base64.encode(publicKey),
});
