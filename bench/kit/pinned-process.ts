import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import type { Block } from './compare.ts';

/** The core of the measured server, and the core of the load; `any` is not pinned. PostgreSQL is not pinned. */
export type Core = 'server' | 'load' | 'any';

/** A Node process on a separate core, if the machine has two and `taskset`. It ends on disposal. */
export interface PinnedProcess extends AsyncDisposable {
  readonly child: ChildProcess;
  /** CPU seconds that it has used so far; `undefined` if the kernel does not report them. */
  cpuSeconds(): number | undefined;
  /** Bytes of memory that it uses; `undefined` if the kernel does not report them. */
  residentBytes(): number | undefined;
}

/** As docs/operate.md requires: a gateway first answers for a while, and then has 15 s to stop. */
const STOP_TIMEOUT_MS = 20_000;

export function startPinned(
  core: Core,
  script: readonly string[],
  options: { readonly env?: NodeJS.ProcessEnv; readonly cwd?: string } = {},
): PinnedProcess {
  const node = [process.execPath, '--no-warnings', ...script];
  const [command = '', ...args] =
    core !== 'any' && canPin() ? ['taskset', '-c', core === 'server' ? '0' : '1', ...node] : node;
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  return {
    child,
    cpuSeconds: () => cpuSecondsOf(child.pid),
    residentBytes: () => residentBytesOf(child.pid),
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      const hard = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await exit;
      clearTimeout(hard);
    },
  };
}

/** A block with the CPU time that the server used during it. */
export async function withCpu(
  server: Pick<PinnedProcess, 'cpuSeconds'>,
  work: () => Promise<Block>,
): Promise<Block> {
  const before = server.cpuSeconds();
  const block = await work();
  const after = server.cpuSeconds();
  return before === undefined || after === undefined ? block : { ...block, cpuSeconds: after - before };
}

/** The first message of a process. Rejects if the process ends before. */
export async function firstMessage<Message>({ child }: PinnedProcess): Promise<Message> {
  const [message] = (await Promise.race([once(child, 'message'), endOf(child)])) as [Message];
  return message;
}

export async function endOf(child: ChildProcess): Promise<never> {
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  throw new Error(`${child.spawnargs.join(' ')} ended with ${code ?? signal ?? 'nothing'}.`);
}

let pinning: boolean | undefined;

function canPin(): boolean {
  return (pinning ??=
    os.availableParallelism() > 1 && spawnSync('taskset', ['-c', '0', 'true']).status === 0);
}

/** A tick of proc(5), which is fixed for user space on Linux. */
const TICKS_A_SECOND = 100;

function cpuSecondsOf(pid: number | undefined): number | undefined {
  try {
    // The fields follow the name, which is in parentheses and may contain anything: state is field 3, utime 14, stime 15.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
  } catch {
    return undefined;
  }
}

function residentBytesOf(pid: number | undefined): number | undefined {
  try {
    const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
  } catch {
    return undefined;
  }
}
