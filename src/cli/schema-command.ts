import { readFile, writeFile } from 'node:fs/promises';
import { Option, type Command } from 'commander';
import { CommandFailed } from './command-failed.js';
import { print, type Terminal } from './terminal.js';

const DIRECTORY = new URL('../../schema/', import.meta.url);

export function addSchemaCommand(program: Command, terminal: Terminal): void {
  program
    .command('schema')
    .description('Print the GraphQL schema.')
    .addOption(new Option('--write', 'Write the files of schema/ that are printed.').hideHelp())
    .addOption(
      new Option('--check', 'Fail when a printed file of schema/ is stale.').hideHelp().conflicts('write'),
    )
    .addHelpText('after', '\nExamples:\n  lucarne schema > schema.graphql')
    .action(async (options: { write?: true; check?: true }) => {
      if (!options.write && !options.check) terminal.output.write(await graphqlSchema());
      else if (options.write) await writeFiles(terminal);
      else await checkFiles(terminal);
    });
}

async function writeFiles(terminal: Terminal): Promise<void> {
  for (const [name, text] of await printedFiles()) {
    if ((await present(name)) === text) continue;
    await writeFile(new URL(name, DIRECTORY), text);
    print(terminal, `Wrote schema/${name}.`);
  }
}

async function checkFiles(terminal: Terminal): Promise<void> {
  const stale: string[] = [];
  for (const [name, text] of await printedFiles()) {
    if ((await present(name)) !== text) stale.push(`schema/${name}`);
  }
  if (stale.length > 0) {
    throw new CommandFailed(`Stale: ${stale.join(', ')}. Run "npm run schema" and commit the result.`);
  }
  print(terminal, 'The files of schema/ are fresh.');
}

async function present(name: string): Promise<string | undefined> {
  return readFile(new URL(name, DIRECTORY), 'utf8').catch(() => undefined);
}

/** The files of schema/ that are printed, by name. */
async function printedFiles(): Promise<ReadonlyMap<string, string>> {
  const { printOpenApi } = await import('../rest/index.js');
  const { printDatabaseSchema } = await import('./database-schema.js');
  const { poolsFileSchema } = await import('../relays/index.js');
  return new Map([
    ['schema.graphql', await graphqlSchema()],
    ['openapi.json', printOpenApi()],
    ['database.sql', await printDatabaseSchema()],
    ['pools.schema.json', `${JSON.stringify(await poolsFileSchema(), undefined, 2)}\n`],
  ]);
}

async function graphqlSchema(): Promise<string> {
  const { printGraphqlSchema } = await import('./graphql-schema.js');
  return printGraphqlSchema();
}
