import { STATUS_CODES } from 'node:http';
import { INTERNAL_MESSAGE } from '../graphql/index.js';
import { LucarneError, type ErrorReason } from '../../platform/kernel/errors.js';

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
