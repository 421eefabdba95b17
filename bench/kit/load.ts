import { once } from 'node:events';
import path from 'node:path';
import type { Block } from './compare.ts';
import type { Server } from './gateway.ts';
import { endOf, startPinned, withCpu } from './pinned-process.ts';
import { startReference } from './reference-server.ts';

/** One request and its expected answer. */
export interface Target {
  /** The HTTP/1.1 request text. */
  readonly request: string;
  /** The expected body, parsed. */
  readonly document: unknown;
}

export type LoadCommand =
  | {
      readonly kind: 'prepare';
      readonly arm: string;
      readonly port: number;
      readonly connections: number;
      readonly targets: readonly Target[];
    }
  | { readonly kind: 'run'; readonly arm: string; readonly connections: number; readonly seconds: number };

export type LoadReply = Block | { readonly failure: string };

/** A server under load. */
export interface LoadedArm {
  /** Requests random targets. Throws if a single answer is wrong. */
  block(): Promise<Block>;
}

export interface Load extends AsyncDisposable {
  /** Requests each target once, and compares the answers with the expected ones. */
  arm(server: Server, targets: readonly Target[]): Promise<LoadedArm>;
}

export interface LoadOptions {
  readonly connections: number;
  /** Duration of one block. */
  readonly seconds: number;
}

/** The load generator: keep-alive connections in a separate process, on another core than the server. */
export function startLoad({ connections, seconds }: LoadOptions): Load {
  const started = startPinned('load', [path.join(import.meta.dirname, 'load-process.ts')]);
  const { child } = started;
  child.stdout!.resume();
  const command = async (sent: LoadCommand): Promise<Block> => {
    const replied = once(child, 'message') as Promise<[LoadReply]>;
    child.send(sent);
    const [reply] = await Promise.race([replied, endOf(child)]);
    if ('failure' in reply) throw new Error(reply.failure);
    return reply;
  };
  let arms = 0;
  return {
    async arm(server, targets) {
      arms += 1;
      const arm = String(arms);
      await command({ kind: 'prepare', arm, port: server.port, connections, targets });
      return {
        block: () => withCpu(server, () => command({ kind: 'run', arm, connections, seconds })),
      };
    },
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  };
}

/** Answers per second that the load generator can receive from a server that only sends one fixed answer. */
export async function ceilingOf(load: Load, { request, document }: Target): Promise<number> {
  await using server = await startReference('fixed-answer.ts', { body: JSON.stringify(document) });
  const arm = await load.arm(server, [{ request, document }]);
  await arm.block();
  const { units, seconds } = await arm.block();
  return units / seconds;
}
