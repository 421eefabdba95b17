import { Semaphore } from '../../jobs/index.js';
import { systemTimer, type StartTimer } from '../../kernel/clock.js';
import { LedgerError } from '../ledger-error.js';
import type { LedgerNode } from './ledger-node.js';

export interface LaneOptions {
  /** An answer that takes longer makes its provider slow. */
  readonly patienceMs: number;
  readonly startTimer?: StartTimer;
  /** Whether other providers are quick enough to do without this one; yes. Only then its calls are limited while it is slow. */
  readonly isDispensable?: () => boolean;
  /** Called when a provider becomes slow, and when it has recovered. */
  readonly changed?: (provider: string, isSlow: boolean) => void;
}

/** Quick answers in a row after which a slow provider has recovered. */
const QUICK_ANSWERS_TO_RECOVER = 3;
/** Calls of one kind that have a place or wait for one; further calls fail at once, also where nobody can do without the provider. */
const MAX_UNDER_WAY = 2_000;

/**
 * Calls of one kind, which have separate places: a provider that answers questions, and lets transactions or searches wait, holds
 * up no answer.
 */
class Calls {
  private readonly places: Semaphore;
  /** Calls that have a place or wait for one. */
  private underWay = 0;

  /**
   * `limit`: at a time; the others wait. `limitWhileSlow`: under way or waiting at a slow provider; further calls fail at once,
   * and the answers tell whether it has recovered.
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
 * One provider, which nobody waits for longer than it deserves: after a late answer it is slow until it has answered
 * quickly several times. Each provider has its own lane, so that one says nothing of another.
 */
export class ProviderLane {
  /** The provider, whose answers are timed. */
  readonly node: LedgerNode;
  private slow = false;
  private quickAnswers = 0;
  /** A relay asks up to six at a time, whose answers decide where the quick providers contradict each other. */
  private readonly questions = new Calls(16, 8);
  private readonly sends = new Calls(16, 16);
  /** Each is many calls, one after the other. */
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
        // How long it takes tells nothing of the provider.
        return this.searches.run(isLimited, call);
      default:
        return this.questions.run(isLimited, () => this.ask(call));
    }
  }

  /** Sends, unless it would wait longer than patience lasts: the same bytes are sent again soon. */
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
