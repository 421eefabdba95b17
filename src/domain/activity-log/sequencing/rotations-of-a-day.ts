import { query, type Transaction } from '../../../platform/database/index.js';
import { tooManyRequests } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';

const MAX_ROTATIONS_PER_DAY = 4;
const DAY_MS = 86_400_000;

/**
 * One person could otherwise use up all rotations at once, before anyone else sees it in the log. The caller holds the log.
 * @throws `TOO_MANY_REQUESTS`
 */
export async function requireFewRotationsToday(
  transaction: Transaction,
  organizationId: Id<'org'>,
  at: Date,
): Promise<void> {
  const today = await transaction.rows(
    query
      .selectFrom('signing_keys')
      .select('created_at as createdAt')
      .where('organization_id', '=', organizationId)
      .where('epoch', '>', 1)
      .orderBy('epoch', 'desc')
      .limit(MAX_ROTATIONS_PER_DAY),
  );
  const oldest = today[MAX_ROTATIONS_PER_DAY - 1];
  if (!oldest) return;
  const waitMs = oldest.createdAt.getTime() + DAY_MS - at.getTime();
  if (waitMs > 0)
    throw tooManyRequests(
      `The signing key of a log can be rotated at most ${MAX_ROTATIONS_PER_DAY} times in 24 hours. Try again later.`,
      Math.ceil(waitMs / 1000),
    );
}
