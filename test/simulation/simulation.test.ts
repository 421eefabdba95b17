import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { SeededRandom } from '../../simulation/random.ts';
import { rest } from '../../simulation/rest.ts';
import { Machine, Scheduler } from '../../simulation/scheduler.ts';
import { MUTATIONS } from '../../simulation/mutations.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
// The limit only stops a hang: no assertion depends on time.
const LIMIT_MS = 600_000;

interface Ended {
  readonly code: number;
  readonly output: string;
}

const simulate = (...options: string[]) => run(path.join(ROOT, 'simulation/main.ts'), ...options);

function run(...options: string[]): Promise<Ended> {
  // Optimizing PGlite's WebAssembly takes longer than it saves here.
  const command = ['--no-warnings', '--liftoff-only', ...options];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, command, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
    );
  });
}

describe('the simulation of the relayer', () => {
  it(
    'keeps every invariant in worlds of fixed seeds, and of a fresh one',
    async () => {
      const { code, output } = await simulate('--seed', '1', '--seeds', '4', '--fresh');
      // Prints the fresh seed, so that a failure can be repeated with it.
      process.stdout.write(output);
      expect(output).toContain('A fresh seed: ');
      // Worlds continue after their first storm.
      expect(output).toMatch(/days of simulated time/);
      expect(code).toBe(0);
    },
    LIMIT_MS,
  );

  it(
    'detects a broken rule',
    async () => {
      const { code, output } = await simulate(
        '--mutation',
        'lease-not-respected',
        '--seed',
        '1',
        '--finds',
        '1',
      );
      expect(output).toContain('a worker takes a request that another worker holds');
      expect(code).toBe(1);
    },
    LIMIT_MS,
  );

  it(
    'refuses to break a rule of a module that is already loaded',
    async () => {
      const file = (name: string) => JSON.stringify(path.join(ROOT, name));
      const { code, output } = await run(
        '--input-type=module',
        '--eval',
        `const load = () => import(${file('dist/src/platform/jobs/lease.js')});
        await load();
        const { mutate } = await import(${file('simulation/mutate.ts')});
        await mutate('lease-not-respected', load);`,
      );
      expect(output).toContain('src/platform/jobs/lease.ts was loaded before it was broken,');
      expect(code).toBe(1);
    },
    LIMIT_MS,
  );

  it(
    'frees everything of a world that ended, so that one process can simulate many',
    async () => {
      const file = (name: string) => JSON.stringify(path.join(ROOT, name));
      const { code, output } = await run(
        '--input-type=module',
        '--eval',
        `import { queryObjects } from 'node:v8';
        const { openWorld } = await import(${file('simulation/open-world.ts')});
        const { Machine } = await import(${file('simulation/scheduler.ts')});
        const simulate = await openWorld();
        const kept = [];
        for (let world = 0; world < 3; world += 1) {
          await simulate('1', { plan: { storms: 1, processes: 2, chaosMs: 60_000 } });
          kept.push(queryObjects(Machine));
        }
        console.log('kept ' + kept.join(' '));
        process.exit(0);`,
      );
      expect(output).toMatch(/^kept (\d+) \1 \1$/m);
      expect(code).toBe(0);
    },
    LIMIT_MS,
  );

  it('skips the pauses of loops, up to the first other step', async () => {
    const scheduler = new Scheduler();
    const turns: number[] = [];
    const loop = () => {
      turns.push(scheduler.now);
      scheduler.after(500, loop, undefined, true);
    };
    loop();
    const steps: number[] = [];
    scheduler.after(3_600_250, () => void steps.push(scheduler.now));
    await scheduler.runUntil(1_100);
    scheduler.leap(86_400_000);
    await scheduler.runUntil(3_601_000);
    expect(steps).toEqual([3_600_250]);
    // Each turn is delayed by exactly the skipped time.
    expect(turns).toEqual([0, 500, 1_000, 3_600_650]);
  });

  it('skips only time in which nothing is done and no request is open', async () => {
    const scheduler = new Scheduler();
    const until = (time: number) => scheduler.runUntil(time);
    const isAtRest = () => true;
    let writes = 0;
    await rest({ scheduler, until, isAtRest, work: () => Promise.resolve(String((writes += 1))) }, 3_600_000);
    expect([scheduler.now, scheduler.leaptMs]).toEqual([3_600_000, 0]);
    await rest({ scheduler, until, isAtRest: () => false, work: () => Promise.resolve('') }, 7_200_000);
    expect([scheduler.now, scheduler.leaptMs]).toEqual([7_200_000, 0]);
    await rest({ scheduler, until, isAtRest, work: () => Promise.resolve('') }, 10_800_000);
    expect([scheduler.now, scheduler.leaptMs]).toEqual([10_800_000, 3_560_000]);
  });

  it('runs the steps that were due during a pause at once and in order when the process resumes', async () => {
    const scheduler = new Scheduler();
    const machine = new Machine('one', scheduler, new SeededRandom('one'));
    const done: [string, number][] = [];
    for (const [what, at] of [
      ['first', 10],
      ['second', 20],
      ['later', 500],
    ] as const)
      scheduler.after(at, () => void done.push([what, scheduler.now]), machine);
    machine.pausedUntil = 400;
    await scheduler.runUntil(100);
    scheduler.resume(machine);
    await scheduler.runUntil(600);
    expect(done).toEqual([
      ['first', 100],
      ['second', 100],
      ['later', 500],
    ]);
  });

  it('finishes a turn whose remaining time is too short to change the clock', async () => {
    const scheduler = new Scheduler();
    [scheduler.now, scheduler.leaptMs] = [485_831.3050581229, 36_633.76588086783];
    let turns = 0;
    const until = async (time: number) => {
      expect((turns += 1)).toBeLessThan(10);
      await scheduler.runUntil(time);
    };
    await rest({ scheduler, until, isAtRest: () => true, work: () => Promise.resolve('') }, 10_000_000);
    expect(scheduler.now).toBe(10_000_000);
  });

  it.each(Object.entries(MUTATIONS))('can break the rule %s', (_, { edits }) => {
    for (const { file, find } of edits)
      expect(readFileSync(path.join(ROOT, 'src', file), 'utf8').split(find)).toHaveLength(2);
  });
});
