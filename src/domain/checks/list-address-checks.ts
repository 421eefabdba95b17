import type { Foundation } from '../../platform/database/index.js';
import type { Id } from '../../platform/kernel/ids.js';
import { parseText } from '../../platform/kernel/text.js';
import { type Connection, connectionOf } from '../../platform/kernel/paging/connection.type.js';
import { cursorsFor, type PageInput, pageOf, parsePage } from '../../platform/kernel/paging/paging.js';
import type { Principal } from '../access/index.js';
import { requireAddresses } from './addresses/address-access.js';
import type { AddressCheck } from './address-check.js';
import { selectChecks, shownCheck } from './recorded-checks.js';

export interface ListAddressChecksInput extends PageInput {
  readonly foreignId: string;
  /** Only checks of this address. */
  readonly address?: string | null | undefined;
}

/** The recorded checks of an application, newest first. */
export async function listAddressChecks(
  foundation: Foundation,
  principal: Principal | undefined,
  input: ListAddressChecksInput,
): Promise<Connection<AddressCheck>> {
  const { application } = await requireAddresses(foundation, principal, input.foreignId);
  const {
    cursors,
    limit,
    after: before,
    address,
  } = parsePage(
    input,
    'string',
    ({ address }) => cursorsFor('address_checks', { application: application.id, address }),
    { address: () => (input.address == null ? null : parseText('address', input.address, 256)) },
  );
  const rows = await foundation.database.rows(
    selectChecks(application.organizationId)
      .where('application_id', '=', application.id)
      .$if(address !== null, (checks) => checks.where('address', '=', address!))
      .$if(before !== undefined, (checks) => checks.where('id', '<', before as Id<'chk'>))
      .orderBy('id', 'desc')
      .limit(limit + 1),
  );
  return connectionOf(pageOf(rows.map(shownCheck), limit), ({ id }) => cursors.encode(id));
}
