import type { Authenticator, PresentedCredentials, Principal } from '../../../domain/access/index.js';
import { isLucarneError } from '../../../platform/kernel/errors.js';
import type { Admission } from './admission.js';

export interface IdentifyingOptions {
  readonly authenticator: Authenticator;
  readonly admission: Pick<Admission, 'spend' | 'refusal'>;
}

/**
 * The caller of a request. Each key or session that is refused costs the client a unit of the budget without credentials. When
 * the budget is used up, a refused key gets `TOO_MANY_REQUESTS`, and credentials that this instance has not accepted before are
 * looked up a few times a second, together: they cost little, and a valid key at the same address is late, not refused.
 */
export async function identifyClient(
  { authenticator, admission }: IdentifyingOptions,
  clientAddress: string,
  presented: PresentedCredentials,
  /** Whether this counts as a use of a key or session. */
  { isUse }: { readonly isUse: boolean } = { isUse: true },
): Promise<Principal | undefined> {
  try {
    const isPaced = admission.refusal(clientAddress) !== undefined;
    const look = isUse ? authenticator.authenticate : authenticator.identify;
    const principal = await look(presented, { isPaced });
    // Not refused: a person whose session ended can sign in, also at an address that others share.
    if (!principal && presented.sessionToken !== undefined) admission.spend(clientAddress);
    return principal;
  } catch (thrown) {
    if (!isLucarneError(thrown) || thrown.code !== 'UNAUTHENTICATED') throw thrown;
    throw admission.spend(clientAddress) ?? thrown;
  }
}
