import type { Command } from 'commander';
import { ORGANIZATION_OPTION, parseOrganization } from '../organization-option.js';
import { PASSWORD_OPTION, readNewPassword } from '../read-password.js';
import type { Product } from '../product.js';
import { print, printJson, type Terminal } from '../terminal.js';

interface CreateOptions {
  readonly name: string;
  readonly ownerName: string;
  readonly ownerEmail: string;
  readonly passwordStdin?: true;
  readonly json?: true;
}

interface RetentionOptions {
  readonly organization: string;
  readonly json?: true;
}

export function addOrganizationCommands(program: Command, terminal: Terminal, product: Product): void {
  const group = program
    .command('organization')
    .description('Create organizations, and show how long they keep their data.')
    .helpCommand(false);
  group
    .command('create')
    .description('Create an organization and its first owner, who holds every owner permission.')
    .requiredOption('--name <name>', 'Display name of the organization, 1 to 128 characters.')
    .requiredOption('--owner-name <name>', 'Display name of the owner.')
    .requiredOption('--owner-email <email>', 'E-mail address the owner signs in with.')
    .option(...PASSWORD_OPTION)
    .option('--json', 'Print the organization as JSON.')
    .addHelpText(
      'after',
      `
The command asks for the owner's password, which must have at least 12 characters.

Examples:
  lucarne organization create --name "Northwind" --owner-name "Olga Owner" --owner-email olga@northwind.example
  lucarne organization create --name "Northwind" --owner-name "Olga Owner" --owner-email olga@northwind.example \\
    --password-stdin --json < password.txt`,
    )
    .action((options: CreateOptions) => createOrganization(options, terminal, product));
  group
    .command('retention')
    .description(
      'Show for how many years an organization keeps its data, and its legal holds that are in force.',
    )
    .requiredOption(...ORGANIZATION_OPTION)
    .option('--json', 'Print everything as JSON.')
    .addHelpText(
      'after',
      `
Owners change both, in the portal or in GraphQL. The log of the organization has every change, with its reason.

Examples:
  lucarne organization retention --organization org_…`,
    )
    .action((options: RetentionOptions) => showRetention(options, terminal, product));
}

async function showRetention(options: RetentionOptions, terminal: Terminal, product: Product): Promise<void> {
  const organizationId = parseOrganization(options.organization);
  const { findOrganization, readRetention } = await import('../../../domain/organizations/index.js');
  const { operatorOf } = await import('../../../domain/access/index.js');
  const instead = 'Read “retention” in GraphQL while the gateway runs.';
  const { settings, legalHolds } = await product.withDatabase(
    { instead, migrated: true },
    async (database) => {
      await findOrganization(database, organizationId);
      return readRetention({ database }, operatorOf(organizationId));
    },
  );
  if (options.json) {
    printJson(terminal, { settings, legalHolds });
    return;
  }
  for (const { kind, years, isDefault } of settings)
    print(terminal, `${kind}: ${years} years${isDefault ? ', by default' : ''}`);
  for (const { id, kinds, until, placedBy, placedAt, reason } of legalHolds)
    print(
      terminal,
      `${id}: ${kinds.join(', ')}, ${until ? `until ${until.toISOString()}` : 'until it is released'}, ` +
        `placed by ${placedBy} on ${placedAt.toISOString()}: ${reason}`,
    );
  if (legalHolds.length === 0) print(terminal, 'No legal hold is in force.');
}

async function createOrganization(
  options: CreateOptions,
  terminal: Terminal,
  product: Product,
): Promise<void> {
  const password = await readNewPassword(terminal, { ...options, whose: options.ownerEmail });
  const organizations = await import('../../../domain/organizations/index.js');
  const instead = 'Stop the gateway first. With DATABASE_URL this command also works while a gateway runs.';
  const made = await product.withFoundation({ instead }, (foundation) =>
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
