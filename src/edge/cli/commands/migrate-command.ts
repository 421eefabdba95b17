import type { Command } from 'commander';
import type { Product } from '../product.js';
import { print, printJson, type Terminal } from '../terminal.js';

export function addMigrateCommand(program: Command, terminal: Terminal, product: Product): void {
  program
    .command('migrate')
    .description('Apply pending database migrations. The gateway also does this when it starts.')
    .option('--serve-as <role>', 'Also grant this database role what `serve` needs, and nothing more.')
    .option('--json', 'Print the applied migrations as JSON.')
    .addHelpText(
      'after',
      `
Examples:
  lucarne migrate
  DATABASE_URL=postgres://lucarne@db/lucarne lucarne migrate --json
  DATABASE_URL=postgres://lucarne@db/lucarne lucarne migrate --serve-as lucarne_serve`,
    )
    .action(async ({ json, serveAs }: { json?: true; serveAs?: string }) => {
      const instead = 'The gateway applied all migrations when it started.';
      const applied = await product.withDatabase({ instead }, async (database) => {
        const names = await database.migrate();
        if (serveAs !== undefined) {
          const { grantServing } = await import('../../../platform/database/index.js');
          await database.transaction((transaction) => grantServing(transaction, serveAs));
        }
        return names;
      });
      if (json) {
        printJson(terminal, serveAs === undefined ? { applied } : { applied, serveAs });
        return;
      }
      if (applied.length === 0) print(terminal, 'The database is up to date.');
      for (const name of applied) print(terminal, `Applied ${name}.`);
      if (serveAs !== undefined) print(terminal, `The role ${serveAs} may serve.`);
    });
}
