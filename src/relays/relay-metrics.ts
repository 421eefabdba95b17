import type { RelayReason, RelayStatus } from './relay-state.js';

/** What the relayer counts. Called often, so an implementation must be cheap, and must not throw. */
export interface RelayMetrics {
  /** Counter, by status and reason. */
  changed(status: RelayStatus, reason: RelayReason | null): void;
  /** Counter, by cause: looks that found nothing out. */
  lookFailed(cause: string): void;
  /** Counter, by provider: heights that cannot be true. */
  providerLied(node: string): void;
  /** Counter: looks in which providers said different things of one fact. */
  providersDisagreed(): void;
  /** Gauge: the requests this instance holds. */
  underWay(count: number): void;
}

export const noRelayMetrics: RelayMetrics = {
  changed: () => undefined,
  lookFailed: () => undefined,
  providerLied: () => undefined,
  providersDisagreed: () => undefined,
  underWay: () => undefined,
};
