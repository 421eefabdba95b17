// One benchmark in a separate process, so that memory and compiled code of the others do not affect its figures.
import 'reflect-metadata';
import { benchmarks } from './benchmarks.ts';
import type { Conditions } from './kit/benchmark.ts';
import { createScratchDatabase } from './kit/scratch-database.ts';

/** A request of the command. The answer is one {@link RunReply}, preceded by a line of text for each step. */
export interface RunRequest extends Pick<Conditions, 'quick' | 'large' | 'pairs'> {
  readonly name: string;
  /** A database of the server on which the benchmark creates a separate one. */
  readonly databaseUrl: string;
}

const send = (message: object) => process.send?.(message);

process.once('message', (request: RunRequest) => void run(request));

async function run({ name, quick, large, pairs, databaseUrl }: RunRequest): Promise<void> {
  try {
    await using parts = new AsyncDisposableStack();
    const database = parts.use(await createScratchDatabase(databaseUrl));
    const benchmark = await benchmarks[name]!();
    const tell = (line: string) => send({ line });
    const results = await benchmark({ quick, large, pairs, databaseUrl: database.url, parts, tell });
    send({ results });
  } catch (thrown) {
    send({ failure: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) });
    process.exitCode = 1;
  } finally {
    process.disconnect();
  }
}
