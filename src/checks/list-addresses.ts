import { all, sql, type Foundation } from '../database/index.js';
import { connectionOf, type Connection } from '../kernel/connection.type.js';
import { badUserInput } from '../kernel/errors.js';
import { cursorsFor, pageOf, parseLimit } from '../kernel/paging.js';
import type { Principal } from '../organizations/index.js';
import { requireAddresses } from './address-access.js';
import { ADDRESS_STATUSES } from './address-state.js';
import { ADDRESS_COLUMNS, type ListedAddress } from './listed-address.js';

export interface ListAddressesInput {
  /** The foreignId. */
  readonly application: string;
  readonly status?: string | null | undefined;
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
}

/** The addresses that the application has listed, in the order of their characters. */
export async function listAddresses(
  foundation: Foundation,
  principal: Principal | undefined,
  input: ListAddressesInput,
): Promise<Connection<ListedAddress>> {
  const { application } = await requireAddresses(foundation, principal, input.application);
  const status = ADDRESS_STATUSES.find((known) => known === input.status);
  if (input.status != null && !status) {
    throw badUserInput(`status must be one of ${ADDRESS_STATUSES.join(', ')}.`);
  }
  const limit = parseLimit('first', input.first);
  const cursors = cursorsFor('addresses', { application: application.id, status: status ?? null });
  const after = input.after == null ? undefined : cursors.decode('string', 'after', input.after);
  const rows = await foundation.database.rows(sql<ListedAddress>`
    select ${ADDRESS_COLUMNS} from application_addresses
    where ${all([
      sql`application_id = ${application.id}`,
      sql`network = 'solana'`,
      status === undefined ? undefined : sql`status = ${status}`,
      after === undefined ? undefined : sql`address > ${after}`,
    ])}
    order by address limit ${limit + 1}`);
  return connectionOf(pageOf(rows, limit), ({ address }) => cursors.encode(address));
}
