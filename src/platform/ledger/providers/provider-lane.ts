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
/** Calls of one kind that a provider answers at a time; the others wait. */
const MAX_CALLS = 16;
/**
 * Calls at a slow provider, under way or waiting; the answers tell whether it has recovered. Further calls fail at once. A
 * relay asks up to six at a time, whose answers decide where the quick providers contradict each other.
 */
const MAX_CALLS_WHILE_SLOW = 8;
const MAX_SENDS_WHILE_SLOW = 16;

/** Many calls in one; how long it takes tells nothing of the provider. */
const WITHOUT_PATIENCE: ReadonlySet<string> = new Set(['creatorOf']);

/** Calls that wait for each other. */
class Calls {
  readonly places = new Semaphore(MAX_CALLS);
  underWay = 0;

  constructor(readonly maxWhileSlow: number) {}
}

/**
 * One provider, which nobody waits for longer than it deserves: after a late answer it is slow until it has answered
 * quickly several times. Each provider has its own lane, so that one says nothing of another. Transactions are sent in
 * separate places: a provider that answers questions and lets transactions wait holds up no answer.
 */
export class ProviderLane {
  /** The provider, whose answers are timed. */
  readonly node: LedgerNode;
  private slow = false;
  private quickAnswers = 0;
  private readonly questions = new Calls(MAX_CALLS_WHILE_SLOW);
  private readonly sends = new Calls(MAX_SENDS_WHILE_SLOW);
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

  private async run<Answer>(method: string, call: () => Promise<Answer>): Promise<Answer> {
    const isSend = method === 'send';
    const calls = isSend ? this.sends : this.questions;
    if (this.slow && calls.underWay >= calls.maxWhileSlow && (this.options.isDispensable?.() ?? true))
      throw tooMany();
    calls.underWay += 1;
    try {
      const asked = WITHOUT_PATIENCE.has(method) ? call : () => this.ask(call);
      return await (isSend ? this.inTime(asked) : calls.places.run(asked));
    } finally {
      calls.underWay -= 1;
    }
  }

  /** Sends unless it would have to wait longer than patience lasts: the same bytes are sent again soon. */
  private async inTime<Answer>(send: () => Promise<Answer>): Promise<Answer> {
    const waiting = new AbortController();
    const stopTimer = this.startTimer(this.options.patienceMs, () => waiting.abort(tooMany()));
    return this.sends.places
      .run(
        () => {
          stopTimer();
          return send();
        },
        { signal: waiting.signal },
      )
      .finally(stopTimer);
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
