/**
 * The logger that all modules use: structured members first, then a constant sentence. pino implements it. The cause of a
 * failure is always the member `err`.
 */
export interface Log {
  debug(members: object, message: string): void;
  info(members: object, message: string): void;
  warn(members: object, message: string): void;
  error(members: object, message: string): void;
  child(bindings: object): Log;
}

export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLog,
};
