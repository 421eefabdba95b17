import { parse, stringify } from 'devalue';
import { type SealedColumn, sha256 } from '../../crypto/index.js';
import { equalBytes } from '../../kernel/encoding/bytes.js';
import { conflict, invalidMember } from '../../kernel/errors.js';
import type { Id } from '../../kernel/ids.js';
import { canonicalJson, type JsonValue } from '../../kernel/encoding/json.js';
import type { Database, Transaction } from '../database.js';
import type { Foundation } from '../foundation.js';
import { IdempotencyKeyEntity } from './idempotency-key.entity.js';
import { columnsOf, query } from '../query.js';
import { sql } from '../sql.js';

/** One request under an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header). */
export interface IdempotentRequest {
  readonly organizationId: Id<'org'>;
  /** 1 to 255 printable ASCII characters. Without a key, the request is carried out each time. */
  readonly key: string | null | undefined;
  /** The name of the operation. One key serves one request of one operation. */
  readonly operation: string;
  /** The parsed input. Two requests are the same when their RFC 8785 forms are. */
  readonly request: JsonValue;
  /** The person who makes the request, for whom alone it is repeated; null if it is the organization's, by one of its API keys. */
  readonly person: Id<'usr'> | null;
  /** Throws if the caller may no longer make the request. Runs after the wait for another request with the same key. */
  readonly requireStill: () => Promise<void>;
}

/** The key, as the API describes it. */
export const IDEMPOTENCY_KEY =
  'A key that you choose for this call, 1 to 255 printable ASCII characters. For 24 hours, a repeated ' +
  'call with the same key and input returns the first answer; with the same key and another input, ' +
  'the call fails with CONFLICT. The keys of calls with API keys belong to the organization, those of a person ' +
  'to that person: the call also fails with CONFLICT if someone else used the key.';

/** How long an answer is stored. */
const IDEMPOTENCY_HOURS = 24;

const KEY = /^[\x20-\x7e]{1,255}$/;

type Sealing = Pick<Foundation, 'sealer'>;

// The database's clock, which all instances share, to the precision of the column.
const NOW = sql<Date>`date_trunc('milliseconds', now())`;
const EXPIRED_BEFORE = sql<Date>`${NOW} - ${`${IDEMPOTENCY_HOURS} hours`}::interval`;

/**
 * Runs `create` once for a key, and returns its answer again for 24 hours. The answer is stored sealed; it may hold
 * plain objects, dates, bytes and bigints.
 *
 * Call it first in the action's own transaction. Of concurrent duplicates, one creates; the others wait for its commit
 * and return its answer. When it rolls back, one of the others creates.
 *
 * @throws `BAD_USER_INPUT` for a malformed key, `CONFLICT` for a key that was used with another request or by another person.
 */
export async function withIdempotencyKey<Answer>(
  transaction: Transaction,
  foundation: Sealing,
  request: IdempotentRequest,
  create: () => Promise<{ readonly resourceId: string; readonly answer: Answer }>,
): Promise<Answer> {
  const { organizationId, key, operation, person, requireStill } = request;
  if (key === null || key === undefined) {
    await requireStill();
    return (await create()).answer;
  }
  if (!KEY.test(key)) throw invalidMember('idempotencyKey', 'must be 1 to 255 printable ASCII characters');

  const same = person === null ? request.request : { person, request: request.request };
  const requestHash = sha256(canonicalJson(same));
  // Every other insert of the key waits here for the row that came first. An expired row is taken over.
  const taken = await transaction.rows(
    query
      .insertInto('idempotency_keys')
      .values({
        organization_id: organizationId,
        key,
        operation,
        request_hash: requestHash,
        resource_id: '',
        created_at: NOW,
      })
      .onConflict((conflict) =>
        conflict
          .columns(['organization_id', 'key'])
          .doUpdateSet((build) => ({
            operation: build.ref('excluded.operation'),
            request_hash: build.ref('excluded.request_hash'),
            resource_id: '',
            sealed_answer: null,
            created_at: build.ref('excluded.created_at'),
          }))
          .where('idempotency_keys.created_at', '<=', EXPIRED_BEFORE),
      )
      .returning('key'),
  );
  await requireStill();
  if (taken.length === 1) {
    const { resourceId, answer } = await create();
    await transaction.rows(
      query
        .updateTable('idempotency_keys')
        .set({ resource_id: resourceId, sealed_answer: seal(foundation, organizationId, key, answer) })
        .where('organization_id', '=', organizationId)
        .where('key', '=', key),
    );
    return answer;
  }

  const [row] = await transaction.rows(
    query
      .selectFrom('idempotency_keys')
      .select(columnsOf(IdempotencyKeyEntity, ['operation', 'requestHash', 'sealedAnswer']))
      .where('organization_id', '=', organizationId)
      .where('key', '=', key),
  );
  if (!row?.sealedAnswer) throw new Error('The answer of an idempotency key cannot be read.');
  if (row.operation !== operation || !equalBytes(row.requestHash, requestHash)) {
    throw conflict('The Idempotency-Key was used with another request.');
  }
  return open<Answer>(foundation, organizationId, key, row.sealedAnswer);
}

