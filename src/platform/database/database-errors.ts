import { badUserInput, conflict, isLucarneError, unavailable } from '../kernel/errors.js';

// PostgreSQL's SQLSTATE classes 08 (connection), 53 (resources), 57P0x (shutdown), and the ways a socket ends.
const UNREACHABLE =
  /^(08...|53...|57P0[1-5])$|^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)$/;
const UNREACHABLE_MESSAGE = /connection terminated|client has encountered/i;
/** SQLSTATE `too_many_connections`, and what `pg-pool` throws if each of its connections stays in use. */
const TOO_MANY_CONNECTIONS = '53300';
const EACH_IN_USE_MESSAGE = /timeout exceeded when trying to connect/i;
/** SQLSTATE `deadlock_detected`: the transaction was rolled back, so that another could continue. */
const DEADLOCK = '40P01';
/** The SQLSTATE of `refuse_archived`, whose message is written for callers. */
const ARCHIVED = 'LU001';
// 22021: a NUL in text. 22P05: a NUL or lone surrogate in JSON. What PostgreSQL cannot store is the caller's input.
const UNSTORABLE_TEXT = /^(22021|22P05)$/;

/** The unique or exclusion constraint that a write ran into, or `undefined`. */
export function violatedConstraint(thrown: unknown): string | undefined {
  const { code, constraint } = driverError(thrown);
  return code === '23505' ? constraint : undefined;
}

/** The SQLSTATE of what the database answered, or `undefined`. */
export function sqlStateOf(thrown: unknown): string | undefined {
  return driverError(thrown).code;
}

/** Whether what failed can be repeated at once: its transaction was rolled back, so that another could continue. */
export const isDeadlock = (thrown: unknown): boolean => sqlStateOf(thrown) === DEADLOCK;

/** Names what the caller can act on; anything else passes unchanged and becomes an internal error at the edge. */
export function translateDatabaseError(thrown: unknown): unknown {
  if (isLucarneError(thrown)) return thrown;
  const { code, message } = driverError(thrown);
  if (code === TOO_MANY_CONNECTIONS || EACH_IN_USE_MESSAGE.test(message)) {
    return unavailable('No database connection is free. Try again.', { cause: thrown, retryAfterSeconds: 5 });
  }
  if (code === DEADLOCK) {
    const message = 'Another change was made at the same time. Try again.';
    return unavailable(message, { cause: thrown, retryAfterSeconds: 1 });
  }
  if ((code && UNREACHABLE.test(code)) || UNREACHABLE_MESSAGE.test(message)) {
    return unavailable('The database cannot be reached.', { cause: thrown, retryAfterSeconds: 5 });
  }
  if (code && UNSTORABLE_TEXT.test(code)) {
    return badUserInput('Text must not contain NUL characters or lone surrogates.', { cause: thrown });
  }
  if (code === ARCHIVED) return conflict(message, { reason: 'records_archived', cause: thrown });
  return thrown;
}

interface DriverError {
  readonly code: string | undefined;
  readonly constraint: string | undefined;
  readonly message: string;
}

// The ORM wraps the driver's error, and a failed connection can hold several (one an address).
function driverError(thrown: unknown): DriverError {
  let current: unknown = thrown;
  let message = '';
  for (let depth = 0; depth < 5 && typeof current === 'object' && current !== null; depth += 1) {
    const { code, constraint, previous, cause, errors, message: own } = current as Record<string, unknown>;
    if (typeof own === 'string') message ||= own;
    if (typeof code === 'string') {
      return { code, constraint: typeof constraint === 'string' ? constraint : undefined, message };
    }
    current = previous ?? cause ?? (Array.isArray(errors) ? errors[0] : undefined);
  }
  return { code: undefined, constraint: undefined, message };
}
