import type { Command } from 'commander';
import type { Foundation } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import type { ApiKey } from '../../../domain/organizations/index.js';
import type { Operator } from '../../../domain/access/index.js';
import { CommandFailed } from '../command-failed.js';
import { ORGANIZATION_OPTION, parseOrganization } from '../organization-option.js';
import type { Product } from '../product.js';
import { note, print, printJson, type Terminal } from '../terminal.js';

interface CommonOptions {
  readonly organization: string;
  readonly json?: true;
}

interface CreateOptions extends CommonOptions {
  readonly name: string;
  readonly scope: readonly string[];
  readonly expires?: string;
}

export function addApiKeyCommands(program: Command, terminal: Terminal, product: Product): void {
  const group = program
    .command('api-key')
    .description('Create, list and revoke API keys of an organization.')
    .helpCommand(false);
  group
    .command('create')
    .description('Create an API key and print its secret. It is shown only once.')
    .requiredOption(...ORGANIZATION_OPTION)
    .requiredOption('--name <name>', 'Purpose of the key, 1 to 128 characters.')
    .requiredOption(
      '--scope <scopes...>',
      'Scopes of the key, such as assets:read. An unknown scope prints the list of all scopes.',
    )
    .option('--expires <time>', 'When the key expires, in ISO 8601. Without it the key does not expire.')
    .option('--json', 'Print the key and its secret as JSON.')
    .addHelpText(
      'after',
      `
Examples:
  lucarne api-key create --organization org_… --name "Billing" --scope assets:read transactions:read
  lucarne api-key create --organization org_… --name "Audit" --scope disclosures:read disclosures:write \\
    --expires 2027-01-01T00:00:00Z --json`,
    )
    .action((options: CreateOptions) => createKey(options, terminal, product));
  group
    .command('list')
    .description('List the API keys, including revoked ones, without their secrets.')
    .requiredOption(...ORGANIZATION_OPTION)
    .option('--json', 'Print the keys as JSON.')
    .addHelpText('after', '\nExamples:\n  lucarne api-key list --organization org_… --json')
    .action((options: CommonOptions) => listKeys(options, terminal, product));
  group
    .command('revoke')
    .description('Revoke an API key permanently. Its next request is refused.')
    .argument('<key>', 'Id of the key (key_…), as “api-key list” prints it.')
    .requiredOption(...ORGANIZATION_OPTION)
    .option('--json', 'Print the revoked key as JSON.')
    .addHelpText('after', '\nExamples:\n  lucarne api-key revoke key_… --organization org_…')
    .action((key: string, options: CommonOptions) => revokeKey(key, options, terminal, product));
}

async function createKey(options: CreateOptions, terminal: Terminal, product: Product): Promise<void> {
  const expiresAt = options.expires === undefined ? null : parseTime(options.expires);
  const { apiKey, secret } = await asOperator(
    product,
    options,
    'createApiKey',
    (foundation, operator, rooms) =>
      rooms.createApiKey(foundation, operator, { name: options.name, scopes: options.scope, expiresAt }),
  );
  if (options.json) {
    printJson(terminal, { ...apiKey, secret });
    return;
  }
  note(
    terminal,
    `API key ${apiKey.id} (${apiKey.scopes.join(', ')}). This is the only time its secret is shown:`,
  );
  print(terminal, secret);
}

async function listKeys(options: CommonOptions, terminal: Terminal, product: Product): Promise<void> {
  const keys = await asOperator(product, options, 'apiKeys', async (foundation, operator, rooms) => {
    const all: ApiKey[] = [];
    for (let after: string | null = null; ;) {
      const page = await rooms.listApiKeys(foundation, operator, { first: 200, after });
      all.push(...page.nodes);
      if (!page.pageInfo.hasNextPage) return all;
      after = page.pageInfo.endCursor;
    }
  });
  if (options.json) {
    printJson(terminal, keys);
    return;
  }
  if (keys.length === 0) {
    note(terminal, 'The organization has no API keys.');
    return;
  }
  for (const key of keys) {
    print(
      terminal,
      [key.id, `${key.displayPrefix}…`, stateOf(key, new Date()), key.scopes.join(','), key.name].join('  '),
    );
  }
}

async function revokeKey(
  key: string,
  options: CommonOptions,
  terminal: Terminal,
  product: Product,
): Promise<void> {
  const revoked = await asOperator(product, options, 'revokeApiKey', (foundation, operator, rooms) =>
    rooms.revokeApiKey(foundation, operator, key),
  );
  if (options.json) {
    printJson(terminal, revoked);
    return;
  }
  print(terminal, `API key ${revoked.id} (${revoked.name}) is revoked.`);
}

type Rooms = typeof import('../../../domain/organizations/index.js');

async function asOperator<Result>(
  product: Product,
  options: CommonOptions,
  graphqlField: string,
  work: (foundation: Foundation, operator: Operator, rooms: Rooms) => Promise<Result>,
): Promise<Result> {
  const organizationId: Id<'org'> = parseOrganization(options.organization);
  const rooms = await import('../../../domain/organizations/index.js');
  const { operatorOf } = await import('../../../domain/access/index.js');
  const instead = `Use ${graphqlField} in GraphQL while the gateway runs.`;
  return product.withFoundation({ instead }, async (foundation) => {
    await rooms.findOrganization(foundation.database, organizationId);
    return work(foundation, operatorOf(organizationId), rooms);
  });
}

function stateOf(key: ApiKey, now: Date): string {
  if (key.revokedAt) return `revoked ${key.revokedAt.toISOString()}`;
  if (!key.expiresAt) return 'active';
  return `${key.expiresAt > now ? 'active until' : 'expired'} ${key.expiresAt.toISOString()}`;
}

// `Date` accepts more formats than ISO 8601, and reads some of them in the machine's time zone.
function parseTime(text: string): Date {
  const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/.test(text)
    ? new Date(text)
    : new Date(Number.NaN);
  if (Number.isNaN(time.getTime())) {
    throw new CommandFailed(`--expires must be an ISO 8601 time such as 2027-01-01T00:00:00Z.`, 2);
  }
  return time;
}
