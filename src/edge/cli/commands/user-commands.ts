import type { Command } from 'commander';
import type { PermissionSetInput } from '../../../domain/access/index.js';
import { CommandFailed } from '../command-failed.js';
import { ORGANIZATION_OPTION, parseOrganization } from '../organization-option.js';
import { PASSWORD_OPTION, readNewPassword } from '../read-password.js';
import type { Product } from '../product.js';
import { print, printJson, type Terminal } from '../terminal.js';

interface CreateOptions {
  readonly organization: string;
  readonly name: string;
  readonly email: string;
  readonly role: readonly string[];
  readonly passwordStdin?: true;
  readonly json?: true;
}

export function addUserCommands(program: Command, terminal: Terminal, product: Product): void {
  const group = program.command('user').description('Create users.').helpCommand(false);
  group
    .command('create')
    .description('Create a member of an organization with every permission of the given roles.')
    .requiredOption(...ORGANIZATION_OPTION)
    .requiredOption('--name <name>', 'Display name of the user.')
    .requiredOption('--email <email>', 'E-mail address the user signs in with.')
    .option(
      '--role <role>',
      'owner, administrator:<foreignId> or auditor:<foreignId> of an application. Repeatable.',
      (role: string, roles: readonly string[]) => [...roles, role],
      [] as readonly string[],
    )
    .option(...PASSWORD_OPTION)
    .option('--json', 'Print the user as JSON.')
    .addHelpText(
      'after',
      `
Without --role the user has no permissions. To set single permissions, use the GraphQL mutation setPermissions.

Examples:
  lucarne user create --organization org_… --name "Ana Auditor" --email ana@northwind.example --role auditor:payments
  lucarne user create --organization org_… --name "Otto Owner" --email otto@northwind.example --role owner \\
    --password-stdin --json < password.txt`,
    )
    .action((options: CreateOptions) => createUser(options, terminal, product));
}

async function createUser(options: CreateOptions, terminal: Terminal, product: Product): Promise<void> {
  const organizationId = parseOrganization(options.organization);
  const roles = options.role.map(parseRole);
  const password = await readNewPassword(terminal, { ...options, whose: options.email });
  const organizations = await import('../../../domain/organizations/index.js');
  const { operatorOf, PERMISSIONS } = await import('../../../domain/access/index.js');
  const instead = 'Use the GraphQL mutation inviteMember while the gateway runs.';
  const member = await product.withFoundation({ instead }, async (foundation) => {
    await organizations.findOrganization(foundation.database, organizationId);
    return organizations.addMember(foundation, operatorOf(organizationId), {
      name: options.name,
      email: options.email,
      password,
      permissions: permissionsOf(roles, PERMISSIONS),
    });
  });
  if (options.json) {
    printJson(terminal, member);
    return;
  }
  print(terminal, `User ${member.name} <${member.email}>: ${member.id}`);
}

type Role =
  { readonly bucket: 'owner' } | { readonly bucket: 'administrator' | 'auditor'; readonly foreignId: string };

function parseRole(text: string): Role {
  if (text === 'owner') return { bucket: 'owner' };
  const [, bucket, foreignId] = /^(administrator|auditor):(.+)$/.exec(text) ?? [];
  if ((bucket === 'administrator' || bucket === 'auditor') && foreignId !== undefined) {
    return { bucket, foreignId };
  }
  throw new CommandFailed(
    `--role must be owner, administrator:<foreignId> or auditor:<foreignId>, not “${text}”.`,
    2,
  );
}

type Permissions = Readonly<Record<'owner' | 'common' | 'administrator' | 'auditor', readonly string[]>>;

/** Every permission of the roles. Anyone with a role in an application also gets its common permissions. */
function permissionsOf(roles: readonly Role[], all: Permissions): PermissionSetInput {
  const applications = new Map<string, { administrator?: readonly string[]; auditor?: readonly string[] }>();
  for (const role of roles) {
    if (role.bucket === 'owner') continue;
    const held = applications.get(role.foreignId) ?? {};
    applications.set(role.foreignId, { ...held, [role.bucket]: all[role.bucket] });
  }
  return {
    owner: roles.some(({ bucket }) => bucket === 'owner') ? all.owner : [],
    applications: [...applications].map(([foreignId, held]) => ({ foreignId, common: all.common, ...held })),
  };
}
