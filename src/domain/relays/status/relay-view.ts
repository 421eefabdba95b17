import { acrossOrganizations, batched, sql, type Reader } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import type { JsonValue } from '../../../platform/kernel/encoding/json.js';
import type { Signature } from '../../../platform/ledger/index.js';
import type { AttemptOutcome } from '../relay.entity.js';
import type { RelayReason, RelayStatus } from '../relay-state.js';
import { isRetryAllowed } from './retry-rule.js';

/** A request after one change of its status, as shown to anyone who has its id. It contains no part of the package. */
export interface RelayView {
  readonly relayRequestId: Id<'rly'>;
  readonly status: RelayStatus;
  /** The number of the change, from 1. */
  readonly sequence: number;
  readonly createdAt: Date;
  /** When the status changed. */
  readonly updatedAt: Date;
  /** Whether another attempt may be started. Always false for a change that later changes follow. */
  readonly retryAllowed: boolean;
  readonly attemptNumber: number | null;
  /** The signature of the attempt's transaction. */
  readonly transactionHash: Signature | null;
  readonly publicReason: RelayReason | null;
  /** Whether this is the newest change. */
  readonly isNewest: boolean;
}

export interface ViewsAsked {
  readonly id: Id<'rly'>;
  /** Only changes after this sequence number. */
  readonly after: number;
}

/**
 * The changes of all these requests in one statement: at most the newest `limit` of each, sorted by sequence number. If a
 * request has none, it is unknown, or has no change after the requested number.
 */
export async function selectViews(
  reader: Reader,
  asked: readonly ViewsAsked[],
  limit: number,
): Promise<RelayView[]> {
  const ids = asked.map(({ id }) => id);
  const after = asked.map((one) => one.after);
  // Raw: beyond the builder (unnest of two lists).
  const rows = await reader.rows(sql<ViewRow>`
    select ${VIEW_COLUMNS}
    from unnest(${ids}::text[], ${after}::integer[]) as asked (id, after)
    join relay_requests as requests on requests.id = asked.id
    join relay_events as events on events.request_id = requests.id
      and events.sequence > greatest(asked.after, requests.sequence - ${limit}::integer)
    order by requests.id, events.sequence`);
  return rows.map(viewOf);
}

/** The change with this sequence number, or the newest one. */
export async function findView(
  reader: Reader,
  id: Id<'rly'>,
  sequence?: number,
): Promise<RelayView | undefined> {
  // Raw: the statement shares its columns with the one above.
  const [row] = await reader.rows(sql<ViewRow>`
    select ${VIEW_COLUMNS}
    from relay_requests as requests join relay_events as events on events.request_id = requests.id
    where requests.id = ${id}
      and events.sequence = ${sequence === undefined ? sql`requests.sequence` : sql`${sequence}`}`);
  return row && viewOf(row);
}

/** Whether another attempt of a relay may be started. Relays that are requested together are read by one statement. */
export function mayRetryOf(
  reader: Reader,
): (relay: { readonly relayRequestId: Id<'rly'>; readonly sequence: number }) => Promise<boolean> {
  return batched(async (relays) => {
    const asked = relays.map(({ relayRequestId: id, sequence }) => ({ id, after: sequence - 1 }));
    const views = await acrossOrganizations(() => selectViews(reader, asked, 1));
    const allowed = new Set(
      views.filter(({ retryAllowed }) => retryAllowed).map(({ relayRequestId }) => relayRequestId),
    );
    return relays.map(({ relayRequestId }) => allowed.has(relayRequestId));
  });
}

interface ViewRow extends Omit<RelayView, 'retryAllowed'> {
  /** Every attempt; null unless the newest change is `failed`. */
  readonly attempts:
    readonly { readonly outcome: AttemptOutcome | null; readonly failure: JsonValue }[] | null;
}

const VIEW_COLUMNS = sql`requests.id as "relayRequestId", events.status, events.sequence,
  requests.created_at as "createdAt", events.created_at as "updatedAt", events.attempt_number as "attemptNumber",
  events.signature as "transactionHash", events.reason as "publicReason",
  events.sequence = requests.sequence as "isNewest",
  case when events.sequence = requests.sequence and events.status = 'failed' then (
    select coalesce(jsonb_agg(jsonb_build_object('outcome', newest.outcome, 'failure', newest.evidence->'failure')
      order by attempts.number), '[]')
    from relay_attempts as attempts left join lateral (
      select outcome, evidence from relay_conclusions
      where relay_conclusions.request_id = attempts.request_id and relay_conclusions.number = attempts.number
      order by position desc limit 1) as newest on true
    where attempts.request_id = requests.id) end as attempts`;

function viewOf({ attempts, ...view }: ViewRow): RelayView {
  const { status, publicReason: reason } = view;
  return { ...view, retryAllowed: attempts !== null && isRetryAllowed({ status, reason, attempts }) };
}
