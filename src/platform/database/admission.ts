import { unavailable } from '../kernel/errors.js';

/** Counts running work, so that a limit can refuse more and a close can wait for all of it. */
export class Admission {
  #underWay = 0;
  #isClosed = false;
  readonly #drained = Promise.withResolvers<undefined>();

  /** @param limit How much work may be under way or wait. */
  constructor(private readonly limit: number) {}

  /** Runs `work`. Throws SQLSTATE 53300, `too_many_connections`, past the limit, and `UNAVAILABLE` after {@link close}. */
  async admit<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw unavailable('The database is closed.');
    // As a server without a free connection does: a queue must not grow without end.
    if (this.#underWay >= this.limit)
      throw Object.assign(new Error('Too many statements are waiting for the embedded database.'), {
        code: '53300',
      });
    this.#underWay += 1;
    try {
      return await work();
    } finally {
      this.#underWay -= 1;
      this.#settle();
    }
  }

  /** Refuses new work, and waits for running work. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#settle();
    await this.#drained.promise;
  }

  #settle(): void {
    if (this.#isClosed && this.#underWay === 0) this.#drained.resolve(undefined);
  }
}
