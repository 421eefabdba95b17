/** What the thread of the embedded database is asked. Each request is answered by one reply with its number. */
export interface EmbeddedRequest {
  readonly id: number;
  readonly text: string;
  readonly parameters: readonly unknown[];
}

export type EmbeddedReply =
  | {
      readonly id: number;
      readonly rows: Record<string, unknown>[];
      readonly affectedRows: number | undefined;
    }
  | { readonly id: number; readonly failure: EmbeddedFailure };

/** The members of PostgreSQL's error that callers act on. Neither the statement nor its parameters. */
export interface EmbeddedFailure {
  readonly message: string;
  readonly code: string | undefined;
  readonly constraint: string | undefined;
  readonly table: string | undefined;
  readonly detail: string | undefined;
}

/** `ready` follows the start of the thread, `closed` the order to close. */
export type EmbeddedNotice = 'ready' | 'closed';
export const CLOSE = 'close';
