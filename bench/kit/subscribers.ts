import { once } from 'node:events';
import path from 'node:path';
import { endOf, startPinned } from './pinned-process.ts';

export type SubscriberCommand =
  /** Opens connections, ten for each client address. */
  | { readonly kind: 'connect'; readonly arm: string; readonly port: number; readonly count: number }
  /** The nth subscriber follows the nth request, cyclically. Ends when each has received the current state. */
  | { readonly kind: 'follow'; readonly arm: string; readonly relays: readonly string[] }
  /** Ends when every subscriber has received every change up to this one. */
  | { readonly kind: 'await'; readonly arm: string; readonly sequence: number }
  /** Cuts every connection. Each reconnects within half a second and resumes after its last change. */
  | { readonly kind: 'cut'; readonly arm: string }
  | { readonly kind: 'tally'; readonly arm: string }
  /** Closes the connections permanently. */
  | { readonly kind: 'leave'; readonly arm: string };

/** The changes that subscribers received, compared with all changes since they subscribed. */
export interface Tally {
  readonly told: number;
  readonly lost: number;
  readonly doubled: number;
  /** Number of subscribers that received changes out of order. */
  readonly unordered: number;
  readonly reconnects: number;
}

export type SubscriberReply = { readonly failure: string } | { readonly tally: Tally };

/** Subscribers of relays in a separate process, on another core than the server. */
export interface Subscribers extends AsyncDisposable {
  command(sent: SubscriberCommand): Promise<Tally>;
}

export function startSubscribers(): Subscribers {
  const started = startPinned('load', [path.join(import.meta.dirname, 'subscribers-process.ts')]);
  const { child } = started;
  child.stdout!.resume();
  return {
    async command(sent) {
      const replied = once(child, 'message') as Promise<[SubscriberReply]>;
      child.send(sent);
      const [reply] = await Promise.race([replied, endOf(child)]);
      if ('failure' in reply) throw new Error(reply.failure);
      return reply.tally;
    },
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  };
}

/** Every subscriber received everything once, in order. */
export function expectComplete({ lost, doubled, unordered }: Tally): void {
  if (lost + doubled + unordered > 0)
    throw new Error(
      `${lost} changes were lost, ${doubled} doubled; ${unordered} subscribers were told out of order.`,
    );
}
