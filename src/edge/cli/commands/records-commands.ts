import type { Command } from 'commander';
import { sqlStateOf } from '../../../platform/database/index.js';
import { CommandFailed } from '../command-failed.js';
import type { Product } from '../product.js';
import { note, print, printJson, type Terminal } from '../terminal.js';

const ACCESS = {
  instead: 'Stop the gateway first: the embedded database serves one process.',
  isLong: true,
  migrated: true,
} as const;

interface MoveOptions {
  readonly before: string;
  readonly tablespace?: string;
  readonly json?: true;
}

const load = () => import('../../../domain/transactions/index.js');

export function addRecordsCommands(program: Command, terminal: Terminal, product: Product): void {
  const group = program
    .command('records')
    .description('Move old records of the ledger into separate parts, while gateways run.')
    .helpCommand(false);
  group
    .command('parts')
    .description('Show the parts that hold the records, the oldest first.')
    .option('--json', 'Print them as JSON.')
    .addHelpText('after', '\nExamples:\n  lucarne records parts')
    .action(({ json }: { readonly json?: true }) =>
      product.withDatabase(ACCESS, async (database) => {
        const { listParts } = await load();
        const parts = await listParts(database);
        if (json) printJson(terminal, parts);
        else
          for (const { name, before, tablespace, estimatedRecords, bytes } of parts)
            print(
              terminal,
              `${name}: ${before === null ? 'new records' : `indexed before ${before.toISOString().slice(0, 10)}`}, ` +
                `about ${estimatedRecords} records, ${Math.ceil(bytes / 2 ** 20)} MiB` +
                `${tablespace === null ? '' : `, in tablespace ${tablespace}`}.`,
            );
      }),
    );
  group
    .command('move')
    .description('Move the records that were indexed before a day. Continues where it was stopped.')
    .requiredOption('--before <day>', 'A past day in UTC, such as 2026-01-01.')
    .option('--tablespace <name>', 'Create the part in this tablespace, for example on a cheaper disk.')
    .option('--json', 'Print how many were moved as JSON.')
    .addHelpText(
      'after',
      `
Run it as the owner of the tables. Nothing that reads records changes: every listing, report and proof has them as before.

Examples:
  lucarne records move --before 2026-01-01
  DATABASE_URL=postgres://lucarne@db/lucarne lucarne records move --before 2026-01-01 --tablespace cold`,
    )
    .action((options: MoveOptions) => move(options, terminal, product));
}

async function move({ before, tablespace, json }: MoveOptions, terminal: Terminal, product: Product) {
  const day = new Date(`${before}T00:00:00.000Z`);
  if (Number.isNaN(day.getTime()) || !day.toISOString().startsWith(`${before}T`))
    throw new CommandFailed('--before must be a day, such as 2026-01-01.', 2);
  const moved = await product.withDatabase(ACCESS, async (database) => {
    const { moveOldRecords } = await load();
    let told = 0;
    try {
      return await moveOldRecords(database, {
        before: day,
        tablespace: tablespace ?? null,
        progress(done) {
          if (done - told < 100_000) return;
          told = done;
          note(terminal, `Moved ${done} records.`);
        },
      });
    } catch (thrown) {
      if (sqlStateOf(thrown) === '42501')
        throw new CommandFailed(
          'Only the owner of the tables can move records. Run the command as that role.',
          1,
          { cause: thrown },
        );
      throw thrown;
    }
  });
  if (json) printJson(terminal, { moved });
  else print(terminal, `Moved ${moved} records that were indexed before ${before}.`);
}
