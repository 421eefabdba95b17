import path from 'node:path';
import type { Server } from './gateway.ts';
import { firstMessage, startPinned } from './pinned-process.ts';

/** Starts a script of `bench/references/`. It receives `options`, and reports its port. */
export async function startReference(script: string, options: object): Promise<Server> {
  const file = path.resolve(import.meta.dirname, '..', 'references', script);
  const started = startPinned('server', [file], { env: { ...process.env, NODE_ENV: 'production' } });
  started.child.stdout!.resume();
  started.child.send(options);
  const { port } = await firstMessage<{ readonly port: number }>(started);
  return { ...started, port };
}
