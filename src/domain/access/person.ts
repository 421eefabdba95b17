import type { Id } from '../../platform/kernel/ids.js';

/** A member or former member, as the organization knows the person. */
export interface Person {
  readonly id: Id<'usr'>;
  readonly name: string;
  readonly email: string;
}
