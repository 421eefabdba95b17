import { sha256 } from '../crypto/index.js';
import { timestamp } from '../kernel/clock.js';
import type { Id } from '../kernel/ids.js';
import { canonicalJson } from '../kernel/json.js';
import type { CheckReason, CheckStep } from './check-rules.js';

/** A check as it was answered and recorded, for good. */
export interface AddressCheck {
  readonly id: Id<'chk'>;
  readonly network: string;
  readonly address: string;
  /** The public id of an application, as it was asked for; null when only the screening steps were asked. */
  readonly applicationId: string | null;
  readonly approved: boolean;
  readonly reason: CheckReason;
  readonly decidedBy: CheckStep;
  /** How often the application's addresses and default had changed; null without an application. */
  readonly policyVersion: number | null;
  /** The sanctions list that was asked; null when none was. */
  readonly listVersion: string | null;
  readonly checkedAt: Date;
  /** Lower-case hex. */
  readonly metadataHash: string;
}

/** SHA-256 of the RFC 8785 JSON of what a check is about and says; times are ISO 8601 with milliseconds. */
export function metadataHash(check: Omit<AddressCheck, 'id' | 'decidedBy' | 'metadataHash'>): Uint8Array {
  const { network, address, applicationId, approved, reason, policyVersion, listVersion, checkedAt } = check;
  return sha256(
    canonicalJson({
      address,
      applicationId,
      approved,
      checkedAt: timestamp(checkedAt),
      listVersion,
      network,
      policyVersion,
      reason,
    }),
  );
}
