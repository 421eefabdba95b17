import type { Id } from '../../platform/kernel/ids.js';

/** A person as the organization knows them, members and former members alike. */
export interface Person {
  readonly id: Id<'usr'>;
  readonly name: string;
  readonly email: string;
}
