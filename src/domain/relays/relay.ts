import {
  aliasedColumnsOf,
  columnsOf,
  query,
  sql,
  type Reader,
  type RowOf,
} from '../../platform/database/index.js';
import type { Id } from '../../platform/kernel/ids.js';
import type { JsonObject } from '../../platform/kernel/encoding/json.js';
import { addressFromBytes, type Address } from '../../platform/ledger/index.js';
import { RelayAttemptEntity, RelayConclusionEntity, RelayRequestEntity } from './relay.entity.js';

/** A relay request as stored, without its sealed package, its lease and its due time. */
export type Relay = Pick<RowOf<typeof RelayRequestEntity>, (typeof RELAY_PROPERTIES)[number]>;

/**
 * A signed transaction of a request, and what finalized state proves about it: the newest conclusion, whose members are null
 * while nothing is proven.
 */
export type RelayAttempt = Omit<RowOf<typeof RelayAttemptEntity>, 'requestId' | 'messageSha256'> & {
  readonly [member in 'outcome' | 'evidence' | 'concludedAt']:
    RowOf<typeof RelayConclusionEntity>[member] | null;
} & {
  /** The account that pays. */
  readonly payer: Address;
  /** Time since it was signed, by the database's clock. */
  readonly sinceSignedMs: number;
};

/** Signalled after each change of the request's status. */
export const relayTopic = (id: Id<'rly'>) => `relay:${id}`;

/** Signalled after each change of a request of the organization. */
export const relaysTopic = (organizationId: Id<'org'>) => `relays:${organizationId}`;

/** Signalled when a request waits for a worker. */
export const DUE_RELAYS_TOPIC = 'relays:due';

/** The context under which the package of a request is sealed. */
export const packageContext = (id: Id<'rly'>) => `relay_requests/${id}/sealed_package`;

export const RELAY_PROPERTIES = [
  'id',
  'poolSelector',
  'programId',
  'packageDigest',
  'status',
  'reason',
  'sequence',
  'attemptNumber',
  'failedLooks',
  'waitingFor',
  'createdAt',
  'updatedAt',
] as const;

export async function findRelay(reader: Reader, id: Id<'rly'>): Promise<Relay | undefined> {
  const [found] = await reader.rows(
    query
      .selectFrom('relay_requests')
      .select(columnsOf(RelayRequestEntity, RELAY_PROPERTIES))
      .where('id', '=', id),
  );
  return found;
}

/** What the last look found, if it did not end the request. */
export async function selectLastLook(reader: Reader, id: Id<'rly'>): Promise<JsonObject | null> {
  const [found] = await reader.rows(
    query.selectFrom('relay_requests').select('last_look as lastLook').where('id', '=', id),
  );
  return found?.lastLook ?? null;
}

/** Identifies the client whose daily budget pays for the request. */
export async function selectClientHash(reader: Reader, id: Id<'rly'>): Promise<Uint8Array | null> {
  const [found] = await reader.rows(
    query.selectFrom('relay_requests').select('client_hash as clientHash').where('id', '=', id),
  );
  return found?.clientHash ?? null;
}

const ATTEMPT_PROPERTIES = [
  'number',
  'signature',
  'transaction',
  'blockhash',
  'lastValidBlockHeight',
  'contextSlot',
  'computeUnits',
  'feeLamports',
  'createdAt',
] as const;

/**
 * The payer of an attempt in the table `attempts`, from the signed bytes: the first account, which follows the one signature.
 * An index has the same expression.
 */
export const ATTEMPT_PAYER = sql<Uint8Array>`substring(attempts.transaction from 71 for 32)`;

/** Every signed attempt, oldest first. */
export async function selectAttempts(reader: Reader, id: Id<'rly'>): Promise<RelayAttempt[]> {
  const attempts = await reader.rows(
    query
      .selectFrom('relay_attempts as attempts')
      .leftJoinLateral(
        (lateral) =>
          lateral
            .selectFrom('relay_conclusions')
            .select(columnsOf(RelayConclusionEntity, ['outcome', 'evidence', 'concludedAt']))
            .whereRef('request_id', '=', 'attempts.request_id')
            .whereRef('number', '=', 'attempts.number')
            .orderBy('position', 'desc')
            .limit(1)
            .as('conclusion'),
        (join) => join.onTrue(),
      )
      .select([
        ...aliasedColumnsOf('attempts', RelayAttemptEntity, ATTEMPT_PROPERTIES),
        ATTEMPT_PAYER.as('payer'),
        'conclusion.outcome',
        'conclusion.evidence',
        'conclusion.concludedAt',
        sql<number>`(extract(epoch from clock_timestamp() - attempts.created_at) * 1000)::float8`.as(
          'sinceSignedMs',
        ),
      ])
      .where('attempts.request_id', '=', id)
      .orderBy('attempts.number'),
  );
  return attempts.map(({ payer, ...attempt }) => ({ ...attempt, payer: addressFromBytes(payer) }));
}
