import { sha256 } from '../../platform/crypto/index.js';
import { timestamp } from '../../platform/kernel/clock.js';
import type { Id } from '../../platform/kernel/ids.js';
import { canonicalJson } from '../../platform/kernel/encoding/json.js';
import type { Network } from '../../platform/kernel/enums/network.js';
import type { CheckReason, CheckStep } from './check-rules.js';

/** A check as it was returned and recorded. It never changes. */
export interface AddressCheck {
  readonly id: Id<'chk'>;
  readonly network: Network;
  readonly address: string;
  /** The public check id of the application. Null if only the screening steps were asked. */
  readonly checkApplicationId: string | null;
  readonly approved: boolean;
  readonly reason: CheckReason;
  readonly decidedBy: CheckStep;
  /** The version of the application's addresses and default. Null without an application. */
  readonly policyVersion: number | null;
  /** The version of the sanctions list. Null if no list was loaded. */
  readonly listVersion: string | null;
  readonly checkedAt: Date;
  /** Hex in lower case. */
  readonly metadataHash: string;
}

/** SHA-256 of the RFC 8785 JSON of a check's subject and answer. Times are ISO 8601 with milliseconds. */
export function metadataHash(check: Omit<AddressCheck, 'id' | 'decidedBy' | 'metadataHash'>): Uint8Array {
  const { network, address, checkApplicationId, approved, reason, policyVersion, listVersion, checkedAt } =
    check;
  return sha256(
    canonicalJson({
      address,
      applicationId: checkApplicationId,
      approved,
      checkedAt: timestamp(checkedAt),
      listVersion,
      network,
      policyVersion,
      reason,
    }),
  );
}
