import type { Machine, Scheduler } from './scheduler.ts';
import { Refusal, type Provider } from './provider.ts';
import type { SeededRandom } from './random.ts';

export interface NetworkOptions {
  readonly scheduler: Scheduler;
  readonly random: SeededRandom;
  readonly providers: readonly Provider[];
  readonly tell: (what: string) => void;
}

/** The network between the processes and the providers: messages take time, and links can be cut. */
export class ProviderNetwork {
  /** Links that are cut, as `process provider`. */
  readonly cut = new Set<string>();
  /** The chance that a message is lost, for each direction. */
  lossChance = 0;
  /** Number of messages that processes sent. */
  messages = 0;

  readonly #options: NetworkOptions;
  /**
   * Callbacks that each end the wait for a message. Node.js keeps a signal that has a listener, and everything that the
   * listener refers to.
   */
  readonly #waiting = new Set<() => void>();

  constructor(options: NetworkOptions) {
    this.#options = options;
  }

  link(instance: string, provider: Provider): string {
    return `${instance} ${provider.url}`;
  }

  reach(machine: Machine, url: string, init: RequestInit): Promise<Response> {
    const { scheduler, random, providers } = this.#options;
    this.messages += 1;
    const provider = providers.find((one) => one.url === url)!;
    const { id, method, params } = JSON.parse(init.body as string) as {
      id: string;
      method: string;
      params: readonly unknown[];
    };
    const instance = machine.name.split('/')[0]!;
    const isCut = () => this.cut.has(this.link(instance, provider)) || random.chance(this.lossChance);
    const { signal } = init;
    let abort = () => {};
    const leave = () => {
      signal?.removeEventListener('abort', abort);
      this.#waiting.delete(leave);
    };
    this.#waiting.add(leave);
    return new Promise<Response>((resolve, reject) => {
      abort = () => reject(signal!.reason as Error);
      signal?.addEventListener('abort', abort);
      scheduler.after(random.between(5, 60), () => {
        // A message that a process had sent before it died may still arrive.
        if (!machine.isAlive && random.chance(0.5)) return;
        // Half of the cut links are silent; the others refuse.
        if (isCut()) {
          if (random.chance(0.5))
            scheduler.after(random.between(5, 200), () => reject(new TypeError('fetch failed')), machine);
          return;
        }
        if (provider.isSilent) return;
        const body = provider.isRateLimited ? undefined : this.#body(provider, id, method, params);
        if (isCut()) return;
        const respond = () =>
          resolve(body === undefined ? new Response('', { status: 429 }) : new Response(body));
        const answerMs = provider.answerMs > 0 ? random.between(0.3, 1) * provider.answerMs : 0;
        scheduler.after(
          random.between(5, 60) + provider.delayMs * random.next() + answerMs,
          respond,
          machine,
        );
      });
    }).finally(leave);
  }

  /** Ends all waits at the end of the world. The processes get no answer. */
  close(): void {
    for (const leave of this.#waiting) leave();
  }

  #body(provider: Provider, id: string, method: string, params: readonly unknown[]): string {
    const { scheduler, tell } = this.#options;
    provider.ledger.advance(scheduler.now);
    try {
      return JSON.stringify({ jsonrpc: '2.0', id, result: provider.answer(method, params) });
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      const { code, message, data } = thrown;
      tell(`${new URL(provider.url).host} refuses ${method}: ${message}`);
      return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } });
    }
  }
}
