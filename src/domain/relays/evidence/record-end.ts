import { GATEWAY } from '../../access/index.js';
import {
  organizationSigner,
  recordActivity,
  type OrganizationSigner,
  type Signing,
} from '../../activity-log/index.js';
import { sha256, verifierKey } from '../../../platform/crypto/index.js';
import { query, type Transaction, valuesOf } from '../../../platform/database/index.js';
import { base64, hex } from '../../../platform/kernel/encoding/bytes.js';
import { timestamp } from '../../../platform/kernel/clock.js';
import { type Id, newId } from '../../../platform/kernel/ids.js';
import { canonicalJson, type JsonObject } from '../../../platform/kernel/encoding/json.js';
import type { Relay, RelayAttempt } from '../relay.js';
import { RelayReceiptEntity } from '../relay.entity.js';
import { providerStatements } from './provider-statements.js';
import {
  RELAY_RECEIPT_TYPE,
  type RelayReceiptBody,
  relayReceiptKeyName,
  relayReceiptMessage,
  type SignedRelayReceipt,
} from './relay-receipt.js';

export interface EndOfRelay {
  /** The organizations that the package names, sorted the same way for all requests, because an end locks a row for each. */
  readonly organizationIds: readonly Id<'org'>[];
  readonly latest: RelayAttempt | undefined;
  readonly evidence: JsonObject;
}

/**
 * Records an end for each organization that the package names: the entry in its log, and the receipt signed with its key. A
 * rejected package changed nothing and cost its sender nothing, so it has a receipt but no log entry.
 */
export async function recordEnd(
  transaction: Transaction,
  signing: Signing,
  relay: Relay,
  { organizationIds, latest, evidence }: EndOfRelay,
): Promise<void> {
  const { signatures } = signing;
  const at = relay.updatedAt;
  const receipts: { organizationId: Id<'org'>; body: RelayReceiptBody; signer: OrganizationSigner }[] = [];
  for (const organizationId of organizationIds) {
    const name = `receipt ${organizationId}`;
    const body =
      signatures.kept<RelayReceiptBody>(name) ??
      signatures.keep(name, receiptBody(organizationId, relay, latest, evidence));
    receipts.push({
      ...{ organizationId, body },
      signer: await organizationSigner(transaction, signing, organizationId, at),
    });
  }
  // A package may name many organizations, so all signatures are requested from the key stores at once.
  const signed = signatures.together(
    receipts.map(
      ({ body, signer }) =>
        () =>
          signer.sign(relayReceiptMessage(body)),
    ),
  );
  for (const [index, { organizationId, body, signer }] of receipts.entries()) {
    const id = body.receiptId as Id<'rcp'>;
    const signature = signed[index]!;
    await transaction.rows(
      query.insertInto('relay_receipts').values(
        valuesOf(RelayReceiptEntity, {
          id,
          organizationId,
          requestId: relay.id,
          sequence: relay.sequence,
          body,
          signature,
          signingKeyEpoch: signer.epoch,
          createdAt: at,
        }),
      ),
    );
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
        receipt_signature: base64.encode(signature),
      },
      at,
    });
  }
}

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
    providers: providerStatements(evidence),
    acceptedAt: timestamp(relay.createdAt),
    endedAt: timestamp(relay.updatedAt),
  };
}
