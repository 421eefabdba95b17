import { sql, type Foundation } from '../database/index.js';
import { notFound } from '../kernel/errors.js';
import { locateId, type Id } from '../kernel/ids.js';
import type { JsonObject } from '../kernel/json.js';
import type { Signature } from '../ledger/index.js';
import { requireOwnerPermission, type Principal } from '../organizations/index.js';
import { findOrganizationRelay, type OrganizationRelay } from './list-relays.js';
import { signedRelayReceipt, type RelayReceiptBody, type SignedRelayReceipt } from './record-end.js';
import type { RelayReason, RelayStatus } from './relay-state.js';
import { selectAttempts, type RelayAttempt } from './relay.js';

/** A change of a relay's status, with what it rests on. */
export interface RelayEvent {
  readonly sequence: number;
  readonly status: RelayStatus;
  readonly reason: RelayReason | null;
  readonly attemptNumber: number | null;
  readonly transactionHash: Signature | null;
  readonly evidence: JsonObject;
  readonly createdAt: Date;
}

export interface RelayHistory {
  readonly relay: OrganizationRelay;
  /** In the order of their sequence numbers. */
  readonly events: readonly RelayEvent[];
  /** Everything that was signed, without the signed bytes: they are the package again. */
  readonly attempts: readonly Omit<RelayAttempt, 'transaction'>[];
  /** Of each end, the organization's own. */
  readonly receipts: readonly SignedRelayReceipt[];
}

/** Everything that is known of a relay of the caller's organization. */
export async function findRelayHistory(
  { database }: Pick<Foundation, 'database'>,
  principal: Principal | undefined,
  relayRequestId: string,
): Promise<RelayHistory> {
  const { organizationId } = requireOwnerPermission(principal, 'relays:read');
  const id = locateId('rly', relayRequestId);
  const relay = await findOrganizationRelay(database, organizationId, id);
  if (!relay) throw notFound('relay request');
  const [events, attempts, receipts] = await Promise.all([
    database.rows(sql<RelayEvent>`
      select sequence, status, reason, attempt_number as "attemptNumber", signature as "transactionHash", evidence,
        created_at as "createdAt"
      from relay_events where request_id = ${id} order by sequence`),
    selectAttempts(database, id),
    selectReceipts({ database }, organizationId, id),
  ]);
  return { relay, events, attempts, receipts };
}

async function selectReceipts(
  { database }: Pick<Foundation, 'database'>,
  organizationId: Id<'org'>,
  id: Id<'rly'>,
): Promise<SignedRelayReceipt[]> {
  const rows = await database.rows(sql<{
    body: RelayReceiptBody;
    signature: Uint8Array;
    publicKey: Uint8Array;
  }>`
    select body, signature, public_key as "publicKey"
    from relay_receipts join signing_keys on signing_keys.organization_id = relay_receipts.organization_id
    where relay_receipts.organization_id = ${organizationId} and request_id = ${id} order by sequence`);
  return rows.map(({ body, signature, publicKey }) => signedRelayReceipt(body, signature, publicKey));
}
