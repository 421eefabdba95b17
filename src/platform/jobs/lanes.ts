import { Semaphore, type Turn } from './semaphore.js';

/**
 * Runs work that may wait for an external system, such as a key store. Each lane runs a limited number of pieces of work at a
 * time, so that a slow system delays only its own lane.
 */
export class Lanes {
  private readonly lanes = new Map<string, Lane>();
  private readonly underWay = new Map<string, Promise<void>>();

  constructor(private readonly placesOf: (lane: string) => number) {}

  /**
   * Runs `work` when its lane has a free place. If it returns true, queues it again. Does nothing while work of the same name
   * is queued or running. The work handles its own failures.
   */
  begin(lane: string, name: string, work: () => Promise<boolean>): void {
    if (this.underWay.has(name)) return;
    const ended = this.repeat(lane, work).finally(() => this.underWay.delete(name));
    this.underWay.set(name, ended);
  }

  /** Resolves when no work is queued or running. */
  async ended(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay.values());
  }

  /** Runs `work` when its lane has a free place, and returns its result. */
  run<Result>(lane: string, work: () => Promise<Result>, turn?: Turn): Promise<Result> {
    return this.inLane(lane, (places) => places.run(work, turn));
  }

  private repeat(lane: string, work: () => Promise<boolean>): Promise<void> {
    return this.inLane(lane, async (places) => {
      while (await places.run(work));
    });
  }

  private async inLane<Result>(name: string, use: (places: Semaphore) => Promise<Result>): Promise<Result> {
    const lane = this.lanes.get(name) ?? { places: new Semaphore(this.placesOf(name)), users: 0 };
    this.lanes.set(name, lane);
    lane.users += 1;
    try {
      return await use(lane.places);
    } finally {
      lane.users -= 1;
      if (lane.users === 0) this.lanes.delete(name);
    }
  }
}

interface Lane {
  readonly places: Semaphore;
  users: number;
}
