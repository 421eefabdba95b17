export interface Turn {
  /** Whether it comes before all work that is not urgent. Default: false. */
  readonly isUrgent?: boolean;
  /** Ends the wait for a place: `run` then rejects with the signal's reason. Work that has begun continues. */
  readonly signal?: AbortSignal;
  /** How long it waits for a place at most. Work that need not wait needs no timer. */
  readonly patience?: Patience;
}

export interface Patience {
  readonly ms: number;
  /** With what `run` then rejects. */
  readonly tooLate: () => Error;
}

/** Runs at most `limit` pieces of work at a time. The others wait in order of arrival, urgent ones first. */
export class Semaphore {
  private free: number;
  // Made when work waits for the first time: most semaphores live for one statement.
  private waiting: Set<() => void> | undefined;
  private urgent: Set<() => void> | undefined;

  constructor(limit: number) {
    if (!Number.isInteger(limit) || limit < 1) throw new RangeError('A semaphore lets at least one through.');
    this.free = limit;
  }

  async run<T>(work: () => Promise<T>, turn: Turn = {}): Promise<T> {
    if (this.free > 0) this.free -= 1;
    else await this.place(turn);
    try {
      return await work();
    } finally {
      // The place passes directly to the next one, so that no later caller can take it.
      const next = this.take(this.urgent) ?? this.take(this.waiting);
      if (next === undefined) this.free += 1;
      else next();
    }
  }

  private async place({ isUrgent = false, signal, patience }: Turn): Promise<void> {
    signal?.throwIfAborted();
    const queue = isUrgent ? (this.urgent ??= new Set()) : (this.waiting ??= new Set());
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const take = () => resolve(undefined);
    const leave = (reason: () => unknown) => {
      // A caller that already has a place keeps it.
      if (queue.delete(take)) reject(reason());
    };
    const giveUp = () => leave(() => signal!.reason);
    queue.add(take);
    signal?.addEventListener('abort', giveUp, { once: true });
    const timer = patience && setTimeout(leave, patience.ms, patience.tooLate);
    await promise.finally(() => {
      signal?.removeEventListener('abort', giveUp);
      clearTimeout(timer);
    });
  }

  private take(queue: Set<() => void> | undefined): (() => void) | undefined {
    if (!queue) return undefined;
    const [first] = queue;
    if (first !== undefined) queue.delete(first);
    return first;
  }
}
