import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';

/** The lowest priority of a process, so that it does not slow the portal. */
const LOWEST_PRIORITY = 19;

/**
 * Fills the embedded demo in a separate process, unless it was filled before. The process runs `lucarne demo data`, which uses
 * public interfaces only. If it is interrupted, the next start continues it. It ends when the gateway ends. `tell` is told when it
 * begins, and when it ends for any reason.
 */
export function fillDemoInBackground(demoFile: string, tell: (isFilling: boolean) => void): Disposable {
  const command = process.argv[1];
  if (command === undefined || existsSync(path.join(path.dirname(demoFile), 'demo-data.json')))
    return { [Symbol.dispose]: () => undefined };
  const child: ChildProcess = spawn(
    process.execPath,
    [...process.execArgv, command, 'demo', 'data', '--file', demoFile],
    { stdio: 'ignore' },
  );
  tell(true);
  child.on('error', () => tell(false));
  child.on('exit', () => tell(false));
  child.unref();
  if (child.pid !== undefined) os.setPriority(child.pid, LOWEST_PRIORITY);
  return { [Symbol.dispose]: () => void child.kill() };
}
