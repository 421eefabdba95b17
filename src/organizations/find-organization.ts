import { sql, type Reader } from '../database/index.js';
import { notFound } from '../kernel/errors.js';
import type { Id } from '../kernel/ids.js';

export interface OrganizationInfo {
  readonly id: Id<'org'>;
  readonly name: string;
}

/** Whether a case of the organization must be approved by another person than the one who requested it. */
export async function requiresSecondPerson(reader: Reader, id: Id<'org'>): Promise<boolean> {
  const [organization] = await reader.rows(sql<{ required: boolean }>`
    select require_second_person as required from organizations where id = ${id}`);
  if (!organization) throw notFound('organization');
  return organization.required;
}

/** The organization, or `NOT_FOUND`. */
export async function locateOrganization(reader: Reader, id: Id<'org'>): Promise<OrganizationInfo> {
  const [organization] = await reader.rows(sql<OrganizationInfo>`
    select id, name from organizations where id = ${id}`);
  if (!organization) throw notFound('organization');
  return organization;
}
