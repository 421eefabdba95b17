import { type Actor, OPERATOR } from './actor.js';
import type { Id } from '../../platform/kernel/ids.js';
import type { Permission } from './permissions/permissions.js';
import { actorOf, type Principal, requireOwnerPermission, type UserPrincipal } from './principal.js';

/** The person at the server's command line, who needs no grant: they have the database and the master key. */
export interface Operator {
  readonly kind: 'operator';
  readonly organizationId: Id<'org'>;
}

export function operatorOf(organizationId: Id<'org'>): Operator {
  return { kind: 'operator', organizationId };
}

/** The caller of an operation that both the portal and the command line offer. */
export type Caller = Principal | Operator | undefined;

/** The organization that an operation acts for, and the actor in its log. */
export interface Acting {
  readonly organizationId: Id<'org'>;
  readonly actor: Actor;
  /** Of the person; null for the operator. */
  readonly sessionId: Id<'ses'> | null;
}

export function actingAs(user: UserPrincipal): Acting {
  const { organizationId, sessionId } = user;
  return { organizationId, actor: actorOf(user), sessionId };
}

export function requireOperatorOr(caller: Caller, permission: Permission<'owner'>): Acting {
  if (caller?.kind === 'operator')
    return { organizationId: caller.organizationId, actor: OPERATOR, sessionId: null };
  return actingAs(requireOwnerPermission(caller, permission));
}
