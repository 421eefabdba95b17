import { Semaphore } from '../../jobs/index.js';
import { systemTimer, type StartTimer } from '../../kernel/clock.js';
import { LedgerError } from '../ledger-error.js';
import type { LedgerNode } from './ledger-node.js';

export interface LaneOptions {
  /** A provider becomes slow if an answer takes longer than this. */
  readonly patienceMs: number;
  readonly startTimer?: StartTimer;
  /** Whether the other providers suffice without this one. Default: yes. Only then are its calls limited while it is slow. */
  readonly isDispensable?: () => boolean;
  /** Called when a provider becomes slow, and when it has recovered. */
  readonly changed?: (provider: string, isSlow: boolean) => void;
}

/** Number of consecutive quick answers after which a slow provider has recovered. */
const QUICK_ANSWERS_TO_RECOVER = 3;
/** Maximum number of calls of one kind that run or wait, even if the others do not suffice. Further calls fail at once. */
const MAX_UNDER_WAY = 2_000;

/** Calls of one kind. Each kind has separate places, so that sends or searches that wait do not delay questions. */
class Calls {
  private readonly places: Semaphore;
  /** Number of calls that have a place or wait for one. */
  private underWay = 0;

  /**
   * `limit`: number of calls that run at a time; the others wait. `limitWhileSlow`: number of calls that run or wait while the
   * provider is slow; further calls fail at once. The answers to the allowed calls show whether the provider has recovered.
   */
  constructor(
    limit: number,
    private readonly limitWhileSlow: number,
  ) {
    this.places = new Semaphore(limit);
  }

  async run<Answer>(isLimited: boolean, call: () => Promise<Answer>, signal?: AbortSignal): Promise<Answer> {
    if (this.underWay >= (isLimited ? this.limitWhileSlow : MAX_UNDER_WAY)) throw tooMany();
    this.underWay += 1;
    try {
      return await this.places.run(call, signal && { signal });
    } finally {
      this.underWay -= 1;
    }
  }
}

/**
 * One provider. Callers do not wait long for a slow one: after a late answer, the provider is slow until it has answered
 * quickly several times. Each provider has a separate lane, so that a slow provider does not affect the others.
 */
export class ProviderLane {
  /** The provider. Its answers are timed. */
  readonly node: LedgerNode;
  private slow = false;
  private quickAnswers = 0;
  /** A relay asks up to six questions at a time. They decide if the quick providers contradict each other. */
  private readonly questions = new Calls(16, 8);
  private readonly sends = new Calls(16, 16);
  /** Each search makes many calls, one after another. */
  private readonly searches = new Calls(4, 8);
  private readonly startTimer: StartTimer;

  constructor(
    node: LedgerNode,
    private readonly options: LaneOptions,
  ) {
    this.startTimer = options.startTimer ?? systemTimer;
    this.node = timed(node, (method, call) => this.run(method, call));
  }

  get isSlow(): boolean {
    return this.slow;
  }

  private run<Answer>(method: string, call: () => Promise<Answer>): Promise<Answer> {
    const isLimited = this.slow && (this.options.isDispensable?.() ?? true);
    switch (method) {
      case 'send':
        return this.send(isLimited, call);
      case 'creatorOf':
        // The duration of a search does not show whether the provider is slow.
        return this.searches.run(isLimited, call);
      default:
        return this.questions.run(isLimited, () => this.ask(call));
    }
  }

  /** Sends the bytes. If the call would wait longer than `patienceMs`, it fails instead: the same bytes are sent again soon. */
  private async send<Answer>(isLimited: boolean, call: () => Promise<Answer>): Promise<Answer> {
    const waiting = new AbortController();
    const stopTimer = this.startTimer(this.options.patienceMs, () => waiting.abort(tooMany()));
    const begin = () => {
      stopTimer();
      return this.ask(call);
    };
    return this.sends.run(isLimited, begin, waiting.signal).finally(stopTimer);
  }

  private async ask<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    const answered = { isLate: false };
    const stopTimer = this.startTimer(this.options.patienceMs, () => {
      answered.isLate = true;
      this.quickAnswers = 0;
      this.become(true);
    });
    try {
      const answer = await call();
      if (!answered.isLate) this.answeredQuickly();
      return answer;
    } finally {
      stopTimer();
    }
  }

  private answeredQuickly(): void {
    if (!this.slow) return;
    this.quickAnswers += 1;
    if (this.quickAnswers >= QUICK_ANSWERS_TO_RECOVER) this.become(false);
  }

  private become(isSlow: boolean): void {
    if (this.slow === isSlow) return;
    this.slow = isSlow;
    this.quickAnswers = 0;
    this.options.changed?.(this.node.label, isSlow);
  }
}

const tooMany = () =>
  new LedgerError('timeout', 'The provider is slow, and earlier calls have not been answered.');

type AnyMethod = (...parameters: readonly unknown[]) => Promise<unknown>;

function timed(
  node: LedgerNode,
  run: (method: string, call: () => Promise<unknown>) => Promise<unknown>,
): LedgerNode {
  const members = Object.entries(node).map(([name, member]: [string, unknown]) => {
    if (typeof member !== 'function') return [name, member] as const;
    const method = member as AnyMethod;
    return [name, (...parameters: readonly unknown[]) => run(name, () => method(...parameters))] as const;
  });
  return Object.fromEntries(members) as unknown as LedgerNode;
}
