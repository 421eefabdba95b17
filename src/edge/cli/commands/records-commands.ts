import type { Command } from 'commander';
import type { ArchivedPart } from '../../../domain/transactions/index.js';
import { CommandFailed } from '../command-failed.js';
import { paceOption, shareOf } from '../pace-option.js';
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
  readonly pace?: number;
  readonly json?: true;
}

interface ArchiveOptions {
  readonly before: string;
  readonly to: string;
  readonly json?: true;
}

interface AttachOptions {
  readonly tablespace?: string;
  readonly json?: true;
}

const load = () => import('../../../domain/transactions/index.js');

export function addRecordsCommands(program: Command, terminal: Terminal, product: Product): void {
  const group = program
    .command('records')
    .description(
      'Move old records of the ledger into separate parts, and into cold storage, while gateways run.',
    )
    .helpCommand(false);
  group
    .command('parts')
    .description('Show the parts that hold the records, the oldest first.')
    .option('--json', 'Print them as JSON.')
    .addHelpText('after', '\nExamples:\n  lucarne records parts')
    .action(({ json }: { readonly json?: true }) =>
      product.withDatabase(ACCESS, async (database) => {
        const { listArchives, listParts } = await load();
        const [archives, parts] = [await listArchives(database), await listParts(database)];
        if (json) printJson(terminal, [...archives, ...parts]);
        else {
          for (const archive of archives) print(terminal, archiveLine(archive));
          for (const { name, before, tablespace, estimatedRecords, bytes } of parts)
            print(
              terminal,
              `${name}: ${before === null ? 'new records' : `indexed before ${dateOf(before)}`}, ` +
                `about ${estimatedRecords} records, ${Math.ceil(bytes / 2 ** 20)} MiB` +
                `${tablespace === null ? '' : `, in tablespace ${tablespace}`}.`,
            );
        }
      }),
    );
  group
    .command('move')
    .description('Move the records that were indexed before a day. Continues where it was stopped.')
    .requiredOption('--before <day>', 'A past day in UTC, such as 2026-01-01.')
    .option('--tablespace <name>', 'Create the part in this tablespace, for example on a cheaper disk.')
    .addOption(paceOption())
    .option('--json', 'Print how many were moved as JSON.')
    .addHelpText(
      'after',
      `
Run it as the owner of the tables. Reads do not change: every listing, report and proof includes the moved records.
After each small batch it rests in proportion to how long the batch took. You can stop it and run it again with another pace.

Examples:
  lucarne records move --before 2026-01-01
  DATABASE_URL=postgres://lucarne@db/lucarne lucarne records move --before 2026-01-01 --tablespace cold`,
    )
    .action((options: MoveOptions) => move(options, terminal, product));
  group
    .command('archive')
    .description('Move a part of old records from the database into a file. Continues where it was stopped.')
    .requiredOption('--before <day>', 'The day of the part, as `lucarne records parts` shows it.')
    .requiredOption('--to <file>', 'The file to create. Its directory must exist.')
    .option('--json', 'Print what was archived as JSON.')
    .addHelpText(
      'after',
      `
The file is compared with every record before the part is dropped. From then on it is the only copy. Reads that could
need a record in the file are refused with the reason records_archived until the file is attached again.

Examples:
  lucarne records archive --before 2026-01-01 --to /mnt/cold/records-2026-01-01.jsonl.gz`,
    )
    .action((options: ArchiveOptions) => archive(options, terminal, product));
  group
    .command('attach <file>')
    .description('Put an archived part back into the database. Continues where it was stopped.')
    .option('--tablespace <name>', 'Create the part in this tablespace, for example on a cheaper disk.')
    .option('--json', 'Print what was attached as JSON.')
    .addHelpText('after', '\nExamples:\n  lucarne records attach /mnt/cold/records-2026-01-01.jsonl.gz')
    .action((file: string, options: AttachOptions) => attach(file, options, terminal, product));
}

const archiveLine = ({ name, before, records, fileName, sha256 }: ArchivedPart) =>
  `${name}: indexed before ${dateOf(before)}, ${records} records, in cold storage as ${fileName}, SHA-256 ${sha256}.`;

const dateOf = (day: Date) => day.toISOString().slice(0, 10);

function parseDay(before: string): Date {
  const day = new Date(`${before}T00:00:00.000Z`);
  if (Number.isNaN(day.getTime()) || !day.toISOString().startsWith(`${before}T`))
    throw new CommandFailed('--before must be a day, such as 2026-01-01.', 2);
  return day;
}

async function asOwner<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    const { sqlStateOf } = await import('../../../platform/database/index.js');
    if (sqlStateOf(thrown) === '42501')
      throw new CommandFailed(
        `Only the owner of the tables can ${what} records. Run the command as that role.`,
        1,
        { cause: thrown },
      );
    if (thrown instanceof Error && 'syscall' in thrown)
      throw new CommandFailed(`The file cannot be used: ${thrown.message}.`, 1, { cause: thrown });
    throw thrown;
  }
}

/** Notes each further hundred thousand. */
function progressNotes(terminal: Terminal, verb: string): (done: number) => void {
  let reported = 0;
  return (done) => {
    if (done - reported < 100_000) return;
    reported = done;
    note(terminal, `${verb} ${done} records.`);
  };
}

async function archive({ before, to, json }: ArchiveOptions, terminal: Terminal, product: Product) {
  const day = parseDay(before);
  const archived = await product.withDatabase(ACCESS, async (database) => {
    const { archivePart } = await load();
    const progress = progressNotes(terminal, 'Verified');
    return asOwner('archive', () => archivePart(database, { before: day, file: to, progress }));
  });
  if (json) printJson(terminal, archived);
  else print(terminal, archiveLine(archived));
}

async function attach(
  file: string,
  { tablespace, json }: AttachOptions,
  terminal: Terminal,
  product: Product,
) {
  const attached = await product.withDatabase(ACCESS, async (database) => {
    const { attachPart } = await load();
    const progress = progressNotes(terminal, 'Loaded');
    return asOwner('attach', () => attachPart(database, { file, tablespace: tablespace ?? null, progress }));
  });
  const records = attached?.records ?? 0;
  if (json) printJson(terminal, { attached: records });
  else if (!attached) print(terminal, 'The part is already attached.');
  else print(terminal, `Attached ${records} records that were indexed before ${dateOf(attached.before)}.`);
}

async function move({ before, tablespace, pace, json }: MoveOptions, terminal: Terminal, product: Product) {
  const day = parseDay(before);
  const moved = await product.withDatabase(ACCESS, async (database) => {
    const { moveOldRecords } = await load();
    const progress = progressNotes(terminal, 'Moved');
    return asOwner('move', () =>
      moveOldRecords(database, {
        ...{ before: day, tablespace: tablespace ?? null },
        ...{ share: shareOf(pace, database), progress },
      }),
    );
  });
  if (json) printJson(terminal, { moved });
  else print(terminal, `Moved ${moved} records that were indexed before ${before}.`);
}
