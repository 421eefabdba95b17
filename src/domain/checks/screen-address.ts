import { hex } from '../../platform/kernel/encoding/bytes.js';
import { query, type Reader, valuesOf } from '../../platform/database/index.js';
import { newId, type Id } from '../../platform/kernel/ids.js';
import { metadataHash, type AddressCheck } from './address-check.js';
import { readAddressRules } from './addresses/address-policy.js';
import type { CheckDesk } from './check-desk.js';
import { decideCheck, decideScreening, type CheckDecision, type ScreenedBy } from './check-rules.js';
import type { CheckSubject } from './check-subject.js';
import { AddressCheckEntity } from './check.entity.js';
import type { ScreeningAnswer, ScreeningProvider } from './screening/screening-provider.js';

/**
 * Whether the application may deal with the address, as a recorded check. It runs every screening step and can take as long
 * as they may; no transaction is open meanwhile. A failed screening is a result, not an error: the check has the reason
 * `screening_unavailable`.
 *
 * @throws `UNAVAILABLE` if the check cannot be recorded; there is then no check.
 */
export async function screenAddress(
  desk: CheckDesk,
  subject: CheckSubject,
  /** The network of the client who asked, if a client waits for the answer. */
  client?: string,
): Promise<AddressCheck> {
  const { database } = desk.foundation;
  const application = await findCheckedApplication(database, subject.checkApplicationId);
  const screened = application ? await askInOrder(desk, subject.address, client) : [];
  // Read after the screening, so that revocations during the screening are included.
  const rules = application && (await readAddressRules(database, application.id, subject));
  return record(desk, { ...subject, ...decideCheck(rules, screened), screened, rules, application });
}

/**
 * Checks whether the screening steps clear an address, without an application, and records the check.
 *
 * @throws `UNAVAILABLE` if the check cannot be recorded.
 */
export async function screenWithoutApplication(
  desk: CheckDesk,
  { network, address }: Pick<CheckSubject, 'network' | 'address'>,
): Promise<AddressCheck> {
  const screened = await askInOrder(desk, address);
  return record(desk, { network, address, checkApplicationId: null, ...decideScreening(screened), screened });
}

interface Decided extends Pick<CheckSubject, 'network' | 'address'>, CheckDecision {
  readonly checkApplicationId: string | null;
  readonly screened: readonly Screened[];
  readonly rules?: { readonly policyVersion: number } | undefined;
  readonly application?: CheckedApplication | undefined;
}

async function record(desk: CheckDesk, decided: Decided): Promise<AddressCheck> {
  const { database, clock } = desk.foundation;
  const { network, address, checkApplicationId, approved, reason, decidedBy } = decided;
  const { screened, rules, application } = decided;
  const asked = {
    ...{ network, address, checkApplicationId, approved, reason, decidedBy },
    policyVersion: rules?.policyVersion ?? null,
    listVersion: screened.find(({ listVersion }) => listVersion !== undefined)?.listVersion ?? null,
    checkedAt: clock.now(),
  };
  const hash = metadataHash(asked);
  const check: AddressCheck = { ...asked, id: newId('chk'), metadataHash: hex.encode(hash) };

  await database.transaction(async (transaction) => {
    await transaction.rows(
      query.insertInto('address_checks').values(
        valuesOf(AddressCheckEntity, {
          ...check,
          organizationId: application?.organizationId ?? null,
          applicationId: application?.id ?? null,
          metadataHash: hash,
        }),
      ),
    );
    transaction.afterCommit(() => desk.metrics.checked(check.reason));
  });
  return check;
}

interface Screened extends ScreenedBy, ScreeningAnswer {}

/** Runs the steps in order, up to the first that does not clear the address. */
async function askInOrder(
  desk: CheckDesk,
  address: CheckSubject['address'],
  client?: string,
): Promise<Screened[]> {
  const screened: Screened[] = [];
  for (const provider of desk.providers) {
    const answer = await ask(desk, provider, address, client);
    screened.push({ step: provider.step, ...answer });
    if (answer.outcome === 'unavailable') desk.metrics.screeningFailed(provider.step);
    if (answer.outcome !== 'clear') break;
  }
  return screened;
}

async function ask(
  { foundation }: CheckDesk,
  provider: ScreeningProvider,
  address: CheckSubject['address'],
  client?: string,
): Promise<ScreeningAnswer> {
  try {
    return await provider.screen(address, client);
  } catch (thrown) {
    foundation.log.error({ step: provider.step, err: thrown }, 'A screening step failed.');
    return { outcome: 'unavailable' };
  }
}

interface CheckedApplication {
  readonly id: Id<'app'>;
  readonly organizationId: Id<'org'>;
}

async function findCheckedApplication(
  reader: Reader,
  checkApplicationId: string,
): Promise<CheckedApplication | undefined> {
  const [application] = await reader.rows(
    query
      .selectFrom('applications')
      .select(['id', 'organization_id as organizationId'])
      .where('check_application_id', '=', checkApplicationId),
  );
  return application;
}
