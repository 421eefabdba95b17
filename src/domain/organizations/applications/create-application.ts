import {
  type Application,
  ApplicationEntity,
  type Caller,
  encodeBase62,
  requireOperatorOr,
  requireOperatorOrStill,
} from '../../access/index.js';
import { recordActivity } from '../../activity-log/index.js';
import { type Foundation, query, valuesOf, violatedConstraint } from '../../../platform/database/index.js';
import { conflict, invalidMember, parseMembers } from '../../../platform/kernel/errors.js';
import { newId } from '../../../platform/kernel/ids.js';
import { parseName } from '../../../platform/kernel/text.js';

const FOREIGN_ID = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** Creates an application of the organization. A `foreignId` that is in use is `CONFLICT`. */
export async function createApplication(
  foundation: Foundation,
  caller: Caller,
  input: { readonly foreignId: string; readonly name: string },
): Promise<Application> {
  const acting = requireOperatorOr(caller, 'applications:create');
  const { organizationId, actor } = acting;
  const { foreignId, name } = parseMembers({
    foreignId: () => parseForeignId(input.foreignId),
    name: () => parseName('name', input.name, 128),
  });
  const application: Application = {
    id: newId('app'),
    organizationId,
    foreignId,
    name,
    checkApplicationId: `check_${encodeBase62(foundation.random(16), 22)}`,
    createdAt: foundation.clock.now(),
  };
  return foundation.database.transaction(async (transaction) => {
    await requireOperatorOrStill(transaction, acting, 'applications:create');
    try {
      await transaction.rows(
        query.insertInto('applications').values(valuesOf(ApplicationEntity, application)),
      );
    } catch (thrown) {
      if (violatedConstraint(thrown) === 'applications_organization_id_foreign_id_key') {
        throw conflict('foreignId is already used by another application.', { cause: thrown });
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

function parseForeignId(value: string): string {
  if (FOREIGN_ID.test(value)) return value;
  throw invalidMember(
    'foreignId',
    'must be 1 to 63 lower-case letters, digits and hyphens, and not begin with a hyphen',
  );
}
