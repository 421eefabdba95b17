import { type FollowOptions, followPositions, type Foundation } from '../../../platform/database/index.js';
import { cursorsFor } from '../../../platform/kernel/paging/paging.js';
import type { Principal } from '../../access/index.js';
import { disclosureAccess, type VisibleDisclosure } from '../disclosure-access.js';
import { disclosuresTopic, latestDisclosureChange } from '../disclosure-changes.js';
import { selectDisclosures } from '../disclosure.js';

/** A disclosure after its last change, with the cursor of that change. */
export interface DisclosureChange {
  readonly cursor: string;
  readonly disclosure: VisibleDisclosure;
}

/** One at a time, so that each change is read only when it is sent. */
const BATCH_SIZE = 1;

/** Follows the disclosures that the caller may see, after a cursor or from now on. Sends only the last state of each. */
export async function followDisclosures(
  { database, signals, sealer }: Foundation,
  principal: Principal | undefined,
  input: { readonly after?: string | null | undefined },
  options: FollowOptions = {},
): Promise<AsyncGenerator<DisclosureChange, void, undefined>> {
  const { organizationId, applicationIds, results } = disclosureAccess(principal);
  // Sealed, because the number counts the changes of every application.
  const cursors = cursorsFor('disclosureChanges', organizationId, sealer);
  const after =
    input.after == null
      ? await latestDisclosureChange(database, organizationId)
      : cursors.decode('number', 'after', input.after);
  return followPositions(
    signals,
    {
      topics: [disclosuresTopic(organizationId)],
      after,
      batch: BATCH_SIZE,
      async read(afterChange, limit) {
        const rows = await selectDisclosures(database, {
          organizationId,
          applicationIds,
          afterChange,
          limit,
        });
        return rows.map((disclosure) => ({
          position: disclosure.change,
          event: {
            cursor: cursors.encode(disclosure.change),
            disclosure: { ...disclosure, resultVisible: results },
          },
        }));
      },
    },
    options,
  );
}
