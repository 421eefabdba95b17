import { canonicalJson, type JsonObject } from '../../../platform/kernel/encoding/json.js';

/**
 * The statement of a receipt. Times are ISO 8601. Digests are hex SHA-256 of the salt of the result and RFC 8785 forms, so
 * that a receipt reveals nothing to readers without access to the result.
 */
export type ReceiptBody = Readonly<{
  receiptId: string;
  organizationId: string;
  disclosureId: string;
  assetId: string;
  mint: string | null;
  purposeSha256: string;
  scopeSha256: string;
  resultSha256: string;
  recordCount: number;
  decision: Readonly<{
    decision: 'authorize';
    decidedBy: 'policy' | 'user';
    policyId: string | null;
  }>;
  requestedAt: string;
  decidedAt: string;
  generatedAt: string;
}>;

/** A signed receipt. Anyone can check its signature; its digests need the salt of the result. */
export interface SignedReceipt {
  readonly body: ReceiptBody;
  /** Base64 of the Ed25519 signature over the RFC 8785 form of `body`. */
  readonly signature: string;
  /** The organization's key in C2SP's form, `name+id+base64`. */
  readonly verifierKey: string;
}

// A checkpoint signed by the same key begins with its origin, never with a brace, so neither can be mistaken for the other.
export const receiptMessage = (body: JsonObject) => new TextEncoder().encode(canonicalJson(body));

export const receiptKeyName = (organizationId: string) => `lucarne/${organizationId}`;