/**
 * Changes the stored answer of a key, for an action whose answer is known only after its transaction. `amend` takes the
 * stored answer and returns the new one, which is returned here too. Concurrent calls run one after another.
 */
export async function amendIdempotentAnswer<Answer>(
  transaction: Transaction,
  foundation: Sealing,
  { organizationId, key }: { readonly organizationId: Id<'org'>; readonly key: string },
  amend: (kept: Answer | undefined) => Answer,
): Promise<Answer> {
  const [row] = await transaction.rows(
    query
      .selectFrom('idempotency_keys')
      .select('sealed_answer as sealed')
      .where('organization_id', '=', organizationId)
      .where('key', '=', key)
      .forUpdate(),
  );
  const amended = amend(row?.sealed ? open<Answer>(foundation, organizationId, key, row.sealed) : undefined);
  if (row) {
    await transaction.rows(
      query
        .updateTable('idempotency_keys')
        .set({ sealed_answer: seal(foundation, organizationId, key, amended) })
        .where('organization_id', '=', organizationId)
        .where('key', '=', key),
    );
  }
  return amended;
}

/** Deletes keys that have expired, with their answers. Not in the transaction of a request, which would lock keys of others. */
export const sweepIdempotencyKeys = (database: Database) => ({
  table: 'idempotency_keys',
  async sweep(limit: number): Promise<number> {
    const deleted = await database.rows(
      query
        .deleteFrom('idempotency_keys')
        .where((build) =>
          build(
            build.refTuple('organization_id', 'key'),
            'in',
            build
              .selectFrom('idempotency_keys')
              .select(['organization_id', 'key'])
              .where('created_at', '<=', EXPIRED_BEFORE)
              .limit(limit)
              .forUpdate()
              .skipLocked()
              .$asTuple('organization_id', 'key'),
          ),
        )
        .returning('key'),
    );
    return deleted.length;
  },
});

const sealingContext = (organizationId: Id<'org'>, key: string) =>
  `idempotency_keys/${organizationId}/${key}`;

export const SEALED_ANSWERS: SealedColumn = {
  ...{ table: 'idempotency_keys', column: 'sealed_answer', purpose: 'idempotency_keys', rows: 200 },
  key: ['organization_id', 'key'],
  context: ([organizationId, key]) => sealingContext(organizationId as Id<'org'>, key as string),
};

function seal({ sealer }: Sealing, organizationId: Id<'org'>, key: string, answer: unknown): Uint8Array {
  return sealer.seal(Buffer.from(stringify(answer)), sealingContext(organizationId, key));
}

function open<Answer>(
  { sealer }: Sealing,
  organizationId: Id<'org'>,
  key: string,
  sealed: Uint8Array,
): Answer {
  const opened = sealer.open(sealed, sealingContext(organizationId, key));
  return parse(Buffer.from(opened).toString()) as Answer;
}
