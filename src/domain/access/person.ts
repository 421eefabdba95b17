import type { Id } from '../../platform/kernel/ids.js';

/** A person as the organization knows them: a member or a former member. */
export interface Person {
  readonly id: Id<'usr'>;
  readonly name: string;
  readonly email: string;
}
