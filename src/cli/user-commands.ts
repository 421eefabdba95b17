import type { Command } from 'commander';
import type { PermissionSetInput } from '../organizations/index.js';
import { CommandFailed } from './command-failed.js';
import { parseOrganization, ORGANIZATION_OPTION } from './organization-option.js';
import { PASSWORD_OPTION, readNewPassword } from './read-password.js';
import { print, printJson, type Terminal } from './terminal.js';

interface CreateOptions {
  readonly organization: string;
  readonly name: string;
  readonly email: string;
  readonly role: readonly string[];
  readonly passwordStdin?: true;
  readonly json?: true;
}

export function addUserCommands(program: Command, terminal: Terminal): void {
  const group = program.command('user').description('Make users.').helpCommand(false);
  group
    .command('create')
    .description('Make a user of an organization, with every permission of the given roles.')
    .requiredOption(...ORGANIZATION_OPTION)
    .requiredOption('--name <name>', 'Display name of the user.')
    .requiredOption('--email <email>', 'E-mail address with which the user signs in.')
    .option(
      '--role <role>',
      'owner, administrator:<foreignId> or auditor:<foreignId> of an application; may be repeated.',
      (role: string, roles: readonly string[]) => [...roles, role],
      [] as readonly string[],
    )
    .option(...PASSWORD_OPTION)
    .option('--json', 'Print the user as JSON.')
    .addHelpText(
      'after',
      `
Without --role the user holds nothing yet. Single permissions are set with the GraphQL mutation setPermissions.

Examples:
  lucarne user create --organization org_… --name "Ana Auditor" --email ana@northwind.example --role auditor:payments
  lucarne user create --organization org_… --name "Otto Owner" --email otto@northwind.example --role owner \\
    --password-stdin --json < password.txt`,
    )
    .action((options: CreateOptions) => createUser(options, terminal));
}

async function createUser(options: CreateOptions, terminal: Terminal): Promise<void> {
  const organizationId = parseOrganization(options.organization);
  const roles = options.role.map(parseRole);
  const password = await readNewPassword(terminal, { ...options, whose: options.email });
  const { withFoundation } = await import('./open-foundation.js');
  const organizations = await import('../organizations/index.js');
  const instead = 'While it runs, the GraphQL mutation addMember does the same.';
  const member = await withFoundation({ instead }, async (foundation) => {
    await organizations.locateOrganization(foundation.database, organizationId);
    return organizations.addMember(foundation, organizations.operatorOf(organizationId), {
      name: options.name,
      email: options.email,
      password,
      permissions: permissionsOf(roles, organizations.PERMISSIONS),
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

/** Everything that the roles' buckets hold; who works in an application also holds its common permissions. */
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
