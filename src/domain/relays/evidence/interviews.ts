import { BoundedMap } from '../../../platform/kernel/bounds/bounded-map.js';
import type { JsonObject } from '../../../platform/kernel/encoding/json.js';
import type { LedgerNode, ProviderLane } from '../../../platform/ledger/index.js';
import { gather, type Lanes } from './gather.js';
import { interview, type Interview, type InterviewTopics } from './interview.js';
import { isMajority } from './majority.js';

const MAX_UNDER_WAY = 1_000;
/** For as many requests as may wait by default, with two providers. */
const MAX_KEPT = 20_000;
const UNFINISHED: JsonObject = { interview: 'unfinished' };

/** An interview as a round knows it. */
export interface Heard extends Interview {
  /** How long before the round it began; 0 if it began in it. */
  readonly agoMs: number;
  /** Whether an earlier round had it, too. */
  readonly isKept: boolean;
}

interface Dated {
  readonly interview: Interview;
  /** By the clock of the process that is never set. */
  readonly beganAt: number;
}

const isAnswer = ({ testimony }: Interview) => testimony.statuses !== undefined;

/**
 * The interviews of one worker. If a round does not wait for an interview, the interview continues and its result counts in a
 * later round: an answer about a finalized slot stays true. For the same reason, answers count in later rounds until a round has a
 * majority: otherwise slow providers take turns, and never are a majority.
 */
export class Interviews {
  private readonly underWay = new BoundedMap<string, Promise<Dated>>(MAX_UNDER_WAY);
  /** The last answer of each provider since the last round with a majority. */
  private readonly kept = new BoundedMap<string, Dated>(MAX_KEPT);

  constructor(private readonly lanes: Lanes) {}

  /** One interview for each provider, in the order of the configuration. */
  async round(topics: InterviewTopics): Promise<Heard[]> {
    const { all } = this.lanes;
    const beganAt = performance.now();
    const keys = all.map((lane) => keyOf(lane, topics));
    const finished = await gather(
      this.lanes,
      all.map(({ node }, at) => this.interviewOf(keys[at]!, node, topics)),
      { isAnswer: (one) => isAnswer(one.interview), needs: 'one' },
    );
    const heard = finished.map((one, at): Heard => {
      const kept = this.kept.get(keys[at]!);
      const known = one && isAnswer(one.interview) ? one : (kept ?? one);
      if (!known)
        return { testimony: { node: all[at]!.node.label }, errors: UNFINISHED, agoMs: 0, isKept: false };
      const agoMs = Math.max(0, Math.round(beganAt - known.beganAt));
      return { ...known.interview, agoMs, isKept: known !== one };
    });
    const isEnough = isMajority(heard.filter(isAnswer).length, all.length);
    for (const [at, key] of keys.entries()) {
      if (finished[at]) this.underWay.delete(key);
      if (isEnough) this.kept.delete(key);
    }
    return heard;
  }

  private interviewOf(key: string, node: LedgerNode, topics: InterviewTopics): Promise<Dated> {
    const earlier = this.underWay.get(key);
    if (earlier) return earlier;
    const beganAt = performance.now();
    const begun = interview(node, topics).then((one): Dated => {
      const dated = { interview: one, beganAt };
      if (isAnswer(one)) this.kept.set(key, dated);
      return dated;
    });
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
