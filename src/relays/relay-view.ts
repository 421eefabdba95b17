import { sql, type Reader } from '../database/index.js';
import type { Id } from '../kernel/ids.js';
import type { JsonValue } from '../kernel/json.js';
import type { Signature } from '../ledger/index.js';
import type { AttemptOutcome } from './relay.entity.js';
import type { RelayReason, RelayStatus } from './relay-state.js';
import { isRetryAllowed } from './retry-rule.js';

/** A request as one change of its status left it: what whoever has its id may know. Nothing of the package. */
export interface RelayView {
  readonly relayRequestId: Id<'rly'>;
  readonly status: RelayStatus;
  /** Counts the changes of status. */
  readonly sequence: number;
  readonly createdAt: Date;
  /** When the status became this. */
  readonly updatedAt: Date;
  /** Whether an attempt may be asked for: never while the request has gone on from here. */
  readonly retryAllowed: boolean;
  readonly attemptNumber: number | null;
  /** Of the transaction that the attempt signed. */
  readonly transactionHash: Signature | null;
  readonly publicReason: RelayReason | null;
  /** Whether this is how the request stands. */
  readonly isNewest: boolean;
}

export interface ViewsAsked {
  readonly id: Id<'rly'>;
  /** Only changes behind this sequence number. */
  readonly behind: number;
}

/**
 * The changes of all these requests in one statement: of each, at most the `most` newest ones, in the order of their
 * sequence numbers. A request without any is unknown, or has none behind what was asked.
 */
export async function selectViews(
  reader: Reader,
  asked: readonly ViewsAsked[],
  most: number,
): Promise<RelayView[]> {
  const ids = asked.map(({ id }) => id);
  const behind = asked.map((one) => one.behind);
  const rows = await reader.rows(sql<ViewRow>`
    select ${VIEW_COLUMNS}
    from unnest(${ids}::text[], ${behind}::integer[]) as asked (id, behind)
    join relay_requests as requests on requests.id = asked.id
    join relay_events as events on events.request_id = requests.id
      and events.sequence > greatest(asked.behind, requests.sequence - ${most}::integer)
    order by requests.id, events.sequence`);
  return rows.map(viewOf);
}

/** The change with this sequence number, or how the request stands. */
export async function findView(
  reader: Reader,
  id: Id<'rly'>,
  sequence?: number,
): Promise<RelayView | undefined> {
  const [row] = await reader.rows(sql<ViewRow>`
    select ${VIEW_COLUMNS}
    from relay_requests as requests join relay_events as events on events.request_id = requests.id
    where requests.id = ${id}
      and events.sequence = ${sequence === undefined ? sql`requests.sequence` : sql`${sequence}`}`);
  return row && viewOf(row);
}

interface ViewRow extends Omit<RelayView, 'retryAllowed'> {
  /** Every one; null unless the request stands failed. */
  readonly attempts:
    readonly { readonly outcome: AttemptOutcome | null; readonly failure: JsonValue }[] | null;
}

const VIEW_COLUMNS = sql`requests.id as "relayRequestId", events.status, events.sequence,
  requests.created_at as "createdAt", events.created_at as "updatedAt", events.attempt_number as "attemptNumber",
  events.signature as "transactionHash", events.reason as "publicReason",
  events.sequence = requests.sequence as "isNewest",
  case when events.sequence = requests.sequence and events.status = 'failed' then (
    select coalesce(jsonb_agg(jsonb_build_object('outcome', outcome, 'failure', evidence->'failure')
      order by number), '[]') from relay_attempts where request_id = requests.id) end as attempts`;

function viewOf({ attempts, ...view }: ViewRow): RelayView {
  const { status, publicReason: reason } = view;
  return { ...view, retryAllowed: attempts !== null && isRetryAllowed({ status, reason, attempts }) };
}
