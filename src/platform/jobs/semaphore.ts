/** Lets at most `limit` pieces of work run at a time; the others wait in the order they came, urgent ones first. */
export class Semaphore {
  private free: number;
  private readonly waiting: (() => void)[] = [];
  private readonly urgent: (() => void)[] = [];

  constructor(limit: number) {
    if (!Number.isInteger(limit) || limit < 1) throw new RangeError('A semaphore lets at least one through.');
    this.free = limit;
  }

  async run<T>(work: () => Promise<T>, isUrgent = false): Promise<T> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => (isUrgent ? this.urgent : this.waiting).push(resolve));
    try {
      return await work();
    } finally {
      // The place passes to the next one directly, so that nobody can slip in between.
      const next = this.urgent.shift() ?? this.waiting.shift();
      if (next === undefined) this.free += 1;
      else next();
    }
  }
}
