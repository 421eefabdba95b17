import { setTimeout as pause } from 'node:timers/promises';
import type { Server } from '../kit/gateway.ts';

const CHECK_MS = 500;

/** Gateways behind a proxy that sends requests in turn to those whose `/readyz` last answered 200. */
export interface Gateways extends AsyncDisposable {
  /** Where the next request goes. */
  readonly port: number;
  /** Adds a gateway, stops the one before, and waits until its process has ended. */
  replace(next: Server): Promise<void>;
}

/** Begins with one gateway. Stops all at the end. */
export function openGateways(first: Server): Gateways {
  let running: readonly Server[] = [first];
  let ready = running;
  let turn = 0;
  const check = async () => {
    const asked = running;
    const answers = await Promise.all(asked.map(isReady));
    // If none is ready, there is nowhere else to send requests.
    if (answers.includes(true)) ready = asked.filter((_, at) => answers[at]);
  };
  const stopping = new AbortController();
  const checking = (async () => {
    while (!stopping.signal.aborted) {
      await check();
      await pause(CHECK_MS);
    }
  })();
  return {
    get port() {
      return ready[(turn += 1) % ready.length]!.port;
    },
    async replace(next) {
      const earlier = running;
      running = [...earlier, next];
      while (!ready.includes(next)) await pause(CHECK_MS);
      for (const server of earlier) {
        await server[Symbol.asyncDispose]();
        const { exitCode, signalCode } = server.child;
        if (exitCode !== 0) throw new Error(`A gateway ended with ${exitCode ?? signalCode ?? 'nothing'}.`);
      }
      running = [next];
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await checking;
      for (const server of running) await server[Symbol.asyncDispose]();
    },
  };
}

const isReady = ({ port }: Server) =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    async (answer) => (await answer.arrayBuffer(), answer.ok),
    () => false,
  );
