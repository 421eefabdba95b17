import {
  aliasedColumnsOf,
  columnsOf,
  type Foundation,
  query,
  type RowOf,
  sql,
} from '../../../platform/database/index.js';
import { notFound } from '../../../platform/kernel/errors.js';
import { type Id, parseIdOrNotFound } from '../../../platform/kernel/ids.js';
import { type Principal, requireOwnerPermission } from '../../access/index.js';
import { findOrganizationRelay, type OrganizationRelay } from './list-relays.js';
import { signedRelayReceipt } from '../evidence/record-end.js';
import type { RelayReceiptBody, SignedRelayReceipt } from '../evidence/relay-receipt.js';
import { RelayEventEntity, RelayReceiptEntity } from '../relay.entity.js';
import { type RelayAttempt, selectAttempts } from '../relay.js';

/** A change of a relay's status, with its evidence. */
export type RelayEvent = Omit<RowOf<typeof RelayEventEntity>, 'requestId'>;

export interface RelayHistory {
  readonly relay: OrganizationRelay;
  /** Sorted by sequence number. */
  readonly events: readonly RelayEvent[];
  /** Every signed attempt, without the signed bytes, which contain the package. */
  readonly attempts: readonly Omit<RelayAttempt, 'transaction' | 'sinceSignedMs'>[];
  /** The organization's own receipt of each end. */
  readonly receipts: readonly SignedRelayReceipt[];
}

/** The full history of a relay of the caller's organization. */
export async function findRelayHistory(
  { database }: Pick<Foundation, 'database'>,
  principal: Principal | undefined,
  relayRequestId: string,
): Promise<RelayHistory> {
  const { organizationId } = requireOwnerPermission(principal, 'relays:read');
  const id = parseIdOrNotFound('rly', relayRequestId);
  const relay = await findOrganizationRelay(database, organizationId, id);
  if (!relay) throw notFound('relay request');
  const [events, attempts, receipts] = await Promise.all([
    database.rows(
      query
        .selectFrom('relay_events')
        .select(
          columnsOf(RelayEventEntity, [
            ...([
              'sequence',
              'status',
              'reason',
              'attemptNumber',
              'signature',
              'evidence',
              'createdAt',
            ] as const),
          ]),
        )
        .where('request_id', '=', id)
        .orderBy('sequence'),
    ),
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
  const rows = await database.rows(
    query
      .selectFrom('relay_receipts as receipts')
      .select([
        ...aliasedColumnsOf('receipts', RelayReceiptEntity, ['body', 'signature']),
        // Raw: the table belongs to the activity log.
        sql<Uint8Array>`(select public_key from signing_keys
          where signing_keys.organization_id = receipts.organization_id
            and signing_keys.epoch = receipts.signing_key_epoch)`.as('publicKey'),
      ])
      .where('receipts.organization_id', '=', organizationId)
      .where('receipts.request_id', '=', id)
      .orderBy('receipts.sequence'),
  );
  return rows.map(({ body, signature, publicKey }) =>
    signedRelayReceipt(body as RelayReceiptBody, signature, publicKey),
  );
}
