import {
  actorOf,
  lockOrganization,
  type Principal,
  requireActingSession,
  requireUser,
  WAIT_OF_PROPOSED_MS,
} from '../../access/index.js';
import { recordActivity } from '../../activity-log/index.js';
import { type Foundation, query } from '../../../platform/database/index.js';
import { canonicalJson } from '../../../platform/kernel/encoding/json.js';
import { conflict, notFound } from '../../../platform/kernel/errors.js';
import { parseIdOrNotFound } from '../../../platform/kernel/ids.js';
import { openProposals, type OpenProposal } from './open-proposals.js';

/** Withdraws the caller's own proposal while it waits for a second person. The proposal of another person is `NOT_FOUND`. */
export async function withdrawProposal(
  foundation: Foundation,
  principal: Principal | undefined,
  proposal: string,
): Promise<OpenProposal> {
  const user = requireUser(principal);
  const { organizationId, userId } = user;
  const id = parseIdOrNotFound('prp', proposal);
  return foundation.database.transaction(async (transaction) => {
    // As the second person's call does: one of the two comes first.
    await lockOrganization(transaction, organizationId);
    await requireActingSession(transaction, user);
    const at = foundation.clock.now();
    const own = await openProposals(transaction, organizationId, at, (proposal) =>
      proposal('proposed_by', '=', userId),
    );
    const found = own.find((one) => one.id === id);
    if (!found) throw notFound('proposal');
    const { operation, input } = found;
    if (WAIT_OF_PROPOSED_MS[operation] !== undefined)
      throw conflict(
        `A proposal of ${operation} cannot be withdrawn: made again, it would let the others wait without end. It expires 72 hours after it was made.`,
      );
    await transaction.rows(
      query
        .deleteFrom('proposed_operations')
        .where('organization_id', '=', organizationId)
        .where('operation', '=', operation)
        .where('input_digest', '=', found.inputDigest),
    );
    await recordActivity(transaction, {
      organizationId,
      eventType: 'operation.withdrawn',
      actor: actorOf(user),
      object: { operation },
      details: { input: canonicalJson(input) },
      at,
    });
    return found;
  });
}
