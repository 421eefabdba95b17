import type { ExecutionResult } from 'graphql';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ERROR_STATUS, logOwnFault, lucarneErrorIn, messageFor } from '../graphql/index.js';
import {
  type ErrorReason,
  invalidMembers,
  isLucarneError,
  type LucarneError,
  ServerStopping,
} from '../../platform/kernel/errors.js';
import { errorBody, internalError } from './error-table.js';
import { UnsupportedBody } from './json-body.js';
import type { Route } from './route.js';
import { surfaceAt, type Surface } from './surface.js';

/** Answers anything that a request throws, in the common shape of refusals. */
export function sendRefusal(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  surface: Surface | undefined = surfaceAt(request.url),
): FastifyReply {
  const transport = transportRefusal(thrown);
  if (transport) {
    const { statusCode, message, retryAfterSeconds } = transport;
    if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds));
    return sendError(reply, statusCode, message, surface?.reasons?.[statusCode]);
  }

  const error = isLucarneError(thrown) ? thrown : internalError(thrown);
  logOwnFault(request.log, error);
  if (error.code === 'UNAUTHENTICATED' && surface?.credentials === 'api_key') {
    reply.header('www-authenticate', 'Bearer');
  }
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', String(error.retryAfterSeconds));
  const status = ERROR_STATUS[error.code];
  return sendError(
    reply,
    status,
    messageFor(error),
    surface?.reasons && (error.reason ?? reasonOfMember(error, surface) ?? surface.reasons[status]),
  );
}

function reasonOfMember({ members }: LucarneError, { memberReasons }: Surface): ErrorReason | undefined {
  const member = members[0]?.member ?? '';
  return memberReasons && Object.hasOwn(memberReasons, member) ? memberReasons[member] : undefined;
}

/** Whether a request was refused as malformed, by HTTP or by its content. */
export function isMalformed(thrown: unknown): boolean {
  return isLucarneError(thrown) ? thrown.code === 'BAD_USER_INPUT' : transportRefusal(thrown) !== undefined;
}

export function sendError(
  reply: FastifyReply,
  statusCode: number,
  message: string,
  reason?: ErrorReason,
): FastifyReply {
  return reply
    .code(statusCode)
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(errorBody(statusCode, message, reason)));
}

/** The first error of an execution, or `undefined`. Members get the names that the callers of the route use. */
export function errorOf(
  result: ExecutionResult,
  argumentNames: Route['argumentNames'] = {},
): LucarneError | undefined {
  const [error] = result.errors ?? [];
  if (!error) return undefined;
  const lucarneError = lucarneErrorIn(error);
  if (!lucarneError) return internalError(error.originalError ?? error);
  const { members, reason } = lucarneError;
  if (members.length === 0) return lucarneError;
  return invalidMembers(
    members.map(({ member, problem }) => ({ member: renamed(member, argumentNames), problem })),
    reason === undefined ? {} : { reason },
  );
}

/** `auditorIds[2]` becomes `auditor_ids[2]` if callers know the argument `auditorIds` as `auditor_ids`. */
function renamed(member: string, argumentNames: NonNullable<Route['argumentNames']>): string {
  const [argument = ''] = member.split(/[.[]/, 1);
  const name = Object.hasOwn(argumentNames, argument) ? argumentNames[argument] : undefined;
  return `${name ?? argument}${member.slice(argument.length)}`;
}

const TRANSPORT_MESSAGES: Readonly<Record<number, string>> = {
  400: 'The request cannot be read.',
  404: 'There is nothing at this path.',
  408: 'The request took too long to arrive.',
  413: 'The body is larger than 64 KiB.',
  414: 'The path is too long.',
  415: 'The body must be sent as application/json.',
  431: 'The header is too large.',
};

interface TransportRefusal {
  readonly statusCode: number;
  readonly message: string;
  readonly retryAfterSeconds?: number;
}

// Requests that Fastify refuses before a route handles them. Fastify's messages may contain internals, so they are replaced.
function transportRefusal(thrown: unknown): TransportRefusal | undefined {
  if (thrown instanceof ServerStopping) {
    const { retryAfterSeconds } = thrown;
    return { statusCode: 503, message: 'The gateway is stopping.', retryAfterSeconds };
  }
  if (thrown instanceof UnsupportedBody) return { statusCode: 415, message: thrown.message };
  if (!(thrown instanceof Error) || isLucarneError(thrown)) return undefined;
  const { statusCode, code = '' } = thrown as Partial<FastifyError>;
  // Fastify sets a status even for a connection that ended while its body was read.
  const isOfTransport = code.startsWith('FST_') || code === 'ECONNRESET';
  if (statusCode === undefined || statusCode >= 500 || !isOfTransport) return undefined;
  return { statusCode, message: TRANSPORT_MESSAGES[statusCode] ?? 'The request was refused.' };
}
