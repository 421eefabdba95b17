import {
  holdsApplicationPermission,
  PERMISSION_OF_PROPOSED,
  type PermissionOfProposed,
  type Principal,
  PROPOSED_OPERATIONS,
  requireUser,
  type UserPrincipal,
} from '../access/index.js';
import type { Foundation } from '../../platform/database/index.js';
import { forbidden } from '../../platform/kernel/errors.js';
import type { Id } from '../../platform/kernel/ids.js';
import { openProposals } from './second-person/open-proposals.js';

/** The open proposals, oldest first. Owners who manage policies or members see all; others see those that they may call. */
export async function listProposedOperations(foundation: Foundation, principal: Principal | undefined) {
  const user = requireUser(principal);
  const { owner } = user.grants;
  const seesAll = owner.has('policies:manage') || owner.has('members:manage');
  const callable = PROPOSED_OPERATIONS.map((operation) => ({
    operation,
    ...placesOf(user, operation),
  })).filter(({ everywhere, applicationIds }) => everywhere || applicationIds.length > 0);
  if (!seesAll && callable.length === 0)
    throw forbidden('This needs a permission for an operation that two people must call.');
  return openProposals(
    foundation.database,
    user.organizationId,
    foundation.clock.now(),
    (proposal) =>
      proposal.or([
        proposal.val(seesAll),
        ...callable.map(({ operation, everywhere, applicationIds }) =>
          proposal.and([
            proposal('operation', '=', operation),
            ...(everywhere ? [] : [proposal('application_id', 'in', applicationIds)]),
          ]),
        ),
      ]),
    MAX_PROPOSALS,
  );
}

/** Where the user may call the operation: in the whole organization, or in certain applications. */
function placesOf(user: UserPrincipal, operation: (typeof PROPOSED_OPERATIONS)[number]) {
  const { owner, administrator }: PermissionOfProposed = PERMISSION_OF_PROPOSED[operation];
  return {
    everywhere: owner !== undefined && user.grants.owner.has(owner),
    applicationIds: administrator
      ? ([...user.applications.keys()] as Id<'app'>[]).filter((id) =>
          holdsApplicationPermission(user, id, 'administrator', administrator),
        )
      : [],
  };
}

const MAX_PROPOSALS = 200;
