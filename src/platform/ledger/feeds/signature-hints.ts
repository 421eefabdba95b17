import { BoundedMap } from '../../kernel/bounds/bounded-map.js';
import type { Log } from '../../kernel/log.js';
import type { Signature } from '../address.js';
import { SubscriptionLine } from './subscription-line.js';
import { DEFAULT_HEARTBEAT_MS, type SocketTerms, type SubscriptionKind } from './subscription-socket.js';

export interface SignatureHintsOptions extends Pick<SocketTerms, 'timeoutMs'> {
  readonly providers: readonly { readonly label: string; readonly wsUrl: string }[];
  /** Default: 15 s. */
  readonly heartbeatMs?: number;
  readonly log: Log;
  /** Returns a number in [0, 1), for jitter. */
  readonly random?: () => number;
}

/** Reports early that a transaction may be finalized. A hint is only a reason to check: it may be false, late or missing. */
export interface SignatureHints extends AsyncDisposable {
  /**
   * Calls `onHint` with the label of each provider that reports it, at most once for each provider. Watching a signature again
   * while it is watched has no effect. A watch ends after three minutes.
   */
  watch(signature: Signature, onHint: (provider: string) => void): void;
}

export const noSignatureHints: SignatureHints = {
  watch: () => undefined,
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

/** A transaction can land for about a minute, and is finalized some seconds later. */
const WATCH_DURATION_MS = 180_000;
/** Maximum number on one socket. Beyond it, the oldest are forgotten, and are checked only when they are due. */
const MAX_WATCHED = 500;

const SIGNATURES: SubscriptionKind<Signature> = {
  subscribe: 'signatureSubscribe',
  unsubscribe: 'signatureUnsubscribe',
  notification: 'signatureNotification',
  params: (signature) => [signature, { commitment: 'finalized' }],
  // A notification has about 200 bytes.
  maxMessageBytes: 4 * 1024,
  notifiesOnce: true,
};

/** One WebSocket for each provider, open while a signature is watched there. */
export function createSignatureHints(options: SignatureHintsOptions): SignatureHints {
  const watched = new Map<Signature, NodeJS.Timeout>();
  const lines = options.providers.map((provider) => new ProviderHints(provider, options));
  return {
    watch(signature, onHint) {
      if (watched.has(signature)) return;
      const stop = setTimeout(() => {
        watched.delete(signature);
        for (const line of lines) line.forget(signature);
      }, WATCH_DURATION_MS);
      stop.unref();
      watched.set(signature, stop);
      for (const line of lines) line.watch(signature, onHint);
    },
    [Symbol.asyncDispose]() {
      for (const stop of watched.values()) clearTimeout(stop);
      for (const line of lines) line.close();
      return Promise.resolve();
    },
  };
}

class ProviderHints {
  /** Signatures that the provider has not reported yet. */
  private readonly awaited = new BoundedMap<Signature, (provider: string) => void>(MAX_WATCHED);
  private readonly line: SubscriptionLine<Signature>;

  constructor(
    { label, wsUrl }: SignatureHintsOptions['providers'][number],
    { log, timeoutMs, heartbeatMs = DEFAULT_HEARTBEAT_MS, random = Math.random }: SignatureHintsOptions,
  ) {
    this.line = new SubscriptionLine<Signature>({
      ...{ urls: [wsUrl], kind: SIGNATURES, timeoutMs, heartbeatMs, random },
      wanted: () => new Set(this.awaited.keys()),
      followed: (isBack) => {
        if (isBack)
          log.info({ provider: label }, 'The ledger provider’s signature subscriptions work again.');
      },
      notified: (signature) => {
        const onHint = this.awaited.get(signature);
        this.forget(signature);
        onHint?.(label);
      },
      lost: (reason, isFirst) => {
        if (isFirst)
          log.warn(
            { provider: label, reason },
            'The ledger provider’s signature subscriptions failed; polling continues.',
          );
      },
    });
  }

  watch(signature: Signature, onHint: (provider: string) => void): void {
    this.awaited.set(signature, onHint);
    this.line.follow();
  }

  forget(signature: Signature): void {
    if (this.awaited.delete(signature)) this.line.follow();
  }

  close(): void {
    this.awaited.clear();
    this.line.close();
  }
}
