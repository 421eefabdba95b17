/** All error codes. Each transport has a complete table that maps them to its own codes. */
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

/**
 * All machine-readable reasons with their meanings. Clients use them to decide; messages are for people.
 * `schema/error-reasons.json` and the OpenAPI document are generated from it.
 */
export const ERROR_REASONS = {
  // Admission of relay packages.
  invalid_package: 'A member of the package is missing or not well formed. Unknown members are ignored.',
  unsupported_signal_shape:
    'The public signals do not fit the pool’s circuit: a wrong number, a value that is not reduced, or a nullifier twice.',
  unsupported_pool: 'The gateway does not relay to the pool.',
  not_found: 'The object does not exist, or you may not see it.',
  conflicting_payload: 'Another package that spends one of the nullifiers was submitted before.',
  retry_not_allowed: 'Another attempt is not allowed in the current state of the request.',
  payload_too_large: 'The body is larger than the route accepts.',
  rate_limited: 'Too many requests. Retry after the stated time.',
  queue_at_capacity: 'Too many requests are waiting. Retry after the stated time.',
  low_balance: 'The relayer cannot pay fees at present.',
  relayer_unavailable: 'The relayer cannot accept requests at present.',
  // Address checks.
  invalid_request: 'The request is not well formed.',
  invalid_network: 'The gateway does not know the network.',
  invalid_address: 'The address is not 32 bytes in base58.',
  // Sign-in.
  second_factor_required:
    'The organization or the account requires a second factor, and the session or sign-in has none.',
  fresh_factor_required:
    'The operation needs a second factor proven within the last 5 minutes. Call `stepUp`, then try again.',
  // Decisions.
  second_person_required:
    'A second person must decide, or call the same operation. Until then the proposal has no effect.',
  // Signing.
  signing_key_away: 'The key that signs the activity log and receipts cannot be used at present.',
  // Old records.
  records_archived:
    'Some of the records are in cold storage. Ask for later ones, or ask the operator to attach them.',
  // HTTP.
  method_not_allowed: 'The path does not accept the method.',
  unsupported_media_type: 'The content type is not JSON.',
  internal_error: 'The request failed. The gateway’s log has the cause under the request id.',
  unavailable: 'The gateway cannot answer at present. Try again later.',
} as const satisfies Record<string, string>;

export type ErrorReason = keyof typeof ERROR_REASONS;

/** Reasons of an `UNAVAILABLE` without a failure: there is no capacity at present. */
export const NO_ROOM_REASONS: readonly (ErrorReason | undefined)[] = [
  'queue_at_capacity',
  'low_balance',
  'relayer_unavailable',
];

/** An invalid member of the input. The member and `problem` together form a sentence without its full stop. */
export interface InvalidMember {
  /** The path of the member, such as `auditorIds[2]`. Transports rename its first segment. */
  readonly member: string;
  /** For example, `must be an integer from 1 to 200`. */
  readonly problem: string;
}

/** The kinds of refusals that the security log records. */
export const DENIAL_EVENTS = [
  'sign_in.refused',
  'sign_in.locked_out',
  'password.refused',
  'api_key.refused',
  'origin.refused',
  'permission.refused',
] as const;

/** What the security log records about a refusal. Callers never see it. */
export interface Denial {
  readonly event: (typeof DENIAL_EVENTS)[number];
  /** The e-mail address of the account that the caller tried to use. */
  readonly account?: string;
  /** Whether the account is that of the session of the caller. */
  readonly isOfSession?: boolean;
  /** The API key that was used after it was revoked or had expired. */
  readonly apiKey?: { readonly organizationId: string; readonly id: string };
}

export interface ErrorDetail {
  /** For example, `retry_not_allowed`. */
  readonly reason?: ErrorReason;
  /** The invalid members of the input. */
  readonly members?: readonly InvalidMember[];
  /** Whole seconds after which the caller may retry. */
  readonly retryAfterSeconds?: number;
  readonly denial?: Denial;
  /** The underlying error. It is logged under the request id and never shown to a caller. */
  readonly cause?: unknown;
}

