import type { Foundation } from '../../platform/database/index.js';
import { notFound } from '../../platform/kernel/errors.js';
import { type Id, parseIdOrNotFound } from '../../platform/kernel/ids.js';
import {
  holdsApplicationPermission,
  type Principal,
  requirePrincipal,
  requireScope,
} from '../access/index.js';
import { type Disclosure, selectDisclosures } from './disclosure.js';

/** The disclosures that a caller may see, and whether their results are included. */
export interface DisclosureAccess {
  readonly organizationId: Id<'org'>;
  /** Only disclosures of assets of these applications. Absent for the assets of the whole organization. */
  readonly applicationIds?: readonly Id<'app'>[];
  readonly results: boolean;
}

/**
 * `disclosures:read` sees all. An administrator who decides for applications sees the disclosures of their assets,
 * without results, because deciding does not need the plaintext.
 */
export function disclosureAccess(principal: Principal | undefined): DisclosureAccess {
  const present = requirePrincipal(principal);
  const { organizationId } = present;
  if (present.kind === 'user' && !present.grants.owner.has('disclosures:decide')) {
    const applicationIds = ([...present.grants.applications.keys()] as Id<'app'>[]).filter((applicationId) =>
      holdsApplicationPermission(present, applicationId, 'administrator', 'disclosures:decide'),
    );
    if (applicationIds.length > 0) return { organizationId, applicationIds, results: false };
  }
  requireScope(present, 'disclosures:read');
  return { organizationId, results: true };
}

/** A disclosure as a caller may see it. */
export interface VisibleDisclosure extends Disclosure {
  readonly resultVisible: boolean;
}

/** The disclosure, or `NOT_FOUND` if the caller may not see one with this id. */
export async function findVisibleDisclosure(
  { database }: Pick<Foundation, 'database'>,
  { organizationId, applicationIds, results }: DisclosureAccess,
  disclosureId: string,
): Promise<VisibleDisclosure> {
  const id = parseIdOrNotFound('dsc', disclosureId);
  const [disclosure] = await selectDisclosures(database, { organizationId, applicationIds, id });
  if (!disclosure) throw notFound('disclosure');
  return { ...disclosure, resultVisible: results };
}
