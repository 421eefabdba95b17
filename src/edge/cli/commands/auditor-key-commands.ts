import type { Command } from 'commander';
import { CommandFailed } from '../command-failed.js';
import { ORGANIZATION_OPTION, parseOrganization } from '../organization-option.js';
import type { Product } from '../product.js';
import { readSecret } from '../read-password.js';
import { print, printJson, type Terminal } from '../terminal.js';

interface ImportOptions {
  readonly organization: string;
  readonly reason: string;
  readonly json?: true;
}

export function addAuditorKeyCommands(program: Command, terminal: Terminal, product: Product): void {
  const group = program
    .command('auditor-key')
    .description('Import auditor keys that were created elsewhere.')
    .helpCommand(false);
  group
    .command('import')
    .description('Read an ElGamal keypair from standard input, and store it encrypted as an auditor key.')
    .requiredOption(...ORGANIZATION_OPTION)
    .requiredOption(
      '--reason <text>',
      'The reason, 1 to 2000 characters. It is recorded in the activity log.',
    )
    .option('--json', 'Print the key, without its secret, as JSON.')
    .addHelpText(
      'after',
      `
The keypair is a JSON array of 64 numbers, as Solana’s tools write it, or base64 of 64 bytes, or of the 32 bytes of its
secret. The key reads what was encrypted to it. No asset shows it, and a mint that has it is indexed when it is bound with
“observe”.

Examples:
  lucarne auditor-key import --organization org_… --reason "Mints of our former gateway" < elgamal.json`,
    )
    .action((options: ImportOptions) => importKey(options, terminal, product));
}

async function importKey(options: ImportOptions, terminal: Terminal, product: Product): Promise<void> {
  const organizationId = parseOrganization(options.organization);
  if (terminal.input.isTTY === true)
    throw new CommandFailed('The keypair is read from standard input: add “< elgamal.json”.', 2);
  const keypair = await readSecret(terminal, 'keypair');
  const { importAuditorKey, showAuditorKey } = await import('../../../domain/assets/index.js');
  const { findOrganization } = await import('../../../domain/organizations/index.js');
  const { operatorOf } = await import('../../../domain/access/index.js');
  const instead = 'Use prepareAuditorKeyImport and importAuditorKey in GraphQL while the gateway runs.';
  const key = await product.withFoundation({ instead }, async (foundation) => {
    await findOrganization(foundation.database, organizationId);
    return importAuditorKey(foundation, operatorOf(organizationId), { keypair, reason: options.reason });
  });
  const shown = showAuditorKey(key);
  if (options.json) {
    printJson(terminal, shown);
    return;
  }
  print(terminal, `Auditor key ${shown.epoch} of the organization: ${shown.auditorElGamalPubkey}`);
}
