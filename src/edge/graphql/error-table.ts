import { HeaderMap } from '@apollo/server';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import {
  describeMembers,
  isLucarneError,
  LucarneError,
  NO_ROOM_REASONS,
  type ErrorCode,
  type InvalidMember,
} from '../../platform/kernel/errors.js';
import type { Log } from '../../platform/kernel/log.js';

/** The HTTP status of every error: of a REST route, and of a GraphQL request that is refused before it is executed. */
export const ERROR_STATUS: Record<ErrorCode, number> = {
  BAD_USER_INPUT: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  TOO_MANY_REQUESTS: 429,
  UNAVAILABLE: 503,
  INTERNAL_SERVER_ERROR: 500,
};

/** The `LucarneError` that a GraphQL error carries, however deep the executor wrapped it. */
export function lucarneErrorIn(thrown: unknown): LucarneError | undefined {
  let current = thrown;
  for (let depth = 0; depth < 4 && current instanceof Error; depth += 1) {
    if (isLucarneError(current)) return current;
    current = current instanceof GraphQLError ? current.originalError : current.cause;
  }
  return undefined;
}

export const INTERNAL_MESSAGE =
  'An internal error occurred. The gateway’s log has the cause under the request id.';

/** The message for the caller. Internal causes are only logged, even if the error contains them. */
export const messageFor = ({ code, message }: LucarneError) =>
  code === 'INTERNAL_SERVER_ERROR' ? INTERNAL_MESSAGE : message;

/**
 * The extensions of a `LucarneError`. `members` are the invalid members of the input. Their paths are relative to `input` if
 * the field has this argument. Each message is a whole sentence.
 */
export function extensionsOf(error: LucarneError): Record<string, unknown> {
  const { code, reason, retryAfterSeconds, members } = error;
  return {
    code,
    ...(reason === undefined ? {} : { reason }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(members.length === 0 ? {} : { members: members.map(describedMember) }),
  };
}

const describedMember = (invalid: InvalidMember) => ({
  member: invalid.member,
  message: describeMembers([invalid]),
});

export function refusal(error: LucarneError): GraphQLError {
  const headers = new HeaderMap();
  if (error.code === 'UNAUTHENTICATED') headers.set('www-authenticate', 'Bearer');
  if (error.retryAfterSeconds !== undefined) headers.set('retry-after', String(error.retryAfterSeconds));
  // Apollo removes `http` before it answers. The type of graphql is narrower than what Apollo reads.
  const http: Record<string, unknown> = { status: ERROR_STATUS[error.code], headers };
  return new GraphQLError(messageFor(error), {
    originalError: error,
    extensions: { ...extensionsOf(error), http: http },
  });
}

// Apollo's message about a refused document. It is safe to show, because it quotes only the caller's own text.
const PROTOCOL_CODES = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_REQUEST',
  'BAD_USER_INPUT',
  'OPERATION_RESOLUTION_FAILURE',
  'PERSISTED_QUERY_NOT_FOUND',
  'PERSISTED_QUERY_NOT_SUPPORTED',
]);

/** The error that a caller sees. An error that was not made for callers reveals nothing internal. */
export function formatGraphqlError(formatted: GraphQLFormattedError, thrown: unknown): GraphQLFormattedError {
  const known = lucarneErrorIn(thrown);
  if (known) return { ...pickPlace(formatted), message: messageFor(known), extensions: extensionsOf(known) };
  const code = formatted.extensions?.['code'];
  if (isProtocolCode(code)) {
    return { ...pickPlace(formatted), message: formatted.message, extensions: { code } };
  }
  return {
    ...pickPlace(formatted),
    message: INTERNAL_MESSAGE,
    extensions: { code: 'INTERNAL_SERVER_ERROR' },
  };
}

/** Logs the cause of an error that the caller did not make, under the id of the request. */
export function logFailure(log: Log, requestId: string, thrown: unknown): void {
  const known = lucarneErrorIn(thrown);
  if (!known && thrown instanceof GraphQLError && isProtocolCode(thrown.extensions['code'])) return;
  const error = known ?? (thrown instanceof GraphQLError ? (thrown.originalError ?? thrown) : thrown);
  logOwnFault(log, error, { requestId });
}

/** Logs an error that the caller did not make. It is a warning if nothing failed and only capacity is missing. */
export function logOwnFault(log: Pick<Log, 'error' | 'warn'>, error: unknown, bindings: object = {}): void {
  const known = isLucarneError(error) ? error : undefined;
  if (known && known.code !== 'INTERNAL_SERVER_ERROR' && known.code !== 'UNAVAILABLE') return;
  if (known?.code === 'UNAVAILABLE' && known.cause === undefined && NO_ROOM_REASONS.includes(known.reason)) {
    const { reason, message: answer } = known;
    log.warn(
      { ...bindings, reason, answer },
      'A request was refused, because there is no room for it at present.',
    );
  } else log.error({ ...bindings, err: known?.cause ?? error }, 'A request failed with an internal error.');
}

const isProtocolCode = (code: unknown): code is string =>
  typeof code === 'string' && PROTOCOL_CODES.has(code);

function pickPlace({ locations, path }: GraphQLFormattedError) {
  return { ...(locations === undefined ? {} : { locations }), ...(path === undefined ? {} : { path }) };
}
