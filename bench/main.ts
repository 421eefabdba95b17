// The benchmarks: ratios of Lucarne to a reference that does the same work with fewer layers, measured in turn in one run.
import { fork } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { benchmarks } from './benchmarks.ts';
import type { Result } from './kit/benchmark.ts';
import { describeMachine } from './kit/machine.ts';
import { tableOf, writeTable } from './kit/table.ts';
import type { RunRequest } from './run-one.ts';

const HELP = `Usage: npm run bench -- [options] [name ...]

Measures Lucarne against references in one run and prints the ratios. Without a name, runs all:
  ${Object.keys(benchmarks).join(', ')}

Options:
  --quick        only check that each runs and every reply is correct; ignore its figures
  --large        ten million rows in growth and parts, in place of one million; one million in rotations
                 in place of 50,000
  --pairs <n>    blocks of each arm (20)
  --write        write the table into bench/README.md
  --help

DATABASE_URL names a database of a PostgreSQL server. Its user must be allowed to create databases.
`;

process.exitCode = await main();

async function main(): Promise<number> {
  const { values, positionals } = readArguments();
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const unknown = positionals.filter((name) => !(name in benchmarks));
  const pairs = values.quick ? 2 : Number(values.pairs);
  if (unknown.length > 0 || !Number.isInteger(pairs) || pairs < 1) {
    const what =
      unknown.length > 0 ? `There is no benchmark ${unknown.join(', ')}.` : '--pairs takes a number.';
    process.stderr.write(`${what}\n\n${HELP}`);
    return 2;
  }
  const names = positionals.length > 0 ? positionals : Object.keys(benchmarks);
  const databaseUrl = process.env['DATABASE_URL'];
  if (databaseUrl === undefined) {
    process.stderr.write(`DATABASE_URL is not set.\n\n${HELP}`);
    return 2;
  }
  const machine = await describeMachine(databaseUrl);
  process.stdout.write(`${machine}\n`);

  const results: Result[] = [];
  let failed = 0;
  for (const name of names) {
    const began = performance.now();
    const outcome = await runOne({ name, quick: values.quick, large: values.large, pairs, databaseUrl });
    const seconds = Math.round((performance.now() - began) / 1000);
    if ('failure' in outcome) {
      failed += 1;
      process.stdout.write(`${name} failed: ${outcome.failure}\n`);
      continue;
    }
    process.stdout.write(`${name}: every reply right (${seconds} s)\n`);
    // At once, so that a run that is stopped keeps its figures.
    if (!values.quick && names.length > 1) process.stdout.write(`\n${tableOf(outcome.results)}\n\n`);
    results.push(...outcome.results);
  }
  if (values.quick) return failed > 0 ? 1 : 0;
  process.stdout.write(`\n${tableOf(results)}\n`);
  const command = ['npm run bench --', ...process.argv.slice(2).filter((word) => word !== '--write')].join(
    ' ',
  );
  if (values.write && failed === 0)
    await writeTable({ results, machine, command: command.replace(/ --$/, '') });
  return failed > 0 ? 1 : 0;
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        quick: { type: 'boolean', default: false },
        large: { type: 'boolean', default: false },
        pairs: { type: 'string', default: '20' },
        write: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (thrown) {
    process.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n\n${HELP}`);
    process.exit(2);
  }
}

type Outcome = { readonly results: readonly Result[] } | { readonly failure: string };

function runOne(request: RunRequest): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = fork(path.join(import.meta.dirname, 'run-one.ts'), {
      execArgv: ['--expose-gc', '--no-warnings'],
    });
    let outcome: Outcome | undefined;
    child.on('message', (message: Outcome | { readonly line: string }) => {
      if ('line' in message) process.stdout.write(`  ${message.line}\n`);
      else outcome = message;
    });
    child.once('exit', (code) => resolve(outcome ?? { failure: `its process ended with ${code}` }));
    child.send(request);
  });
}
