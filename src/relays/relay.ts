import { sql, type Reader } from '../database/index.js';
import type { Id } from '../kernel/ids.js';
import type { JsonObject } from '../kernel/json.js';
import type { Address, Signature } from '../ledger/index.js';
import type { AttemptOutcome } from './relay.entity.js';
import type { RelayReason, RelayStatus } from './relay-state.js';

/** A relay request as it is stored, without its sealed package. */
export interface Relay {
  readonly id: Id<'rly'>;
  readonly poolSelector: string;
  readonly programId: Address;
  readonly packageDigest: Uint8Array;
  readonly status: RelayStatus;
  readonly reason: RelayReason | null;
  /** Counts the changes of status. */
  readonly sequence: number;
  /** Null until the first attempt is queued. */
  readonly attemptNumber: number | null;
  /** Looks in a row that could not find out what they were for. */
  readonly failedLooks: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** What was signed for a request, and what finalized state says of it. */
export interface RelayAttempt {
  readonly number: number;
  readonly signature: Signature;
  /** The signed bytes, exactly as every node gets them. */
  readonly transaction: Uint8Array;
  readonly blockhash: string;
  readonly lastValidBlockHeight: number;
  /** The slot of the node that gave the blockhash. */
  readonly contextSlot: number;
  readonly computeUnits: number;
  readonly feeLamports: number;
  readonly createdAt: Date;
  readonly outcome: AttemptOutcome | null;
  readonly evidence: JsonObject | null;
  readonly concludedAt: Date | null;
}

/** Signalled after each change of the request's status. */
export const relayTopic = (id: Id<'rly'>) => `relay:${id}`;

/** Signalled when a request waits for a worker. */
export const DUE_RELAYS_TOPIC = 'relays:due';

/** The context that a request's package is sealed under. */
export const packageContext = (id: Id<'rly'>) => `relay_requests/${id}/sealed_package`;

export const RELAY_COLUMNS = sql`relay_requests.id, pool_selector as "poolSelector", program_id as "programId",
  package_digest as "packageDigest", relay_requests.status, relay_requests.reason, relay_requests.sequence,
  relay_requests.attempt_number as "attemptNumber", failed_looks as "failedLooks",
  relay_requests.created_at as "createdAt", relay_requests.updated_at as "updatedAt"`;

export async function findRelay(reader: Reader, id: Id<'rly'>): Promise<Relay | undefined> {
  const [found] = await reader.rows(sql<Relay>`select ${RELAY_COLUMNS} from relay_requests where id = ${id}`);
  return found;
}

/** Every attempt that signed something, the first one first. */
export function selectAttempts(reader: Reader, id: Id<'rly'>): Promise<RelayAttempt[]> {
  return reader.rows(sql<RelayAttempt>`
    select number, signature, transaction, blockhash, last_valid_block_height as "lastValidBlockHeight",
      context_slot as "contextSlot", compute_units as "computeUnits", fee_lamports as "feeLamports",
      created_at as "createdAt", outcome, evidence, concluded_at as "concludedAt"
    from relay_attempts where request_id = ${id} order by number`);
}
