import type { Clock } from '../../../platform/kernel/clock.js';
import type { SanctionsList } from './parse-sanctions-list.js';
import type { ScreeningProvider } from './screening-provider.js';

const DAY_MS = 86_400_000;

export interface SanctionsListOptions {
  readonly current: () => SanctionsList | undefined;
  readonly clock: Clock;
  /** A list older than this, counted from its date of issue, clears nothing. If absent, there is no limit. */
  readonly maxAgeDays?: number | undefined;
}

/** The sanctions list as a screening step. Before the list is loaded, and after its maximum age, it clears nothing. */
export function sanctionsListProvider({
  current,
  clock,
  maxAgeDays,
}: SanctionsListOptions): ScreeningProvider {
  return {
    step: 'sanctions_list',
    screen(address) {
      const list = current();
      if (!list) return Promise.resolve({ outcome: 'unavailable' });
      const listVersion = list.version;
      if (list.addresses.has(address)) return Promise.resolve({ outcome: 'sanctioned', listVersion });
      const inForce = maxAgeDays === undefined || isWithin(listAge(list, clock), maxAgeDays);
      return Promise.resolve({ outcome: inForce ? 'clear' : 'unavailable', listVersion });
    },
  };
}

// A date some days in the future is wrong, and says nothing about the age.
function isWithin(age: number, days: number): boolean {
  return age >= -DAY_MS && age <= days * DAY_MS;
}

/** How long ago the list was issued, in milliseconds. */
export function listAge({ issuedAt }: SanctionsList, clock: Clock): number {
  return clock.now().getTime() - issuedAt.getTime();
}
