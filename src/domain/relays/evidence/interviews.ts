import { BoundedMap } from '../../../platform/kernel/bounds/bounded-map.js';
import type { JsonObject } from '../../../platform/kernel/encoding/json.js';
import type { ProviderLane } from '../../../platform/ledger/index.js';
import { gather, type Lanes } from './gather.js';
import { interview, type Interview, type InterviewTopics } from './interview.js';

const MAX_UNDER_WAY = 1_000;
const UNFINISHED: JsonObject = { interview: 'unfinished' };

/**
 * The interviews of one worker. If a round does not wait for an interview, the interview continues and its result counts in the
 * next round: an answer about a finalized slot stays true.
 */
export class Interviews {
  private readonly underWay = new BoundedMap<string, Promise<Interview>>(MAX_UNDER_WAY);

  constructor(private readonly lanes: Lanes) {}

  /** One interview for each provider, in the order of the configuration. */
  async round(topics: InterviewTopics): Promise<Interview[]> {
    const { all } = this.lanes;
    const finished = await gather(
      this.lanes,
      all.map((lane) => this.interviewOf(lane, topics)),
      { isAnswer: ({ testimony }) => testimony.statuses !== undefined, needs: 'one' },
    );
    return finished.map((one, at) => {
      const { node } = all[at]!;
      if (one === undefined) return { testimony: { node: node.label }, errors: UNFINISHED };
      this.underWay.delete(keyOf(all[at]!, topics));
      return one;
    });
  }

  private interviewOf(lane: ProviderLane, topics: InterviewTopics): Promise<Interview> {
    const key = keyOf(lane, topics);
    const earlier = this.underWay.get(key);
    if (earlier) return earlier;
    const begun = interview(lane.node, topics);
    this.underWay.set(key, begun);
    // If it fails, there may be no caller that waits for it.
    begun.catch(() => this.underWay.delete(key));
    return begun;
  }
}

function keyOf({ node }: ProviderLane, { relayId, attempts, suspectsSpending }: InterviewTopics): string {
  const numbers = attempts.map(({ number }) => number);
  return JSON.stringify([relayId, node.label, numbers, suspectsSpending]);
}
