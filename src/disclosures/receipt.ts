import { verifierKey } from '../crypto/index.js';
import { organizationSigner } from '../activity-log/index.js';
import { sql, type Foundation, type Transaction } from '../database/index.js';
import { base64 } from '../kernel/bytes.js';
import { notFound } from '../kernel/errors.js';
import { locateId, type Id } from '../kernel/ids.js';
import { canonicalJson, type JsonObject } from '../kernel/json.js';
import { requireScope, type Principal } from '../organizations/index.js';
import { ReceiptEntity } from './disclosure.entity.js';

/** What a receipt states. Times are ISO 8601, digests hex SHA-256 of RFC 8785 forms. */
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

/** A receipt that anyone can check. */
export interface SignedReceipt {
  readonly body: ReceiptBody;
  /** Base64 of the Ed25519 signature over the RFC 8785 form of `body`. */
  readonly signature: string;
  /** The organization's key in C2SP's form, `name+id+base64`. */
  readonly verifierKey: string;
}

// A checkpoint that the same key signs begins with its origin, never with a brace: neither passes for the other.
export const receiptMessage = (body: JsonObject) => new TextEncoder().encode(canonicalJson(body));

export const receiptKeyName = (organizationId: string) => `lucarne/${organizationId}`;

/** Signs and stores a receipt in the transaction that makes its result available. */
export async function issueReceipt(
  transaction: Transaction,
  { sealer }: Pick<Foundation, 'sealer'>,
  ids: { readonly id: Id<'rcp'>; readonly organizationId: Id<'org'>; readonly disclosureId: Id<'dsc'> },
  body: ReceiptBody,
  createdAt: Date,
): Promise<SignedReceipt> {
  const signer = await organizationSigner(transaction, sealer, ids.organizationId, createdAt);
  const signature = signer.sign(receiptMessage(body));
  await transaction.em.insert(ReceiptEntity, { ...ids, body, signature, createdAt });
  return signed(body, signature, signer.publicKey);
}

/** A receipt of the organization. It holds digests only, nothing that was disclosed. */
export async function findReceipt(
  foundation: Foundation,
  principal: Principal | undefined,
  receiptId: string,
): Promise<SignedReceipt & { readonly id: Id<'rcp'> }> {
  const { organizationId } = requireScope(principal, 'disclosures:read');
  const id = locateId('rcp', receiptId);
  const [row] = await foundation.database.rows(sql<{
    body: ReceiptBody;
    signature: Uint8Array;
    publicKey: Uint8Array;
  }>`
    select body, signature, public_key as "publicKey"
    from receipts join signing_keys on signing_keys.organization_id = receipts.organization_id
    where receipts.organization_id = ${organizationId} and receipts.id = ${id}`);
  if (!row) throw notFound('receipt');
  return { id, ...signed(row.body, row.signature, row.publicKey) };
}

function signed(body: ReceiptBody, signature: Uint8Array, publicKey: Uint8Array): SignedReceipt {
  const name = receiptKeyName(body.organizationId);
  return { body, signature: base64.encode(signature), verifierKey: verifierKey(name, publicKey) };
}
