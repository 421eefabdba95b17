import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { ConfigurationError } from '../config.js';
import { isLucarneError } from '../kernel/errors.js';
import { addApiKeyCommands } from './api-key-commands.js';
import { CommandFailed } from './command-failed.js';
import { addDemoCommand } from './demo-command.js';
import { addDisclosureCommands } from './disclosure-commands.js';
import { addLogCommands } from './log-commands.js';
import { addMigrateCommand } from './migrate-command.js';
import { addOpenApiCommand } from './openapi-command.js';
import { addOrganizationCommands } from './organization-commands.js';
import { addRelayCommands } from './relay-commands.js';
import { addSchemaCommand } from './schema-command.js';
import { addServeCommand } from './serve-command.js';
import { note, type Terminal } from './terminal.js';
import { addUserCommands } from './user-commands.js';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const FOOTER = `
Exit codes:
  0  done
  1  refused or failed; standard error says why in a sentence
  2  the command line or a value in it is wrong

Everything else is configured by environment variables; README.md lists them.

Examples:
  lucarne serve                        run the gateway; embedded database and ledger unless configured
  lucarne demo                         see it work, against a running gateway
  lucarne disclosure verify file.json  check the proofs of a disclosure, offline`;

/** The `lucarne` command. Nothing heavy is loaded before a command runs. */
export function createProgram(terminal: Terminal): Command {
  const program = new Command('lucarne')
    .description('A GraphQL gateway for confidential assets on Solana.')
    .version(version, '-V, --version', 'Print the version.')
    .helpOption('-h, --help', 'Print what a command does and takes.')
    .helpCommand(false)
    .addHelpText('after', FOOTER)
    .showHelpAfterError('(--help tells what the command takes)')
    .configureOutput({
      writeOut: (text) => void terminal.output.write(text),
      writeErr: (text) => void terminal.errors.write(text),
    })
    .exitOverride();
  for (const add of [
    addServeCommand,
    addMigrateCommand,
    addDemoCommand,
    addOrganizationCommands,
    addUserCommands,
    addApiKeyCommands,
    addDisclosureCommands,
    addLogCommands,
    addRelayCommands,
    addOpenApiCommand,
    addSchemaCommand,
  ]) {
    add(program, terminal);
  }
  return program;
}

/** Runs one command line, without the program's own name, and answers the exit code. */
export async function runCommand(parameters: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await createProgram(terminal).parseAsync([...parameters], { from: 'user' });
    return 0;
  } catch (thrown) {
    return explain(thrown, terminal);
  }
}

function explain(thrown: unknown, terminal: Terminal): number {
  // Commander has said it already; help that was asked for is no failure.
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : 2;
  if (thrown instanceof CommandFailed) {
    if (thrown.message !== '') note(terminal, thrown.message);
    return thrown.exitCode;
  }
  if (isLucarneError(thrown) && thrown.code !== 'INTERNAL_SERVER_ERROR') {
    note(terminal, thrown.message);
    return thrown.code === 'BAD_USER_INPUT' ? 2 : 1;
  }
  if (thrown instanceof ConfigurationError) {
    note(terminal, thrown.message);
    return 1;
  }
  note(
    terminal,
    `Unexpected: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`,
  );
  return 1;
}
