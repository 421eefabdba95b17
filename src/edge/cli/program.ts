import { Command, CommanderError } from 'commander';
import { ConfigurationError } from '../../platform/kernel/configuration-error.js';
import { packageVersion } from '../../platform/kernel/package.js';
import { isLucarneError } from '../../platform/kernel/errors.js';
import { addApiKeyCommands } from './commands/api-key-commands.js';
import { addAuditorKeyCommands } from './commands/auditor-key-commands.js';
import { CommandFailed } from './command-failed.js';
import { addDoctorCommand } from './commands/doctor-command.js';
import { addAmountCommands, addDisclosureCommands } from './commands/disclosure-commands.js';
import { addLogCommands } from './commands/log-commands.js';
import { addMasterKeyCommands } from './commands/master-key-commands.js';
import { addMigrateCommand } from './commands/migrate-command.js';
import { addOpenApiCommand } from './commands/openapi-command.js';
import { addOrganizationCommands } from './commands/organization-commands.js';
import { addRecordsCommands } from './commands/records-commands.js';
import { addRelayCommands } from './commands/relay-commands.js';
import { addRelayerCommands } from './commands/relayer-commands.js';
import { addSchemaCommand } from './commands/schema-command.js';
import { addServeCommand } from './commands/serve-command.js';
import type { Product } from './product.js';
import { note, type Terminal } from './terminal.js';
import { addUserCommands } from './commands/user-commands.js';

const FOOTER = `
Exit codes:
  0  done
  1  the command failed or was refused; standard error says why
  2  the command line or one of its values is invalid

Everything else is configured by environment variables: see docs/configuration.md.

Examples:
  lucarne serve                        run the gateway, with an embedded database and ledger by default
  lucarne demo                         run the demo against a running gateway
  lucarne disclosure verify file.json  verify the proofs of a disclosure, offline`;

/** The `lucarne` command. Modules of a command are loaded only when it runs. */
export function createProgram(terminal: Terminal, product: Product): Command {
  const program = new Command('lucarne')
    .description('A GraphQL gateway for confidential assets on Solana.')
    .version(packageVersion, '-V, --version', 'Print the version.')
    .helpOption('-h, --help', 'Print help for a command.')
    .helpCommand(false)
    .addHelpText('after', FOOTER)
    .showHelpAfterError('(run the command with --help for its options)')
    .configureOutput({
      writeOut: (text) => void terminal.output.write(text),
      writeErr: (text) => void terminal.errors.write(text),
    })
    .exitOverride();
  for (const add of [
    addServeCommand,
    addMigrateCommand,
    addDoctorCommand,
    addMasterKeyCommands,
    addOrganizationCommands,
    addUserCommands,
    addApiKeyCommands,
    addAuditorKeyCommands,
    addDisclosureCommands,
    addAmountCommands,
    addLogCommands,
    addRecordsCommands,
    addRelayCommands,
    addRelayerCommands,
    addOpenApiCommand,
    addSchemaCommand,
    ...product.commands,
  ]) {
    add(program, terminal, product);
  }
  return program;
}

/** Runs one command line, without the program name. Returns the exit code. */
export async function runCommand(
  parameters: readonly string[],
  terminal: Terminal,
  product: Product,
): Promise<number> {
  try {
    await createProgram(terminal, product).parseAsync([...parameters], { from: 'user' });
    return 0;
  } catch (thrown) {
    return explain(thrown, terminal);
  }
}

function explain(thrown: unknown, terminal: Terminal): number {
  // Commander has already printed the message. Requested help is not a failure.
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
