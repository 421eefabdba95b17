import { readdir, readFile } from 'node:fs/promises';
import process from 'node:process';

/** `dying`: it is killed and executes nothing anymore, but the kernel has not finished with it. */
export type ProcessLife = 'alive' | 'dying' | 'dead';

/** Distinguishes a process from a later one with the same id: its start, in ticks since the machine started. */
export async function startOfProcess(pid: number): Promise<string | undefined> {
  return (await readStat(pid))?.started;
}

/**
 * Whether a process of this machine still runs. A killed process keeps its id until its parent reaps it, and a later
 * process can have the same id. With `/proc`, neither counts as running.
 */
export async function lifeOfProcess(pid: number, started: string | undefined): Promise<ProcessLife> {
  if (!hasId(pid)) return 'dead';
  // Checked first: a signal that is no longer pending shows in the next read.
  const isToDie = await isKilled(pid);
  const stat = await readStat(pid);
  // Without a /proc the id is all there is.
  if (!stat) return hasId(pid) && !(await readStat(process.pid)) ? 'alive' : 'dead';
  if (started !== undefined && stat.started !== started) return 'dead';
  if (stat.state === 'Z' || stat.state === 'X')
    // The first thread of a process can end before the others.
    return (await threadsOf(pid)) > 1 ? 'dying' : 'dead';
  return stat.isExiting || isToDie ? 'dying' : 'alive';
}

function hasId(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** `PF_EXITING` of Linux, `include/linux/sched.h`. */
const EXITING = 0x4;
const SIGKILL = 9;

/** The fields 3, 9 and 22 of `/proc/<pid>/stat` (proc(5)), counted after the name, which may hold spaces and brackets. */
async function readStat(pid: number) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0], isExiting: (Number(fields[6]) & EXITING) !== 0, started: fields[19] };
}

/** Whether a SIGKILL waits for the process. */
async function isKilled(pid: number): Promise<boolean> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return [...text.matchAll(/^(?:Sig|Shd)Pnd:\s*([0-9a-f]+)$/gm)].some(
    ([, signals = '0']) => (BigInt(`0x${signals}`) & (1n << BigInt(SIGKILL - 1))) !== 0n,
  );
}

const threadsOf = async (pid: number) => (await readdir(`/proc/${pid}/task`).catch(() => [])).length;
