import type { Network } from '../../platform/kernel/enums/network.js';
import type { Address } from '../../platform/ledger/index.js';
import type { AddressCheck } from './address-check.js';
import type { CheckDesk } from './check-desk.js';
import { screenAddress, screenWithoutApplication } from './screen-address.js';

/** The addresses that a relay through a pool would pay or derive, and the applications that decide about them. */
export interface PoolScreening {
  readonly network: Network;
  /** The recipient, and the accounts that the pool derives from it. If the list is empty, nothing is screened. */
  readonly addresses: readonly Address[];
  /** The public check ids of the applications that the descriptor of the pool names. Each of them always screens. */
  readonly applications: readonly string[];
  /** The public check ids that the submitter named. Those outside `applications` are ignored. */
  readonly hints: readonly string[];
  /** Whether only the screening steps decide if the pool names no application. */
  readonly screensWithoutApplication: boolean;
}

/**
 * Screens the addresses of a relay. The pool determines which applications are asked, never the submitter: omitting a hint
 * avoids no application, and a hint adds no organization that does not serve the pool. Each check is recorded. Stops at the
 * first check that does not approve, which is then the last of the list.
 *
 * @throws `UNAVAILABLE` if a check cannot be recorded.
 */
export async function screenForPool(desk: CheckDesk, screening: PoolScreening): Promise<AddressCheck[]> {
  const { network, screensWithoutApplication } = screening;
  const applications = applicationsInOrder(screening);
  const checks: AddressCheck[] = [];
  for (const address of new Set(screening.addresses)) {
    const subject = { network, address };
    const asks =
      applications.length > 0
        ? applications.map(
            (checkApplicationId) => () => screenAddress(desk, { ...subject, checkApplicationId }),
          )
        : screensWithoutApplication
          ? [() => screenWithoutApplication(desk, subject)]
          : [];
    for (const ask of asks) {
      const check = await ask();
      checks.push(check);
      if (!check.approved) return checks;
    }
  }
  return checks;
}

/** Every application of the pool. Those that the submitter named come first, because they are the likeliest to object. */
function applicationsInOrder({ applications, hints }: PoolScreening): string[] {
  const named = hints.filter((hint) => applications.includes(hint));
  return [...new Set([...named, ...applications])];
}
