import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { endOf, startPinned, type PinnedProcess } from './pinned-process.ts';

const COMMAND = path.resolve(import.meta.dirname, '..', '..', 'bin', 'lucarne.mjs');

/** A server that is measured. */
export interface Server extends PinnedProcess {
  readonly port: number;
}

/**
 * `lucarne serve` as in production, with the role `api` on the benchmark’s database. Its log lines go into a pipe and
 * are read. No ledger stands behind it: what is measured asks none.
 */
export async function startGateway({
  databaseUrl,
  masterKey,
}: {
  readonly databaseUrl: string;
  readonly masterKey: Uint8Array;
}): Promise<Server> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'lucarne-bench-'));
  const started = startPinned('server', [...profiling(), COMMAND, 'serve'], {
    // A directory of its own, so that no configuration that lies about is read.
    cwd: directory,
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      DATABASE_URL: databaseUrl,
      SOLANA_RPC_URL: 'http://127.0.0.1:9',
      LUCARNE_DATA_DIR: directory,
      LUCARNE_DEMO: '0',
      LUCARNE_MASTER_KEY: Buffer.from(masterKey).toString('base64'),
      LUCARNE_PORT: '0',
      LUCARNE_ROLES: 'api',
      // Who loads it has many addresses, as clients behind a proxy have.
      LUCARNE_TRUST_PROXY: 'loopback',
    },
  });
  const stop = async () => {
    await started[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const port = await Promise.race([listeningPort(started), endOf(started.child)]);
    await idle(started);
    return { ...started, port, [Symbol.asyncDispose]: stop };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}

/** Until what goes on behind a start is over: the tables of the decryption are built. */
async function idle(started: PinnedProcess): Promise<void> {
  for (let before = -1, now = 0; now - before > 0.05;) {
    await setTimeout(500);
    before = now;
    now = started.cpuSeconds() ?? before;
  }
}

/** `BENCH_CPU_PROFILE` names a directory to which Node writes what the gateway’s time went into. */
function profiling(): string[] {
  const directory = process.env['BENCH_CPU_PROFILE'];
  return directory === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${path.resolve(directory)}`];
}

/** The port of the line that tells that it serves; everything behind it is log and is read away. */
async function listeningPort({ child }: PinnedProcess): Promise<number> {
  const output = child.stdout!;
  const lines = createInterface({ input: output });
  const port = await new Promise<number>((resolve) => {
    lines.on('line', (line) => {
      const found = /^Lucarne serves http:\/\/.*:(\d+)$/.exec(line)?.[1];
      if (found !== undefined) resolve(Number(found));
    });
  });
  lines.close();
  output.resume();
  return port;
}
