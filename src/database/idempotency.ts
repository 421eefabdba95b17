import { parse, stringify } from 'devalue';
import { sha256 } from '../crypto/index.js';
import { equalBytes } from '../kernel/bytes.js';
import { badUserInput, conflict } from '../kernel/errors.js';
import type { Id } from '../kernel/ids.js';
import { canonicalJson, type JsonValue } from '../kernel/json.js';
import type { Transaction } from './database.js';
import type { Foundation } from './foundation.js';
import { sql } from './sql.js';

/** One request under an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header). */
export interface IdempotentRequest {
  readonly organizationId: Id<'org'>;
  /** 1 to 255 printable ASCII characters; absent, the request is simply carried out. */
  readonly key: string | null | undefined;
  /** Names the operation: one key serves one request of one operation. */
  readonly operation: string;
  /** The parsed input. Two requests are the same when their RFC 8785 forms are. */
  readonly request: JsonValue;
}

/** For how long an answer is kept. */
export const IDEMPOTENCY_HOURS = 24;

const KEY = /^[\x20-\x7e]{1,255}$/;

type Sealing = Pick<Foundation, 'sealer' | 'clock'>;

/**
 * Carries `create` out once for a key, and gives its answer again for 24 hours. The answer is kept sealed; it may hold
 * plain objects, dates, bytes and bigints.
 *
 * Call it first in the action's own transaction: of concurrent duplicates one creates, and the others wait for its
 * commit and get its answer; when it rolls back, one of them creates.
 *
 * @throws `BAD_USER_INPUT` for a malformed key, `CONFLICT` for a key that was used with another request.
 */
export async function withIdempotencyKey<Answer>(
  transaction: Transaction,
  foundation: Sealing,
  request: IdempotentRequest,
  create: () => Promise<{ readonly resourceId: string; readonly answer: Answer }>,
): Promise<Answer> {
  const { organizationId, key, operation } = request;
  if (key === null || key === undefined) return (await create()).answer;
  if (!KEY.test(key)) throw badUserInput('Idempotency-Key must be 1 to 255 printable ASCII characters.');

  const requestHash = sha256(canonicalJson(request.request));
  const now = foundation.clock.now();
  // The row that stands first makes every other insert of the key wait here. An expired one is taken over.
  const taken = await transaction.rows(sql`
    insert into idempotency_keys (organization_id, key, operation, request_hash, resource_id, created_at)
    values (${organizationId}, ${key}, ${operation}, ${requestHash}, '', ${now})
    on conflict (organization_id, key) do update
      set operation = excluded.operation, request_hash = excluded.request_hash, resource_id = '',
        sealed_answer = null, created_at = excluded.created_at
      where idempotency_keys.created_at <= ${expiry(now)}
    returning key`);
  if (taken.length === 1) {
    await forgetSomeExpired(transaction, now);
    const { resourceId, answer } = await create();
    await transaction.rows(sql`
      update idempotency_keys
      set resource_id = ${resourceId}, sealed_answer = ${seal(foundation, organizationId, key, answer)}
      where organization_id = ${organizationId} and key = ${key}`);
    return answer;
  }

  const [row] = await transaction.rows(sql<{
    operation: string;
    requestHash: Uint8Array;
    sealed: Uint8Array;
  }>`
    select operation, request_hash as "requestHash", sealed_answer as sealed from idempotency_keys
    where organization_id = ${organizationId} and key = ${key}`);
  if (!row) throw new Error('The idempotency key that stood in the way cannot be read.');
  if (row.operation !== operation || !equalBytes(row.requestHash, requestHash)) {
    throw conflict('The Idempotency-Key was used with another request.');
  }
  return open<Answer>(foundation, organizationId, key, row.sealed);
}

/**
 * Changes the kept answer of a key, for an action whose answer is known only after its transaction. `amend` gets what
 * is kept and returns what shall be; its result is returned, too. Concurrent amendments follow one another.
 */
export async function amendIdempotentAnswer<Answer>(
  transaction: Transaction,
  foundation: Sealing,
  { organizationId, key }: { readonly organizationId: Id<'org'>; readonly key: string },
  amend: (kept: Answer | undefined) => Answer,
): Promise<Answer> {
  const [row] = await transaction.rows(sql<{ sealed: Uint8Array }>`
    select sealed_answer as sealed from idempotency_keys
    where organization_id = ${organizationId} and key = ${key} for update`);
  const amended = amend(row && open<Answer>(foundation, organizationId, key, row.sealed));
  if (row) {
    await transaction.rows(sql`
      update idempotency_keys set sealed_answer = ${seal(foundation, organizationId, key, amended)}
      where organization_id = ${organizationId} and key = ${key}`);
  }
  return amended;
}

// Whosever they are, so that no key outlives its time by long; a few at once, and none that another one removes.
async function forgetSomeExpired(transaction: Transaction, now: Date): Promise<void> {
  await transaction.rows(sql`
    delete from idempotency_keys where ctid in (
      select ctid from idempotency_keys where created_at <= ${expiry(now)}
      limit 100 for update skip locked)`);
}

const expiry = (now: Date) => new Date(now.getTime() - IDEMPOTENCY_HOURS * 3_600_000);

const sealingContext = (organizationId: Id<'org'>, key: string) =>
  `idempotency_keys/${organizationId}/${key}`;

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
