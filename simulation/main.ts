// Simulates the relayer: its own code on many machines, in a world that one seed determines. See docs/simulation.md.
import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { mutate } from './mutate.ts';
import { MUTATIONS } from './mutations.ts';
import type { Simulate } from './open-world.ts';
import type { Asked } from './world-threads.ts';
import type { Outcome } from './world.ts';
import { describeTime, describeViolation, Totals } from './report.ts';

const HELP = `Usage: npm run simulate -- [options]

Runs the relayer's own code in simulated worlds: processes that crash and pause, a database and a network that fail,
providers that lie, a ledger with forks. Each world is decided by its seed. Ends with 1 when an invariant breaks.

Options:
  --seed <n>            the first seed (random)
  --seeds <n>           how many worlds at most, with consecutive seeds (1; with --mutations 300)
  --fresh               and one more world, with a random seed
  --hours <n>           instead: as many as fit into this time of the clock on the wall, such as 0.5
  --crash-everywhere    the world of --seed again and again, with a crash at each wait of its processes in turn
  --mutations [name …]  break each rule of the product once, and print how many seeds it takes to notice
  --finds <n>           with --mutations: how often each must be found (3)
  --trace               print every event
  --help

Mutations:
${Object.entries(MUTATIONS)
  .map(([name, { what }]) => `  ${name.padEnd(28)}${what}`)
  .join('\n')}
`;

const tell = (line: string) => void process.stdout.write(`${line}\n`);
const PROGRESS_SECONDS = 15;
/** If a world takes longer than this, its seed is printed while it runs. */
const SLOW_SECONDS = 60;
const DIED = 3;
/** How long faults occur in worlds with a broken rule. Shorter than usual, because there are many such worlds. */
const MUTATED_WORLD_MS = 300_000;

// The exit code until the result is known: a process that ends by itself has proven nothing.
process.exitCode = DIED;
process.exitCode = await main();
process.exit();

