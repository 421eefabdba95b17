import type { Command } from 'commander';
import { print, printJson, type Terminal } from './terminal.js';

export function addMigrateCommand(program: Command, terminal: Terminal): void {
  program
    .command('migrate')
    .description('Apply the database migrations that are missing; the gateway does the same when it starts.')
    .option('--json', 'Print the applied migrations as JSON.')
    .addHelpText(
      'after',
      `
Examples:
  lucarne migrate
  DATABASE_URL=postgres://lucarne@db/lucarne lucarne migrate --json`,
    )
    .action(async (options: { json?: true }) => {
      const { withDatabase } = await import('./open-foundation.js');
      const instead = 'A gateway that runs on it has migrated it when it started.';
      const applied = await withDatabase({ instead }, (database) => database.migrate());
      if (options.json) printJson(terminal, { applied });
      else if (applied.length === 0) print(terminal, 'The database is up to date.');
      else for (const name of applied) print(terminal, `Applied ${name}.`);
    });
}
