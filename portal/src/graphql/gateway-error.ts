/** A refusal of the gateway: its code is of a closed list, its message is written for people. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly code: string;
  readonly reason: string | undefined;
  readonly members: readonly { readonly member: string; readonly message: string }[];
  readonly path: readonly (string | number)[];
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: string,
    message: string,
    {
      reason,
      members = [],
      path = [],
      requestId,
      retryAfterSeconds,
    }: Partial<Pick<GatewayError, 'reason' | 'members' | 'path' | 'requestId' | 'retryAfterSeconds'>> = {},
  ) {
    super(message);
    this.code = code;
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
