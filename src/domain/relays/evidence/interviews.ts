import { BoundedMap } from '../../../platform/kernel/bounds/bounded-map.js';
import type { JsonObject } from '../../../platform/kernel/encoding/json.js';
import type { LedgerNode, ProviderLane } from '../../../platform/ledger/index.js';
import { gather, type Lanes } from './gather.js';
import { interview, type Interview, type InterviewTopics } from './interview.js';
import { isMajority } from './majority.js';

const MAX_UNDER_WAY = 1_000;
const UNFINISHED: JsonObject = { interview: 'unfinished' };

const isAnswer = ({ testimony }: Interview) => testimony.statuses !== undefined;

/**
 * The interviews of one worker. If a round does not wait for an interview, the interview continues and its result counts in the
 * next round: an answer about a finalized slot stays true. For the same reason, an answer in a round without a majority also counts
 * in the next one, if the provider has not answered again by then: otherwise slow providers take turns, and never are a majority.
 */
export class Interviews {
  private readonly underWay = new BoundedMap<string, Promise<Interview>>(MAX_UNDER_WAY);
  /** The answers of rounds without a majority, for the next round. */
  private readonly kept = new BoundedMap<string, Interview>(MAX_UNDER_WAY);

  constructor(private readonly lanes: Lanes) {}

  /** One interview for each provider, in the order of the configuration. */
  async round(topics: InterviewTopics): Promise<Interview[]> {
    const { all } = this.lanes;
    const keys = all.map((lane) => keyOf(lane, topics));
    const finished = await gather(
      this.lanes,
      all.map(({ node }, at) => this.interviewOf(keys[at]!, node, topics)),
      { isAnswer, needs: 'one' },
    );
    const known = finished.map((one, at) => one ?? this.kept.get(keys[at]!));
    const isEnough = isMajority(known.filter((one) => one && isAnswer(one)).length, all.length);
    for (const [at, key] of keys.entries()) {
      this.kept.delete(key);
      const one = finished[at];
      if (!one) continue;
      this.underWay.delete(key);
      if (!isEnough && isAnswer(one)) this.kept.set(key, one);
    }
    return known.map((one, at) => one ?? { testimony: { node: all[at]!.node.label }, errors: UNFINISHED });
  }

  private interviewOf(key: string, node: LedgerNode, topics: InterviewTopics): Promise<Interview> {
    const earlier = this.underWay.get(key);
    if (earlier) return earlier;
    const begun = interview(node, topics);
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