async function main(): Promise<number> {
  const { values, positionals } = readArguments();
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const seed = Number(values.seed ?? randomInt(2 ** 31));
  const seeds = Number(values.seeds ?? (values.mutations || values.mutation !== undefined ? 300 : 1));
  const hours = values.hours === undefined ? undefined : Number(values.hours);
  const finds = Number(values.finds);
  const unknown = positionals.filter((name) => !(name in MUTATIONS));
  if ([seed, seeds, finds, hours ?? 0].some((one) => !(one >= 0)) || unknown.length > 0) {
    const what = unknown.length > 0 ? `There is no mutation ${unknown.join(', ')}.` : 'A number is expected.';
    process.stderr.write(`${what}\n\n${HELP}`);
    return 2;
  }
  if (values.mutations)
    return mutations(positionals.length > 0 ? positionals : Object.keys(MUTATIONS), seed, seeds, finds);
  if (values.mutation !== undefined) return find(values.mutation, seed, seeds, finds);
  if (values['crash-everywhere']) return crashEverywhere(String(seed));
  const until = hours === undefined ? { seeds } : { seconds: hours * 3_600 };
  return run({ first: seed, isFresh: values.fresh, isTraced: values.trace, ...until });
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        seed: { type: 'string' },
        seeds: { type: 'string' },
        fresh: { type: 'boolean', default: false },
        hours: { type: 'string' },
        'crash-everywhere': { type: 'boolean', default: false },
        mutations: { type: 'boolean', default: false },
        mutation: { type: 'string' },
        finds: { type: 'string', default: '3' },
        trace: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (thrown) {
    process.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n\n${HELP}`);
    process.exit(2);
  }
}

interface Run {
  readonly first: number;
  readonly seeds?: number;
  readonly seconds?: number;
  readonly isFresh: boolean;
  readonly isTraced: boolean;
}

async function run({ first, seeds = Infinity, seconds = Infinity, isFresh, isTraced }: Run): Promise<number> {
  const totals = new Totals();
  const asked = function* (): Generator<Asked> {
    for (let done = 0; done < seeds && totals.seconds < seconds; done += 1)
      yield { seed: String(first + done), options: {} };
  };
  tell(`Seeds from ${first}.`);
  // A thread cannot print a trace, and is not worth its start for one world.
  const isAlone = isTraced || (seeds === 1 && !isFresh);
  const threads = isAlone ? [await openHere()] : await openThreads(seeds);
  const [thread] = threads;
  const again = String(first);
  let fingerprint: string | undefined;
  const isKept = (outcome: Outcome) => {
    if (outcome.seed === again) fingerprint = outcome.fingerprint;
    return isHeld(outcome, totals);
  };
  const traced = threads.map<Simulate>(
    (simulate) => (seed, options) => simulate(seed, { ...options, ...(isTraced && { trace: tell }) }),
  );
  if (!(await simulateAll(traced, asked(), isKept, totals))) return 1;
  if (totals.simulations > 1 && (await thread!(again)).fingerprint !== fingerprint) {
    tell(`Seed ${first} took another course the second time: something in it is not decided by the seed.`);
    return 1;
  }
  if (isFresh) {
    const fresh = String(randomInt(2 ** 31));
    tell(`A fresh seed: ${fresh}.`);
    if (!isHeld(await thread!(fresh), totals)) return 1;
  }
  tell(`Every invariant held.\n${String(totals)}`);
  return 0;
}

/** Loads the product only now, because a mutation must come first. */
async function openHere(): Promise<Simulate> {
  return (await import('./open-world.ts')).openWorld();
}

async function openThreads(most: number): Promise<readonly Simulate[]> {
  return (await import('./world-threads.ts')).openWorldThreads(most);
}

/** Each thread simulates one world after another, until one of them breaks an invariant. */
async function simulateAll(
  threads: readonly Simulate[],
  worlds: Iterator<Asked>,
  isKept: (outcome: Outcome, asked: Asked) => boolean,
  totals: Totals,
): Promise<boolean> {
  let brokenWorlds = 0;
  let reported = 0;
  const running = new Map<Simulate, { readonly seed: string; readonly since: number }>();
  const slow = setInterval(() => {
    for (const { seed, since } of running.values())
      if (totals.seconds - since >= SLOW_SECONDS)
        tell(`  seed ${seed}: under way for ${Math.round(totals.seconds - since)} s`);
  }, SLOW_SECONDS * 1_000);
  await Promise.all(
    threads.map(async (simulate) => {
      for (let next = worlds.next(); !next.done && brokenWorlds === 0; next = worlds.next()) {
        const { seed, options } = next.value;
        running.set(simulate, { seed, since: totals.seconds });
        const outcome = await simulate(seed, options);
        running.delete(simulate);
        if (!isKept(outcome, next.value)) brokenWorlds += 1;
        if (totals.seconds - reported < PROGRESS_SECONDS) continue;
        reported = totals.seconds;
        const time = describeTime(totals.simulatedMs);
        tell(`  seed ${outcome.seed}: ${totals.simulations} worlds, ${time}`);
      }
    }),
  );
  clearInterval(slow);
  return brokenWorlds === 0;
}

function isHeld(outcome: Outcome, totals: Totals): boolean {
  totals.add(outcome);
  if (outcome.violation) tell(describeViolation(outcome));
  return !outcome.violation;
}

async function crashEverywhere(seed: string) {
  const totals = new Totals();
  // A short world of two requests, with the crash as its only fault.
  const plan = {
    ...{ storms: 1, processes: 2, providers: 3, faulty: 0, requests: 2, chaosMs: 150_000, crashChance: 0 },
    ...{ foreignChance: 0, hintChance: 0, ambushChance: 0, isImpatient: false, skewMs: 0, faults: {} },
    ...{ timing: { pollMs: 20_000 }, feedPollMs: 20_000 },
  };
  const threads = await openThreads(Infinity);
  const { waits } = await threads[0]!(seed, { plan });
  tell(`The world of seed ${seed} has ${waits} waits of its processes.`);
  const asked = function* (): Generator<Asked> {
    for (let crashAtWait = 1; crashAtWait <= waits; crashAtWait += 1)
      yield { seed, options: { plan, crashAtWait } };
  };
  const isKept = (outcome: Outcome, { options }: Asked) => {
    if (isHeld(outcome, totals)) return true;
    tell(`Its crash was at wait ${options.crashAtWait}.`);
    return false;
  };
  if (!(await simulateAll(threads, asked(), isKept, totals))) return 1;
  tell(`Every invariant held.\n${String(totals)}`);
  return 0;
}

/**
 * Runs each mutation in a separate process, because it changes the code that is loaded. Runs as many processes at a time as
 * there are cores.
 */
async function mutations(
  names: readonly string[],
  seed: number,
  seeds: number,
  finds: number,
): Promise<number> {
  tell(
    '| Broken rule | Plot | Found by | Found | Seeds needed on average |\n| --- | --- | --- | --- | --- |',
  );
  const numbers = ['--seed', String(seed), '--seeds', String(seeds), '--finds', String(finds)];
  const waiting = names.values();
  let missed = 0;
  const lane = async () => {
    for (const name of waiting) {
      const { status, output } = await runThis('--mutation', name, ...numbers);
      if (status !== 1) missed += 1;
      const problem = status === 0 ? 'not found' : `ended with ${status}`;
      tell(status === 1 ? output : `| ${name} | | ${problem} | ${output} | |`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
  return missed > 0 ? 1 : 0;
}

function runThis(...options: string[]): Promise<{ readonly status: number; readonly output: string }> {
  const command = ['--no-warnings', import.meta.filename, ...options];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, command, (_, stdout, stderr) =>
      resolve({ status: child.exitCode ?? DIED, output: `${stdout}${stderr}`.trim() }),
    );
  });
}

/** Searches for a world that detects a broken rule, and prints a row of the table. */
async function find(name: string, first: number, most: number, finds: number): Promise<number> {
  const simulate = await mutate(name, openHere);
  const { what, world } = MUTATIONS[name]!;
  const plan = { storms: 1, chaosMs: MUTATED_WORLD_MS, ...world };
  const by = new Map<string, number>();
  let [found, seeds] = [0, 0];
  while (found < finds && seeds < most) {
    const { violation } = await simulate(String(first + seeds), { plan });
    seeds += 1;
    if (!violation) continue;
    found += 1;
    by.set(violation.invariant, (by.get(violation.invariant) ?? 0) + 1);
  }
  const invariants = [...by.keys()].join(', ');
  if (found === 0) tell(`0 of ${seeds}`);
  else
    tell(
      `| ${what} (${name}) | ${world?.plot ?? 'any'} | ${invariants} | ${found} of ${seeds} seeds | ${(seeds / found).toFixed(1)} |`,
    );
  return found > 0 ? 1 : 0;
}
