import { OPERATOR, type Actor } from '../activity-log/index.js';
import type { Id } from '../kernel/ids.js';
import type { Permission } from './permissions.js';
import { actorOf, requireOwnerPermission, type Principal } from './principal.js';

/** The person at the server's command line: who holds the database and the master key needs no grant. */
export interface Operator {
  readonly kind: 'operator';
  readonly organizationId: Id<'org'>;
}

export function operatorOf(organizationId: Id<'org'>): Operator {
  return { kind: 'operator', organizationId };
}

/** Who may call an operation that both the portal and the command line offer. */
export type Caller = Principal | Operator | undefined;

/** For which organization an operation acts, and who will stand in its log. */
export interface Acting {
  readonly organizationId: Id<'org'>;
  readonly actor: Actor;
}

export function requireOperatorOr(caller: Caller, permission: Permission<'owner'>): Acting {
  if (caller?.kind === 'operator') return { organizationId: caller.organizationId, actor: OPERATOR };
  const user = requireOwnerPermission(caller, permission);
  return { organizationId: user.organizationId, actor: actorOf(user) };
}
