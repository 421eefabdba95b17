import { GraphQLError, type ExecutionResult } from 'graphql';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { lucarneErrorIn } from '../graphql/index.js';
import { badUserInput, isLucarneError, type LucarneError } from '../kernel/errors.js';
import { ERROR_STATUS, errorBody, internalError } from './error-table.js';
import { UnsupportedBody } from './json-body.js';
import type { Route } from './route.js';

type Surface = Pick<Route, 'credentials' | 'reasons'>;

/** Answers anything thrown on the way of a request, in the one shape of all refusals. */
export function sendRefusal(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  surface?: Surface,
): FastifyReply {
  const transport = transportRefusal(thrown);
  if (transport) {
    const { statusCode, message } = transport;
    return sendError(reply, statusCode, message, surface?.reasons?.[statusCode]);
  }

  const error = isLucarneError(thrown) ? thrown : internalError(thrown);
  if (error.code === 'INTERNAL_SERVER_ERROR' || error.code === 'UNAVAILABLE') {
    request.log.error({ err: error.cause ?? error }, 'A request failed inside.');
  }
  if (error.code === 'UNAUTHENTICATED' && surface?.credentials === 'api_key') {
    reply.header('www-authenticate', 'Bearer');
  }
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', String(error.retryAfterSeconds));
  const status = ERROR_STATUS[error.code];
  return sendError(
    reply,
    status,
    error.message,
    surface?.reasons && (error.reason ?? surface.reasons[status]),
  );
}

export function sendError(
  reply: FastifyReply,
  statusCode: number,
  message: string,
  reason?: string,
): FastifyReply {
  return reply
    .code(statusCode)
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(errorBody(statusCode, message, reason)));
}

/** The first error of an execution as the error it was thrown as; `undefined` when there is none. */
export function errorOf(
  result: ExecutionResult,
  argumentNames: Route['argumentNames'],
): LucarneError | undefined {
  const [error] = result.errors ?? [];
  if (!error) return undefined;
  const known = lucarneErrorIn(error);
  if (known?.code === 'BAD_USER_INPUT') {
    const { message, reason } = known;
    return badUserInput(rename(message, argumentNames), reason === undefined ? {} : { reason });
  }
  if (known) return known;
  // Without a path nothing was executed: a variable did not fit its type. The text is GraphQL's, so it is not shown.
  if (error instanceof GraphQLError && error.path === undefined && error.originalError === undefined) {
    const variable = /^Variable "\$(\w+)"/.exec(error.message)?.[1];
    const within = / at "\w+\.([\w.[\]]+)"/.exec(error.message)?.[1];
    const member = within ?? (variable === undefined ? undefined : (argumentNames?.[variable] ?? variable));
    if (member !== undefined) return badUserInput(`${member} is not of the form it must have.`);
  }
  return internalError(error.originalError ?? error);
}

// A message begins with the name of the argument; the caller knows it by the name in the request.
function rename(message: string, argumentNames: Route['argumentNames']): string {
  const [argument] = message.split(/[^\w]/, 1);
  const name = argument !== undefined && argumentNames ? argumentNames[argument] : undefined;
  return name === undefined || argument === undefined ? message : `${name}${message.slice(argument.length)}`;
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

// What Fastify refuses before a route sees it: its own words may quote the inside, so ours are said.
function transportRefusal(thrown: unknown): { statusCode: number; message: string } | undefined {
  if (thrown instanceof UnsupportedBody) return { statusCode: 415, message: thrown.message };
  if (!(thrown instanceof Error) || isLucarneError(thrown)) return undefined;
  const { statusCode, code } = thrown as FastifyError;
  if (statusCode === undefined || statusCode >= 500 || !(code as string | undefined)?.startsWith('FST_')) {
    return undefined;
  }
  return { statusCode, message: TRANSPORT_MESSAGES[statusCode] ?? 'The request was refused.' };
}
