import type { Address } from '../../../platform/ledger/index.js';
import type { ScreeningOutcome, ScreeningStep } from '../check-rules.js';

/** One screening step. It answers in bounded time. If it cannot decide, or throws, the result is `unavailable`. */
export interface ScreeningProvider {
  readonly step: ScreeningStep;
  /** `client` is the network of the client who asked, if a client waits for the answer. */
  screen(address: Address, client?: string): Promise<ScreeningAnswer>;
}

export interface ScreeningAnswer {
  readonly outcome: ScreeningOutcome;
  /** The version of the list that was searched, if there is a list. */
  readonly listVersion?: string;
}
