import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { endOf, startPinned, type Core, type PinnedProcess } from './pinned-process.ts';
import { servingUrl } from './scratch-database.ts';

export const COMMAND = path.resolve(import.meta.dirname, '..', '..', 'bin', 'lucarne.mjs');

/** A server to measure. */
export interface Server extends PinnedProcess {
  readonly port: number;
}

/**
 * `lucarne serve` as in production, with the role `api` or other given roles, under row-level security of the benchmark's
 * database, or as the owner of its tables, whom row-level security does not limit. Its log lines are written to a pipe and
 * read. It has no ledger unless the environment names one: most benchmarks need none.
 */
export async function startGateway({
  databaseUrl,
  core = 'server',
  asOwner = false,
  roles = 'api',
  environment = {},
  untilIdle = true,
  ...keys
}: {
  /**
   * Without it, the gateway uses the embedded database of the data directory that the environment names, in development mode.
   */
  readonly databaseUrl?: string;
  readonly core?: Core;
  readonly asOwner?: boolean;
  readonly roles?: string;
  /** Additional configuration variables. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Waits until background work of the start has ended. Without it, only until the gateway serves. */
  readonly untilIdle?: boolean;
} & ({ readonly masterKey: Uint8Array } | { readonly masterKeyFile: string })): Promise<Server> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'lucarne-bench-'));
  const started = startPinned(core, [...profiling(), COMMAND, 'serve'], {
    // A separate directory, so that it does not read a configuration file by accident.
    cwd: directory,
    env: {
      PATH: process.env['PATH'],
      ...(databaseUrl !== undefined && {
        NODE_ENV: 'production',
        DATABASE_URL: asOwner ? databaseUrl : await servingUrl(databaseUrl),
      }),
      LUCARNE_PUBLIC_URL: 'http://127.0.0.1:4000',
      LUCARNE_DRAIN_MS: '0',
      LUCARNE_SERVE_AS_OWNER: asOwner ? '1' : '0',
      SOLANA_RPC_URL: 'http://127.0.0.1:9',
      LUCARNE_DATA_DIR: directory,
      LUCARNE_DEMO: '0',
      ...('masterKey' in keys
        ? { LUCARNE_MASTER_KEY: Buffer.from(keys.masterKey).toString('base64') }
        : { LUCARNE_MASTER_KEY_FILE: keys.masterKeyFile }),
      LUCARNE_PORT: '0',
      LUCARNE_ROLES: roles,
      // The load has many addresses, like clients behind a proxy.
      LUCARNE_TRUST_PROXY: 'loopback',
      ...environment,
    },
  });
  const stop = async () => {
    await started[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const port = await Promise.race([listeningPort(started), endOf(started.child)]);
    if (untilIdle) await idle(started);
    return { ...started, port, [Symbol.asyncDispose]: stop };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}

/** Waits until background work of the start has ended, such as building the tables for decryption. */
async function idle(started: PinnedProcess): Promise<void> {
  for (let before = -1, now = 0; now - before > 0.05;) {
    await setTimeout(500);
    before = now;
    now = started.cpuSeconds() ?? before;
  }
}

/** `BENCH_CPU_PROFILE` names a directory to which Node writes a CPU profile of the gateway. */
function profiling(): string[] {
  const directory = process.env['BENCH_CPU_PROFILE'];
  return directory === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${path.resolve(directory)}`];
}

/** The port in the line that reports that the gateway listens. All later lines are log output, and are discarded. */
async function listeningPort({ child }: PinnedProcess): Promise<number> {
  const output = child.stdout!;
  const lines = createInterface({ input: output });
  const port = await new Promise<number>((resolve) => {
    lines.on('line', (line) => {
      const found = /"address":"http:\/\/[^"]*:(\d+)"/.exec(line)?.[1];
      if (found !== undefined) resolve(Number(found));
    });
  });
  lines.close();
  output.resume();
  return port;
}
