/** The closed list of what can go wrong. Each transport owns a total table from these codes to its own. */
export const ERROR_CODES = [
  'BAD_USER_INPUT',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'NOT_FOUND',
  'CONFLICT',
  'TOO_MANY_REQUESTS',
  'UNAVAILABLE',
  'INTERNAL_SERVER_ERROR',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** What the security log tells apart. */
export const DENIAL_EVENTS = [
  'sign_in.refused',
  'sign_in.locked_out',
  'password.refused',
  'api_key.refused',
  'origin.refused',
  'permission.refused',
] as const;

/** What the security log is told of a refusal; no caller ever sees it. */
export interface Denial {
  readonly event: (typeof DENIAL_EVENTS)[number];
  /** The e-mail address of the account that was tried. */
  readonly account?: string;
}

export interface ErrorDetail {
  /** A closed, machine-readable cause within the code, such as `retry_not_allowed`. */
  readonly reason?: string;
  /** Whole seconds after which a 429 or 503 may be tried again. */
  readonly retryAfterSeconds?: number;
  readonly denial?: Denial;
  /** What went wrong underneath: logged under the request id, never shown to a caller. */
  readonly cause?: unknown;
}

/** The one error class. `message` is written for the caller and is safe to show, whatever the code. */
export class LucarneError extends Error {
  override readonly name = 'LucarneError';
  readonly code: ErrorCode;
  readonly reason: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly denial: Denial | undefined;

  constructor(code: ErrorCode, message: string, detail: ErrorDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.code = code;
    this.reason = detail.reason;
    this.retryAfterSeconds = detail.retryAfterSeconds;
    this.denial = detail.denial ?? (code === 'FORBIDDEN' ? { event: 'permission.refused' } : undefined);
  }
}

export const badUserInput = (message: string, detail?: ErrorDetail) =>
  new LucarneError('BAD_USER_INPUT', message, detail);
export const unauthenticated = (message = 'Sign in, or send a valid API key.', detail?: ErrorDetail) =>
  new LucarneError('UNAUTHENTICATED', message, detail);
export const forbidden = (message = 'You do not have the permission for this.', detail?: ErrorDetail) =>
  new LucarneError('FORBIDDEN', message, detail);
/** `what` names the kind of thing, such as `asset`; the same words whether it is missing or another's. */
export const notFound = (what: string) => new LucarneError('NOT_FOUND', `No such ${what}.`);
export const conflict = (message: string, detail?: ErrorDetail) =>
  new LucarneError('CONFLICT', message, detail);
export const tooManyRequests = (message: string, retryAfterSeconds: number, detail?: ErrorDetail) =>
  new LucarneError('TOO_MANY_REQUESTS', message, { ...detail, retryAfterSeconds });
export const unavailable = (message: string, detail?: ErrorDetail) =>
  new LucarneError('UNAVAILABLE', message, detail);

export function isLucarneError(value: unknown): value is LucarneError {
  return value instanceof LucarneError;
}

const LONGEST_MESSAGE = 500;

/** The message of anything thrown, for logs: its first line, because drivers put the failing row into the next. */
export function messageOf(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return message.split('\n', 1).join('').slice(0, LONGEST_MESSAGE);
}
