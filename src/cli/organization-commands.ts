import type { Command } from 'commander';
import { PASSWORD_OPTION, readNewPassword } from './read-password.js';
import { print, printJson, type Terminal } from './terminal.js';

interface CreateOptions {
  readonly name: string;
  readonly ownerName: string;
  readonly ownerEmail: string;
  readonly passwordStdin?: true;
  readonly json?: true;
}

export function addOrganizationCommands(program: Command, terminal: Terminal): void {
  const group = program.command('organization').description('Make organizations.').helpCommand(false);
  group
    .command('create')
    .description('Make an organization and its owner, who holds every owner permission.')
    .requiredOption('--name <name>', 'Display name of the organization, 1 to 128 characters.')
    .requiredOption('--owner-name <name>', 'Display name of its owner.')
    .requiredOption('--owner-email <email>', 'E-mail address with which the owner signs in.')
    .option(...PASSWORD_OPTION)
    .option('--json', 'Print the organization as JSON.')
    .addHelpText(
      'after',
      `
The owner's password has at least 12 characters and is never an argument.

Examples:
  lucarne organization create --name "Northwind" --owner-name "Olga Owner" --owner-email olga@northwind.example
  lucarne organization create --name "Northwind" --owner-name "Olga Owner" --owner-email olga@northwind.example \\
    --password-stdin --json < password.txt`,
    )
    .action((options: CreateOptions) => createOrganization(options, terminal));
}

async function createOrganization(options: CreateOptions, terminal: Terminal): Promise<void> {
  const password = await readNewPassword(terminal, { ...options, whose: options.ownerEmail });
  const { withFoundation } = await import('./open-foundation.js');
  const organizations = await import('../organizations/index.js');
  const instead = 'Organizations are made here only: with DATABASE_URL, this works beside a running gateway.';
  const made = await withFoundation({ instead }, (foundation) =>
    organizations.createOrganization(foundation, {
      name: options.name,
      owner: { name: options.ownerName, email: options.ownerEmail, password },
    }),
  );
  if (options.json) {
    printJson(terminal, made);
    return;
  }
  print(terminal, `Organization ${made.name}: ${made.id}`);
  print(terminal, `Owner ${made.owner.name} <${made.owner.email}>: ${made.owner.id}`);
}
