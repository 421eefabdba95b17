import { canonicalJson, type JsonObject } from '../../../platform/kernel/encoding/json.js';
import type { ProviderStatement } from './provider-statements.js';
import type { RelayReason, RelayStatus } from '../relay-state.js';

export const RELAY_RECEIPT_TYPE = 'lucarne/relay-receipt/v1';

/** The statement of a relay receipt. Times are ISO 8601, digests hex SHA-256. */
export type RelayReceiptBody = Readonly<{
  type: typeof RELAY_RECEIPT_TYPE;
  receiptId: string;
  organizationId: string;
  relayRequestId: string;
  /** Digest of the package's RFC 8785 form. It proves to anyone who has the package that the receipt belongs to it. */
  packageSha256: string;
  poolSelector: string;
  programId: string;
  status: RelayStatus;
  reason: RelayReason | null;
  sequence: number;
  attemptNumber: number | null;
  /** The last signed transaction. It took effect only if the status is `succeeded`. */
  transactionHash: string | null;
  /** Digest of the RFC 8785 form of the evidence that the history has for this end. */
  evidenceSha256: string;
  /** The statement of each provider in that evidence. Receipts of earlier versions do not have it. */
  providers?: readonly ProviderStatement[];
  acceptedAt: string;
  endedAt: string;
}>;

/** A receipt that anyone can check. */
export interface SignedRelayReceipt {
  readonly body: RelayReceiptBody;
  /** Base64 of the Ed25519 signature over the RFC 8785 form of `body`. */
  readonly signature: string;
  /** The organization's key in C2SP's form, `name+id+base64`. */
  readonly verifierKey: string;
}

// The same key signs checkpoints and disclosure receipts. Their messages begin differently, so none can pass for another.
export const relayReceiptMessage = (body: JsonObject) => new TextEncoder().encode(canonicalJson(body));

export const relayReceiptKeyName = (organizationId: string) => `lucarne/${organizationId}`;
