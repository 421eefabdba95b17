import 'reflect-metadata';
import process from 'node:process';
import { runCommand } from '../edge/cli/index.js';
import { product } from './product.js';

// A reader that closes the pipe early, such as `head`, is not an error of the command.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

process.exitCode = await runCommand(
  process.argv.slice(2),
  { input: process.stdin, output: process.stdout, errors: process.stderr },
  product,
);
