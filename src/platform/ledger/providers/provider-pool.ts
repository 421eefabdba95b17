import type { Clock } from '../../kernel/clock.js';
import { backOffCeilingMs, backOffMs, type BackOff, pause, Semaphore } from '../../jobs/index.js';
import type { Log } from '../../kernel/log.js';
import { unreachable } from '../../kernel/unreachable.js';
import { observed, type LedgerCall } from './ledger-call.js';
import { LedgerError } from '../ledger-error.js';

export interface PoolOptions {
  readonly log: Log;
  readonly clock: Clock;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  readonly observe: (call: LedgerCall) => void;
  /** How often all providers are tried before a call fails. */
  readonly rounds: number;
  /** Maximum for each provider. */
  readonly maxConcurrentCalls: number;
  readonly closed: AbortSignal;
}

export interface RunOptions<T> {
  readonly isFinal?: (answer: T) => boolean;
  readonly rounds?: number;
}

interface Member<P> {
  readonly provider: P;
  /** Separate for each provider, so that one that does not answer uses no place of another. */
  readonly places: Semaphore;
  failures: number;
  /** Until this Unix time in milliseconds, other providers are asked first. */
  restingUntil: number;
}

const RETRIES: BackOff = { firstMs: 200, maxMs: 5_000 };
const REST: BackOff = { firstMs: 1_000, maxMs: 30_000 };

/**
 * JSON-RPC errors that are temporary: block not available (-32004), node is behind (-32005), status not yet available (-32014),
 * minimum context slot not reached (-32016), internal (-32603). Source: Agave `rpc-client-api/custom_error.rs`.
 */
const TRANSIENT_RPC_CODES: ReadonlySet<number> = new Set([-32004, -32005, -32014, -32016, -32603]);

/** Providers in order of preference. A provider that fails rests while the others are asked. */
export class ProviderPool<P extends { readonly label: string }> {
  private readonly members: readonly Member<P>[];

  constructor(
    providers: readonly P[],
    private readonly options: PoolOptions,
  ) {
    this.members = providers.map((provider) => ({
      provider,
      places: new Semaphore(options.maxConcurrentCalls),
      failures: 0,
      restingUntil: 0,
    }));
  }

  /**
   * Returns the first answer that is final according to `isFinal`; if there is none, any other answer. Rejects with the last
   * `LedgerError` if no provider answered in any round.
   */
  async run<T>(
    method: string,
    ask: (provider: P) => Promise<T>,
    { isFinal = () => true, rounds = this.options.rounds }: RunOptions<T> = {},
  ): Promise<T> {
    let last = new LedgerError('unreachable', 'There is no provider.');
    for (let round = 0; round < rounds; round += 1) {
      if (round > 0) await this.pause(round, last);
      const lesser: T[] = [];
      let hope = false;
      for (const member of this.inOrder()) {
        const outcome = await this.attempt(method, member, ask);
        if (outcome instanceof LedgerError) {
          last = outcome;
          hope ||= isTransient(outcome);
          if (this.options.closed.aborted) throw outcome;
        } else if (isFinal(outcome.answer)) return outcome.answer;
        else lesser.push(outcome.answer);
      }
      for (const answer of lesser) return answer;
      if (!hope) break;
    }
    throw last;
  }

  private async attempt<T>(
    method: string,
    member: Member<P>,
    ask: (provider: P) => Promise<T>,
  ): Promise<{ readonly answer: T } | LedgerError> {
    return member.places.run(async () => {
      const { provider } = member;
      try {
        const call = { method, provider: provider.label };
        const answer = await observed(call, this.options.observe, () => ask(provider));
        this.succeeded(member);
        return { answer };
      } catch (thrown) {
        if (!(thrown instanceof LedgerError)) throw thrown;
        this.failed(member, method, thrown);
        return thrown;
      }
    });
  }

  private inOrder(): readonly Member<P>[] {
    const now = this.options.clock.now().getTime();
    const rest = (member: Member<P>) => (member.restingUntil > now ? member.restingUntil : 0);
    return [...this.members].sort((left, right) => rest(left) - rest(right));
  }

  private succeeded(member: Member<P>): void {
    if (member.failures > 0) {
      this.options.log.info({ provider: member.provider.label }, 'A ledger provider answers again.');
    }
    member.failures = 0;
    member.restingUntil = 0;
  }

  private failed(member: Member<P>, method: string, error: LedgerError): void {
    // The refusal of one request does not mean that the provider fails.
    if (error.kind === 'rpc' || this.options.closed.aborted) return;
    if (member.failures === 0) {
      this.options.log.warn(
        { provider: member.provider.label, method, kind: error.kind, err: error },
        'A ledger provider fails; others are tried first for a while.',
      );
    }
    member.failures += 1;
    const rest = backOffCeilingMs(REST, member.failures);
    member.restingUntil = this.options.clock.now().getTime() + (error.retryAfterMs ?? rest);
  }

  private async pause(round: number, last: LedgerError): Promise<void> {
    const asked = Math.min(last.retryAfterMs ?? 0, RETRIES.maxMs);
    const { closed, random } = this.options;
    await pause(Math.max(asked, backOffMs(RETRIES, round, random)), closed);
    if (closed.aborted) throw new LedgerError('unreachable', 'The ledger was closed.');
  }
}

function isTransient(error: LedgerError): boolean {
  switch (error.kind) {
    case 'unreachable':
    case 'timeout':
    case 'rate_limited':
    case 'nonsense':
      return true;
    case 'rpc':
      return error.rpcCode !== undefined && TRANSIENT_RPC_CODES.has(error.rpcCode);
    default:
      return unreachable(error.kind);
  }
}
