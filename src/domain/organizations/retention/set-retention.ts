import {
  actingAs,
  actorOf,
  MAX_RETENTION_YEARS,
  MIN_RETENTION_YEARS,
  type Principal,
  RETENTION_KINDS,
  lockOrganization,
  requireProposer,
} from '../../access/index.js';
import { recordActivity } from '../../activity-log/index.js';
import { type Foundation, query, type Reader } from '../../../platform/database/index.js';
import { parseOneOf } from '../../../platform/kernel/enums/enums.js';
import { parseMembers } from '../../../platform/kernel/errors.js';
import { parseInteger, parseReason } from '../../../platform/kernel/text.js';
import { withSecondPerson } from '../second-person/with-second-person.js';
import { type RetentionSetting, retentionSettings } from './read-retention.js';
import type { SetRetentionInput } from './retention.type.js';

/** Sets for how many years the organization keeps a kind of data. An unchanged value is not logged. */
export async function setRetention(
  foundation: Foundation,
  principal: Principal | undefined,
  input: Readonly<SetRetentionInput>,
): Promise<RetentionSetting> {
  const caller = requireProposer(foundation, principal, 'setRetention');
  const { organizationId } = caller;
  const { kind, years, reason } = parseMembers({
    kind: () => parseOneOf('kind', RETENTION_KINDS, input.kind),
    years: () => parseInteger('years', input.years, MIN_RETENTION_YEARS, MAX_RETENTION_YEARS),
    reason: () => parseReason(input.reason),
  });
  const settingOf = async (reader: Reader) =>
    (await retentionSettings(reader, organizationId)).find((setting) => setting.kind === kind)!;
  const present = await settingOf(foundation.database);
  if (present.years === years) return present;

  const actor = actorOf(caller);
  const proposal = { operation: 'setRetention', input: { kind, years } } as const;
  return withSecondPerson(foundation, actingAs(caller), proposal, async (transaction) => {
    await lockOrganization(transaction, organizationId);
    const before = await settingOf(transaction);
    await transaction.rows(
      query
        .insertInto('retention_settings')
        .values({ organization_id: organizationId, kind, years })
        .onConflict((row) => row.columns(['organization_id', 'kind']).doUpdateSet({ years })),
    );
    await recordActivity(transaction, {
      organizationId,
      eventType: 'retention.changed',
      actor,
      object: { kind },
      details: { years, years_before: before.years, reason },
      at: foundation.clock.now(),
    });
    return { kind, years, isDefault: false };
  });
}
