import { isId, type Id } from '../../platform/kernel/ids.js';
import { CommandFailed } from './command-failed.js';

export const ORGANIZATION_OPTION = [
  '--organization <id>',
  'Id of the organization (org_…), as printed by “organization create”.',
] as const;

export function parseOrganization(text: string): Id<'org'> {
  if (isId('org', text)) return text;
  throw new CommandFailed('--organization must be the id of an organization (org_…).', 2);
}
