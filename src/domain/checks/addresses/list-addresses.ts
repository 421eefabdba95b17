import { type Foundation, query } from '../../../platform/database/index.js';
import { type Connection, connectionOf } from '../../../platform/kernel/paging/connection.type.js';
import { parseOptionalOneOf } from '../../../platform/kernel/enums/enums.js';
import { invalidMember } from '../../../platform/kernel/errors.js';
import { cursorsFor, pageOf, type PageInput, parsePage } from '../../../platform/kernel/paging/paging.js';
import type { Address } from '../../../platform/ledger/index.js';
import type { Principal } from '../../access/index.js';
import { requireAddresses } from './address-access.js';
import { ADDRESS_STATUSES } from './address-state.js';
import { LISTED_ADDRESS_COLUMNS, type ListedAddress } from './listed-address.js';

export interface ListAddressesInput extends PageInput {
  readonly foreignId: string;
  readonly status?: string | null | undefined;
  /** The prefix of the addresses. */
  readonly search?: string | null | undefined;
}

const SEARCHED = /^[1-9A-HJ-NP-Za-km-z]{1,44}$/;
/** Sorts after every character of an address, so it ends the range of a prefix. */
const BEYOND = '~';

/** The addresses that the application has listed, in character order. */
export async function listAddresses(
  foundation: Foundation,
  principal: Principal | undefined,
  input: ListAddressesInput,
): Promise<Connection<ListedAddress>> {
  const { application } = await requireAddresses(foundation, principal, input.foreignId);
  const { cursors, limit, after, status, search } = parsePage(
    input,
    'string',
    ({ status = null, search = null }) =>
      cursorsFor('addresses', { application: application.id, status, search }),
    {
      search: () => {
        if (input.search == null) return undefined;
        if (!SEARCHED.test(input.search))
          throw invalidMember('search', 'must be 1 to 44 characters of base58');
        return input.search;
      },
      status: () => parseOptionalOneOf('status', ADDRESS_STATUSES, input.status),
    },
  );
  const rows = await foundation.database.rows(
    query
      .selectFrom('application_addresses')
      .select(LISTED_ADDRESS_COLUMNS)
      .where('application_id', '=', application.id)
      .where('network', '=', 'solana')
      .$if(status !== undefined, (listed) => listed.where('status', '=', status!))
      .$if(search !== undefined, (listed) =>
        listed
          .where('address', '>=', search as Address)
          .where('address', '<', `${search}${BEYOND}` as Address),
      )
      .$if(after !== undefined, (listed) => listed.where('address', '>', after as Address))
      .orderBy('address')
      .limit(limit + 1),
  );
  return connectionOf(pageOf(rows, limit), ({ address }) => cursors.encode(address));
}
