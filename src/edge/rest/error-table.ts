import { STATUS_CODES } from 'node:http';
import { INTERNAL_MESSAGE } from '../graphql/index.js';
import { LucarneError, type ErrorCode, type ErrorReason } from '../../platform/kernel/errors.js';

/** The HTTP status of every error of a REST route. */
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

/** The body of every refusal. `error` is the reason phrase of the status. */
export interface ErrorBody {
  readonly statusCode: number;
  readonly message: string;
  readonly error: string;
  /** Only on the surfaces with reasons. */
  readonly reason?: ErrorReason;
}

export function errorBody(statusCode: number, message: string, reason?: ErrorReason): ErrorBody {
  const error = STATUS_CODES[statusCode] ?? 'Error';
  return reason === undefined ? { statusCode, message, error } : { statusCode, message, error, reason };
}

export function internalError(cause: unknown): LucarneError {
  return new LucarneError('INTERNAL_SERVER_ERROR', INTERNAL_MESSAGE, { cause });
}
