/** A refusal of the gateway: its code is of a closed list, its message is written for people, in the reader's language. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly code: string;
  /** The gateway's own sentence, in English, where the page has only a general one in the reader's language. */
  readonly detail: string | undefined;
  readonly reason: string | undefined;
  readonly members: readonly { readonly member: string; readonly message: string }[];
  readonly path: readonly (string | number)[];
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: string,
    message: string,
    {
      detail,
      reason,
      members = [],
      path = [],
      requestId,
      retryAfterSeconds,
    }: Partial<
      Pick<GatewayError, 'detail' | 'reason' | 'members' | 'path' | 'requestId' | 'retryAfterSeconds'>
    > = {},
  ) {
    super(message);
    this.code = code;
    this.detail = detail;
    this.reason = reason;
    this.members = members;
    this.path = path;
    this.requestId = requestId;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export const errorOf = (thrown: unknown): GatewayError =>
  thrown instanceof GatewayError
    ? thrown
    : new GatewayError('PAGE', thrown instanceof Error ? thrown.message : String(thrown));
