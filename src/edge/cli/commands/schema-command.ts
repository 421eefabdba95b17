import { readFile, writeFile } from 'node:fs/promises';
import { Option, type Command } from 'commander';
import { ERROR_REASONS } from '../../../platform/kernel/errors.js';
import { packageRoot } from '../../../platform/kernel/package.js';
import { CommandFailed } from '../command-failed.js';
import type { Product } from '../product.js';
import { print, type Terminal } from '../terminal.js';

const DIRECTORY = new URL('schema/', packageRoot);

export function addSchemaCommand(program: Command, terminal: Terminal, product: Product): void {
  program
    .command('schema')
    .description('Print the GraphQL schema.')
    .addOption(new Option('--write', 'Write the files of schema/ that are printed.').hideHelp())
    .addOption(
      new Option('--check', 'Fail if a printed file of schema/ is stale.').hideHelp().conflicts('write'),
    )
    .addHelpText('after', '\nExamples:\n  lucarne schema > schema.graphql')
    .action(async (options: { write?: true; check?: true }) => {
      if (!options.write && !options.check) terminal.output.write(await product.printGraphqlSchema());
      else if (options.write) await writeFiles(terminal, product);
      else await checkFiles(terminal, product);
    });
}

async function writeFiles(terminal: Terminal, product: Product): Promise<void> {
  for (const [name, text] of await printedFiles(product)) {
    if ((await present(name)) === text) continue;
    await writeFile(new URL(name, DIRECTORY), text);
    print(terminal, `Wrote schema/${name}.`);
  }
}

async function checkFiles(terminal: Terminal, product: Product): Promise<void> {
  const stale: string[] = [];
  for (const [name, text] of await printedFiles(product)) {
    if ((await present(name)) !== text) stale.push(`schema/${name}`);
  }
  if (stale.length > 0) {
    throw new CommandFailed(`Stale: ${stale.join(', ')}. Run "npm run schema" and commit the result.`);
  }
  print(terminal, 'The files of schema/ are up to date.');
}

async function present(name: string): Promise<string | undefined> {
  return readFile(new URL(name, DIRECTORY), 'utf8').catch(() => undefined);
}

/** The printed files of schema/, by name. */
async function printedFiles(product: Product): Promise<ReadonlyMap<string, string>> {
  const { printOpenApi } = await import('../../rest/index.js');
  const { poolsFileSchema } = await import('../../../domain/relays/index.js');
  const { PERMISSION_TABLE } = await import('../../../domain/access/index.js');
  const json = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`;
  return new Map([
    ['schema.graphql', await product.printGraphqlSchema()],
    ['openapi.json', printOpenApi()],
    ['database.sql', await product.printDatabaseSchema()],
    ['pools.schema.json', json(await poolsFileSchema())],
    ['permissions.json', json(PERMISSION_TABLE)],
    ['error-reasons.json', json(ERROR_REASONS)],
  ]);
}
