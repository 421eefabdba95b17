import { query, type Reader } from '../../platform/database/index.js';
import { notFound } from '../../platform/kernel/errors.js';
import type { Id } from '../../platform/kernel/ids.js';

export interface OrganizationInfo {
  readonly id: Id<'org'>;
  readonly name: string;
}

/** The organization, or `NOT_FOUND`. */
export async function findOrganization(reader: Reader, id: Id<'org'>): Promise<OrganizationInfo> {
  const [organization] = await reader.rows(
    query.selectFrom('organizations').select(['id', 'name']).where('id', '=', id),
  );
  if (!organization) throw notFound('organization');
  return organization;
}
