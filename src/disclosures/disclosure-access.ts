import type { Foundation } from '../database/index.js';
import { notFound } from '../kernel/errors.js';
import { locateId, type Id } from '../kernel/ids.js';
import {
  holdsApplicationPermission,
  requirePrincipal,
  requireScope,
  type Principal,
} from '../organizations/index.js';
import { selectDisclosures, type Disclosure } from './disclosure.js';

/** What a caller may see: of which assets, and whether results too. */
export interface DisclosureAccess {
  readonly organizationId: Id<'org'>;
  /** Absent: every asset of the organization. */
  readonly applicationIds?: readonly string[];
  readonly results: boolean;
}

/**
 * `disclosures:read` sees all. An administrator who decides for applications sees the disclosures of their assets,
 * without results: deciding does not need the plaintext.
 */
export function disclosureAccess(principal: Principal | undefined): DisclosureAccess {
  const present = requirePrincipal(principal);
  const { organizationId } = present;
  if (present.kind === 'user' && !present.grants.owner.has('disclosures:decide')) {
    const applicationIds = [...present.grants.applications.keys()].filter((applicationId) =>
      holdsApplicationPermission(present, applicationId, 'administrator', 'disclosures:decide'),
    );
    if (applicationIds.length > 0) return { organizationId, applicationIds, results: false };
  }
  requireScope(present, 'disclosures:read');
  return { organizationId, results: true };
}

/** A disclosure as one caller may see it. */
export interface VisibleDisclosure extends Disclosure {
  readonly resultVisible: boolean;
}

/** The disclosure, when the caller may see it; otherwise it is as if it were not there. */
export async function locateDisclosure(
  { database }: Pick<Foundation, 'database'>,
  { organizationId, applicationIds, results }: DisclosureAccess,
  disclosureId: string,
): Promise<VisibleDisclosure> {
  const id = locateId('dsc', disclosureId);
  const [disclosure] = await selectDisclosures(database, { organizationId, applicationIds, id });
  if (!disclosure) throw notFound('disclosure');
  return { ...disclosure, resultVisible: results };
}
