import { recordActivity } from '../activity-log/index.js';
import { violatedConstraint, type Foundation } from '../database/index.js';
import { badUserInput, conflict } from '../kernel/errors.js';
import { newId } from '../kernel/ids.js';
import { ApplicationRecord } from './application.entity.js';
import type { Application } from './application.js';
import { encodeBase62 } from './base62.js';
import { requireOperatorOr, type Caller } from './operator.js';
import { parseText } from '../kernel/text.js';

const FOREIGN_ID = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** A new application of the organization. A `foreignId` that is taken is `CONFLICT`. */
export async function createApplication(
  foundation: Foundation,
  caller: Caller,
  input: { readonly foreignId: string; readonly name: string },
): Promise<Application> {
  const { organizationId, actor } = requireOperatorOr(caller, 'applications:create');
  if (!FOREIGN_ID.test(input.foreignId)) {
    throw badUserInput(
      'foreignId must be 1 to 63 lower-case letters, digits and hyphens, the first no hyphen.',
    );
  }
  const application: Application = {
    id: newId('app'),
    organizationId,
    foreignId: input.foreignId,
    name: parseText('name', input.name, 128),
    checkApplicationId: `check_${encodeBase62(foundation.random(16), 22)}`,
    createdAt: foundation.clock.now(),
  };
  return foundation.database.transaction(async (transaction) => {
    try {
      await transaction.em.insert(ApplicationRecord, application);
    } catch (thrown) {
      if (violatedConstraint(thrown) === 'applications_organization_id_foreign_id_key') {
        throw conflict('foreignId is taken by another application.', { cause: thrown });
      }
      throw thrown;
    }
    await recordActivity(transaction, {
      organizationId,
      eventType: 'application.created',
      actor,
      object: { foreign_id: application.foreignId, name: application.name },
      application: { id: application.id, foreignId: application.foreignId },
      at: application.createdAt,
    });
    return application;
  });
}
