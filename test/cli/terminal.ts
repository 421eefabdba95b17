import { PassThrough } from 'node:stream';
import { runCommand } from '../../src/cli/program.js';

export interface Said {
  readonly exitCode: number;
  readonly output: string;
  readonly errors: string;
}

/** Runs a command in this process, on a terminal that is none, and answers what it said. */
export async function say(parameters: readonly string[], input = ''): Promise<Said> {
  const [output, errors] = [new PassThrough(), new PassThrough()];
  const typed = new PassThrough();
  typed.end(input);
  const exitCode = await runCommand(parameters, { input: typed, output, errors });
  return { exitCode, output: textOf(output), errors: textOf(errors) };
}

const textOf = (stream: PassThrough) => ((stream.read() as Buffer | null) ?? '').toString();
