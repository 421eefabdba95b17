import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { DataDirectoryInUse, lockDataDirectory } from '../../../src/app/storage/data-directory-lock.js';
import { startOfProcess } from '../../../src/app/storage/process-life.js';

const LARGE_PROCESS = `
  const { Worker } = require('node:worker_threads');
  for (let worker = 0; worker < 4; worker += 1) new Worker('setInterval(() => undefined, 1e6)', { eval: true });
  globalThis.memory = Buffer.alloc(256 * 1024 * 1024, 1);
  console.log();`;

describe('a data directory', () => {
  let directory: string;
  let lock: string;
  beforeEach(async () => {
    directory = path.join(await mkdtemp(path.join(os.tmpdir(), 'lucarne-lock-')), 'data');
    lock = path.join(directory, 'lucarne.lock');
  });
  afterEach(() => rm(path.dirname(directory), { recursive: true, force: true }));

  /** Writes the lock as another process would have left it. */
  async function heldBy(identity: unknown): Promise<void> {
    await (await lockDataDirectory(directory))[Symbol.asyncDispose]();
    await writeFile(lock, typeof identity === 'string' ? identity : JSON.stringify(identity));
  }

  async function endedProcess(): Promise<number> {
    const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
    await once(child, 'exit');
    return child.pid!;
  }

  async function holder(): Promise<unknown> {
    return JSON.parse(await readFile(lock, 'utf8'));
  }

  const own = { pid: process.pid, host: os.hostname() };

  it('is created so that only its owner can use it, and holds the process’s lock until it is released', async () => {
    const held = await lockDataDirectory(directory);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    expect(await holder()).toEqual({ ...own, started: expect.any(String) });
    expect(await readdir(directory)).toEqual(['lucarne.lock']);
    await held[Symbol.asyncDispose]();
    expect(await readdir(directory)).toEqual([]);
  });

  it('is refused while another live process holds it, with that process’s id and what to do', async () => {
    // The parent of this process: it is alive, and is another process.
    const identity = { pid: process.ppid, host: os.hostname() };
    await heldBy(identity);
    const attempt = lockDataDirectory(directory);
    await expect(attempt).rejects.toBeInstanceOf(DataDirectoryInUse);
    await expect(attempt).rejects.toThrow(
      `The data directory ${directory} is in use by process ${process.ppid} on ${os.hostname()}. ` +
        'Stop that process, or set LUCARNE_DATA_DIR to another directory.',
    );
    expect(await holder()).toEqual(identity);
    expect(await readdir(directory)).toEqual(['lucarne.lock']);
  });

  it('is refused when another machine holds it, because its processes are not visible here', async () => {
    const identity = { pid: await endedProcess(), host: 'elsewhere' };
    await heldBy(identity);
    const attempt = lockDataDirectory(directory);
    await expect(attempt).rejects.toThrow(`in use by process ${identity.pid} on elsewhere`);
    await expect(attempt).rejects.toThrow(`If it has ended, remove ${lock}.`);
    expect(await holder()).toEqual(identity);
  });

  it('is taken over from a process that has died', async () => {
    await heldBy({ pid: await endedProcess(), host: os.hostname() });
    await lockDataDirectory(directory);
    expect(await holder()).toEqual({ ...own, started: expect.any(String) });
    expect(await readdir(directory)).toEqual(['lucarne.lock']);
  });

  it('is taken over immediately from a killed process that its parent has not reaped', async () => {
    // The shell prints the id of the process that it starts, and waits for the process.
    const parent = spawn('sh', ['-c', 'sleep 1000 & echo $!; wait'], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const [line] = (await once(parent.stdout, 'data')) as [Buffer];
      const pid = Number(line.toString());
      const started = await startOfProcess(pid);
      await heldBy({ pid, host: os.hostname(), started });
      await expect(lockDataDirectory(directory)).rejects.toBeInstanceOf(DataDirectoryInUse);
      // A stopped parent does not collect the exit status, so the process keeps its id after its end.
      parent.kill('SIGSTOP');
      process.kill(pid, 'SIGKILL');
      await lockDataDirectory(directory);
      expect(() => process.kill(pid, 0)).not.toThrow();
      expect(await holder()).toMatchObject(own);
    } finally {
      parent.kill('SIGKILL');
    }
  });

  // A killed process may end while its lock is read: it may still have its id, be exiting, or disappear between two checks.
  it.each([
    ['a small one', 20, 'echo; exec sleep 1000'],
    ['one with memory and threads to free', 4, `exec ${process.execPath} -e "${LARGE_PROCESS}"`],
  ])('is taken over at once from a process that dies at that time: %s', async (_, times, command) => {
    for (let time = 0; time < times; time += 1) {
      const child = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'ignore'] });
      await once(child.stdout, 'data');
      const { pid } = child;
      await heldBy({ pid, host: os.hostname(), started: await startOfProcess(pid!) });
      child.kill('SIGKILL');
      const held = await lockDataDirectory(directory);
      expect(await holder()).toMatchObject(own);
      await held[Symbol.asyncDispose]();
    }
  });

  it('is taken over from a process whose id has been reused', async () => {
    await heldBy({ pid: process.ppid, host: os.hostname(), started: '1' });
    await lockDataDirectory(directory);
    expect(await holder()).toMatchObject(own);
  });

  it('is taken over from a process before a restart that had the same id as this process', async () => {
    await heldBy(own);
    await lockDataDirectory(directory);
    expect(await holder()).toEqual({ ...own, started: expect.any(String) });
  });

  it.each(['', 'null', '[]', '{"pid":"x"}', '{"pid":', '12'])(
    'is taken over when its lock says %j',
    async (text) => {
      await heldBy(text);
      await lockDataDirectory(directory);
      expect(await holder()).toEqual({ ...own, started: expect.any(String) });
    },
  );

  it('is not released if another process holds it by then', async () => {
    const held = await lockDataDirectory(directory);
    const other = { pid: process.ppid, host: os.hostname() };
    await writeFile(lock, JSON.stringify(other));
    await held[Symbol.asyncDispose]();
    expect(await holder()).toEqual(other);
  });
});
