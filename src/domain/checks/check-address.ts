import { countInWindows } from '../../platform/database/index.js';
import { clientNetwork } from '../../platform/kernel/client-network.js';
import type { AddressCheck } from './address-check.js';
import type { CheckDesk } from './check-desk.js';
import { parseSubject, type CheckInput } from './check-subject.js';
import { screenAddress } from './screen-address.js';

/** A check for anyone. Callers without credentials have a rate limit, which is checked before all other work. */
export async function checkAddress(
  desk: CheckDesk,
  clientAddress: string,
  input: CheckInput,
): Promise<AddressCheck> {
  const client = clientNetwork(clientAddress);
  const window = { key: `check:${client}`, limit: desk.perClient };
  await countInWindows(desk.foundation, [window]);
  return screenAddress(desk, parseSubject(input), client);
}
