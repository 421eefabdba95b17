import { columnsOf, query, type Reader } from '../../../platform/database/index.js';
import { notFound } from '../../../platform/kernel/errors.js';
import { parseIdOrNotFound } from '../../../platform/kernel/ids.js';
import type { JsonObject } from '../../../platform/kernel/encoding/json.js';
import { type Wait, WAIT_BOUNDS } from '../waits.js';
import { type RelayAttempt, selectAttempts } from '../relay.js';
import { RelayEventEntity, RelayRequestEntity } from '../relay.entity.js';
import type { RelayReason, RelayStatus } from '../relay-state.js';

/** Everything that an operator needs to know about a relay request, without the package and the signed bytes. */
export interface ShownRelay {
  readonly id: string;
  readonly poolSelector: string;
  readonly programId: string;
  readonly status: RelayStatus;
  readonly reason: RelayReason | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Null until the request waits for something known, and after the end. */
  readonly waitingFor: { readonly wait: Wait; readonly bound: string } | null;
  readonly nextLookAt: Date | null;
  /** Number of consecutive looks that found nothing. */
  readonly failedLooks: number;
  /** The answer of each provider (`node` is its name), or what was tried before anything was signed. */
  readonly lastLook: { readonly at: Date; readonly evidence: JsonObject } | null;
  readonly attempts: readonly ShownAttempt[];
  readonly events: readonly {
    readonly sequence: number;
    readonly status: RelayStatus;
    readonly reason: RelayReason | null;
    readonly attemptNumber: number | null;
    readonly signature: string | null;
    readonly evidence: JsonObject;
    readonly createdAt: Date;
  }[];
}

type ShownAttempt = Omit<RelayAttempt, 'transaction' | 'sinceSignedMs'>;

/** Removes the signed bytes, because they contain the package. */
function withoutBytes(attempt: RelayAttempt): ShownAttempt {
  const { number, signature, blockhash, lastValidBlockHeight, contextSlot } = attempt;
  const { computeUnits, feeLamports, payer, createdAt, outcome, evidence, concludedAt } = attempt;
  return {
    ...{ number, signature, blockhash, lastValidBlockHeight, contextSlot },
    ...{ computeUnits, feeLamports, payer, createdAt, outcome, evidence, concludedAt },
  };
}

const SHOWN = [
  ...(['id', 'poolSelector', 'programId', 'status', 'reason', 'createdAt', 'updatedAt'] as const),
  ...(['waitingFor', 'nextLookAt', 'failedLooks', 'lastLook', 'lastLookAt'] as const),
] as const;
const SHOWN_EVENT = [
  ...(['sequence', 'status', 'reason', 'attemptNumber', 'signature', 'evidence', 'createdAt'] as const),
] as const;

/**
 * A relay request of any organization, for the operator of the gateway.
 * @throws {LucarneError} NOT_FOUND
 */
export async function showRelay(reader: Reader, relayRequestId: string): Promise<ShownRelay> {
  const id = parseIdOrNotFound('rly', relayRequestId);
  const [found] = await reader.rows(
    query.selectFrom('relay_requests').select(columnsOf(RelayRequestEntity, SHOWN)).where('id', '=', id),
  );
  if (!found) throw notFound('relay request');
  const events = await reader.rows(
    query
      .selectFrom('relay_events')
      .select(columnsOf(RelayEventEntity, SHOWN_EVENT))
      .where('request_id', '=', id)
      .orderBy('sequence'),
  );
  const attempts = await selectAttempts(reader, id);
  const { waitingFor, lastLook, lastLookAt, ...rest } = found;
  return {
    ...rest,
    waitingFor: waitingFor && { wait: waitingFor, bound: WAIT_BOUNDS[waitingFor] },
    lastLook: lastLook && lastLookAt && { at: lastLookAt, evidence: lastLook },
    attempts: attempts.map(withoutBytes),
    events,
  };
}
