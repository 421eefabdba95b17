import { PassThrough } from 'node:stream';
import { product } from '../../../src/app/product.js';
import type { Product } from '../../../src/edge/cli/product.js';
import { runCommand } from '../../../src/edge/cli/program.js';

export interface Said {
  readonly exitCode: number;
  readonly output: string;
  readonly errors: string;
}

/** Runs a command in this process without a terminal, and returns its output. */
export async function say(
  parameters: readonly string[],
  input = '',
  changes: Partial<Product> = {},
): Promise<Said> {
  const [output, errors] = [new PassThrough(), new PassThrough()];
  const typed = new PassThrough();
  typed.end(input);
  const exitCode = await runCommand(parameters, { input: typed, output, errors }, { ...product, ...changes });
  return { exitCode, output: textOf(output), errors: textOf(errors) };
}

const textOf = (stream: PassThrough) => ((stream.read() as Buffer | null) ?? '').toString();
