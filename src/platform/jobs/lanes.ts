import { Semaphore } from './semaphore.js';

/**
 * Runs work that may wait for an external system, such as a key store. Each lane has separate places, so that a slow system
 * delays only its own lane. The caller does not wait for the work.
 */
export class Lanes {
  private readonly lanes = new Map<string, Lane>();
  private readonly underWay = new Map<string, Promise<void>>();

  constructor(private readonly placesOf: (lane: string) => number) {}

  /**
   * Does the work when its lane has a place, and again after the others of the lane while it answers true. Work of the name
   * that has not ended is not begun a second time. It handles its own failures.
   */
  begin(lane: string, name: string, work: () => Promise<boolean>): void {
    if (this.underWay.has(name)) return;
    const ended = this.repeat(lane, work).finally(() => this.underWay.delete(name));
    this.underWay.set(name, ended);
  }

  /** Resolves when nothing is under way. */
  async ended(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay.values());
  }

  /** Does the work when its lane has a place, and returns what it does. */
  run<Result>(lane: string, work: () => Promise<Result>): Promise<Result> {
    return this.inLane(lane, (places) => places.run(work));
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
