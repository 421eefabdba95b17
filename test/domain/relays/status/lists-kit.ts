import type { Principal } from '../../../../src/domain/access/index.js';
import type { RelayDesk } from '../../../../src/domain/relays/index.js';
import { listRelays, type ListRelaysInput } from '../../../../src/domain/relays/status/list-relays.js';
import { submitRelay } from '../../../../src/domain/relays/admission/submit-relay.js';
import type { ProofPool } from '../../../../src/platform/crypto/index.js';
import type { Database, Foundation } from '../../../../src/platform/database/index.js';
import { createTestDatabase } from '../../../kit/database/database.js';
import { type SeededOrganization, seedOrganization, testFoundation } from '../../../kit/seed.js';
import { openDesk, openProofs, type TestPackage } from '../desk-kit.js';

/** A gateway with the relays of two organizations. */
export interface Lists extends AsyncDisposable {
  readonly database: Database;
  readonly foundation: Foundation;
  readonly proofs: ProofPool;
  readonly desk: RelayDesk;
  readonly home: SeededOrganization;
  readonly other: SeededOrganization;
  /** Returns the id of the request. */
  readonly submit: (submitted: TestPackage) => Promise<string>;
  readonly list: (principal: Principal, input?: ListRelaysInput) => ReturnType<typeof listRelays>;
  readonly idsOf: (principal: Principal, input?: ListRelaysInput) => Promise<string[]>;
}

export const CLIENT = '192.0.2.1';

/** The member of a package that names one application of each organization. */
export const hinting = (...organizations: SeededOrganization[]) => ({
  applicationIdHints: organizations.map(({ application }) => application.checkApplicationId),
});

export async function openLists(): Promise<Lists> {
  await using parts = new AsyncDisposableStack();
  const database = parts.use(await createTestDatabase());
  const foundation = testFoundation(database);
  const proofs = parts.use(openProofs());
  const desk = parts.use(await openDesk(foundation, proofs));
  const home = await seedOrganization(foundation);
  const other = await seedOrganization(foundation, { name: 'Other', foreignId: 'other-app' });
  const list = (principal: Principal, input: ListRelaysInput = {}) =>
    listRelays(foundation, principal, input);
  const kept = parts.move();
  return {
    ...{ database, foundation, proofs, desk, home, other, list },
    submit: async (submitted) => (await submitRelay(desk, CLIENT, submitted)).relayRequestId,
    idsOf: async (principal, input) => (await list(principal, input)).nodes.map(({ id }) => id),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
