import { GATEWAY, organizationSigner, recordActivity } from '../activity-log/index.js';
import { sha256, verifierKey } from '../crypto/index.js';
import { sql, type Foundation, type Transaction } from '../database/index.js';
import { base64, hex } from '../kernel/bytes.js';
import { timestamp } from '../kernel/clock.js';
import { newId, type Id } from '../kernel/ids.js';
import { canonicalJson, type JsonObject } from '../kernel/json.js';
import type { Relay, RelayAttempt } from './relay.js';
import { RelayReceiptEntity } from './relay.entity.js';
import type { RelayReason, RelayStatus } from './relay-state.js';

export const RELAY_RECEIPT_TYPE = 'lucarne/relay-receipt/v1';

/** What the receipt of a finished relay states. Times are ISO 8601, digests hex SHA-256. */
export type RelayReceiptBody = Readonly<{
  type: typeof RELAY_RECEIPT_TYPE;
  receiptId: string;
  organizationId: string;
  relayRequestId: string;
  /** Of the package's RFC 8785 form, so that whoever has the package can tell that it is the one. */
  packageSha256: string;
  poolSelector: string;
  programId: string;
  status: RelayStatus;
  reason: RelayReason | null;
  sequence: number;
  attemptNumber: number | null;
  /** Of the last transaction that was signed; only with `succeeded` does it stand for what was done. */
  transactionHash: string | null;
  /** Of the RFC 8785 form of the evidence that the history has for this end. */
  evidenceSha256: string;
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

/**
 * What an end brings with it, for each organization that the package names: the entry in its log, and the receipt that
 * its key signs. A rejected package changed nothing and costs its sender nothing: it has a receipt and no entry.
 */
export async function recordEnd(
  transaction: Transaction,
  { sealer }: Pick<Foundation, 'sealer'>,
  relay: Relay,
  latest: RelayAttempt | undefined,
  evidence: JsonObject,
): Promise<void> {
  const organizations = await transaction.rows(sql<{ organizationId: Id<'org'> }>`
    select organization_id as "organizationId" from relay_organizations where request_id = ${relay.id}
    order by organization_id`);
  for (const { organizationId } of organizations) {
    const at = relay.updatedAt;
    const body = receiptBody(organizationId, relay, latest, evidence);
    const signer = await organizationSigner(transaction, sealer, organizationId, at);
    const id = body.receiptId as Id<'rcp'>;
    await transaction.em.insert(RelayReceiptEntity, {
      id,
      organizationId,
      requestId: relay.id,
      sequence: relay.sequence,
      body,
      signature: signer.sign(relayReceiptMessage(body)),
      createdAt: at,
    });
    if (relay.status === 'rejected') continue;
    await recordActivity(transaction, {
      organizationId,
      eventType: relay.status === 'succeeded' ? 'relay.succeeded' : 'relay.failed',
      actor: GATEWAY,
      object: { type: 'relay_request', id: relay.id, pool_selector: relay.poolSelector },
      details: {
        reason: relay.reason,
        attempt_number: relay.attemptNumber,
        transaction_hash: body.transactionHash,
        package_sha256: body.packageSha256,
        evidence_sha256: body.evidenceSha256,
        receipt_id: id,
      },
      at,
    });
  }
}

// The form of a checkpoint, or of a disclosure's receipt, that the same key signs begins otherwise: none passes for another.
export const relayReceiptMessage = (body: JsonObject) => new TextEncoder().encode(canonicalJson(body));

export const relayReceiptKeyName = (organizationId: string) => `lucarne/${organizationId}`;

export function signedRelayReceipt(
  body: RelayReceiptBody,
  signature: Uint8Array,
  publicKey: Uint8Array,
): SignedRelayReceipt {
  const name = relayReceiptKeyName(body.organizationId);
  return { body, signature: base64.encode(signature), verifierKey: verifierKey(name, publicKey) };
}

function receiptBody(
  organizationId: Id<'org'>,
  relay: Relay,
  latest: RelayAttempt | undefined,
  evidence: JsonObject,
): RelayReceiptBody {
  return {
    type: RELAY_RECEIPT_TYPE,
    receiptId: newId('rcp'),
    organizationId,
    relayRequestId: relay.id,
    packageSha256: hex.encode(relay.packageDigest),
    poolSelector: relay.poolSelector,
    programId: relay.programId,
    status: relay.status,
    reason: relay.reason,
    sequence: relay.sequence,
    attemptNumber: relay.attemptNumber,
    transactionHash: latest?.signature ?? null,
    evidenceSha256: hex.encode(sha256(canonicalJson(evidence))),
    acceptedAt: timestamp(relay.createdAt),
    endedAt: timestamp(relay.updatedAt),
  };
}
