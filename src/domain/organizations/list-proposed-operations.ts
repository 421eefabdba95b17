import { type Principal, ProposedOperationEntity, requireUser } from '../access/index.js';
import { columnsOf, type Foundation, query } from '../../platform/database/index.js';
import { forbidden } from '../../platform/kernel/errors.js';

/** What one person proposed and another has not called yet, oldest first. For members who hold an owner permission. */
export async function listProposedOperations(foundation: Foundation, principal: Principal | undefined) {
  const { organizationId, grants } = requireUser(principal);
  const holds = grants.owner.has('policies:manage') || grants.owner.has('members:manage');
  if (!holds) throw forbidden('This needs the owner permission policies:manage or members:manage.');
  return foundation.database.rows(
    query
      .selectFrom('proposed_operations')
      .select(
        columnsOf(ProposedOperationEntity, ['operation', 'input', 'proposedBy', 'proposedAt', 'expiresAt']),
      )
      .where('organization_id', '=', organizationId)
      .where('expires_at', '>', foundation.clock.now())
      .orderBy('proposed_at')
      .limit(MAX_PROPOSALS),
  );
}

const MAX_PROPOSALS = 200;