/** The only error class that callers see. Its message is written for them, so every transport may show it. */
export class LucarneError extends Error {
  override readonly name = 'LucarneError';
  readonly code: ErrorCode;
  readonly reason: ErrorReason | undefined;
  /** Empty unless members of the input are invalid. */
  readonly members: readonly InvalidMember[];
  readonly retryAfterSeconds: number | undefined;
  readonly denial: Denial | undefined;

  constructor(code: ErrorCode, message: string, detail: ErrorDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.code = code;
    this.reason = detail.reason;
    this.members = detail.members ?? [];
    this.retryAfterSeconds = detail.retryAfterSeconds;
    this.denial = detail.denial ?? (code === 'FORBIDDEN' ? { event: 'permission.refused' } : undefined);
  }
}

export const badUserInput = (message: string, detail?: ErrorDetail) =>
  new LucarneError('BAD_USER_INPUT', message, detail);

/** An error for one invalid member of the input, such as `invalidMember('limit', 'must be an integer from 1 to 200')`. */
export const invalidMember = (member: string, problem: string, detail?: ErrorDetail) =>
  invalidMembers([{ member, problem }], detail);

/** An error for several invalid members of the input. The message names each of them. */
export const invalidMembers = (members: readonly InvalidMember[], detail?: ErrorDetail) =>
  new LucarneError('BAD_USER_INPUT', describeMembers(members), { ...detail, members });

/** One sentence for each member. */
export function describeMembers(members: readonly InvalidMember[]): string {
  return members.map(({ member, problem }) => `${member} ${problem}.`).join(' ');
}

/** A parser for each member. */
export type MemberParsers<Parsed extends object> = {
  readonly [Member in keyof Parsed]: () => Parsed[Member];
};

/**
 * Runs every parser, so that all invalid members are reported together.
 * @throws `BAD_USER_INPUT` with the invalid members of all parsers. Any other error of a parser is thrown as it is.
 */
export function parseMembers<Parsed extends object>(parsers: MemberParsers<Parsed>): Parsed {
  const parsed: Partial<Parsed> = {};
  const failures: LucarneError[] = [];
  for (const member of Object.keys(parsers) as (keyof Parsed)[]) {
    try {
      parsed[member] = parsers[member]();
    } catch (thrown) {
      if (!isLucarneError(thrown) || thrown.members.length === 0) throw thrown;
      failures.push(thrown);
    }
  }
  const [first, ...others] = failures;
  if (!first) return parsed as Parsed;
  if (others.length === 0) throw first;
  throw invalidMembers(
    failures.flatMap(({ members }) => members),
    first.reason === undefined ? {} : { reason: first.reason },
  );
}

export const unauthenticated = (message = 'Sign in, or send a valid API key.', detail?: ErrorDetail) =>
  new LucarneError('UNAUTHENTICATED', message, detail);
export const forbidden = (message = 'You do not have the permission for this.', detail?: ErrorDetail) =>
  new LucarneError('FORBIDDEN', message, detail);
/** `what` is the kind of object, such as `asset`. An object of another organization gets the same message as a missing one. */
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

/** Whether what failed may succeed later. */
export const isUnavailable = (thrown: unknown): thrown is LucarneError =>
  isLucarneError(thrown) && thrown.code === 'UNAVAILABLE';

const MAX_MESSAGE_LENGTH = 500;

/** The message of any thrown value, for logs. Only its first line: drivers put the failing row into the other lines. */
export function messageOf(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return message.split('\n', 1).join('').slice(0, MAX_MESSAGE_LENGTH);
}

/** Refuses a request that arrives on an open connection while the server stops. Nothing was executed. */
export class ServerStopping extends Error {
  override readonly name = 'ServerStopping';
  readonly retryAfterSeconds = 1;
}
