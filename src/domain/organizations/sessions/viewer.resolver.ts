import { FieldResolver, Resolver, Root } from 'type-graphql';
import { actingFor, type Foundation } from '../../../platform/database/index.js';
import { findViewerSession } from './viewer-session.js';
import type { Viewer } from './viewer.js';
import { ViewerType } from './viewer.type.js';
import { hasPassword } from '../accounts/account.js';

/** The members of the viewer that are read only if they are selected. */
@Resolver(() => ViewerType)
export class ViewerResolver {
  constructor(private readonly foundation: Foundation) {}

  @FieldResolver()
  session(@Root() { principal }: Viewer) {
    if (!principal) return null;
    // Also for the session that a sign-in has just opened.
    return actingFor([principal.organizationId], () => findViewerSession(this.foundation, principal));
  }

  @FieldResolver()
  hasPassword(@Root() { principal }: Viewer) {
    return principal && hasPassword(this.foundation.database, principal.accountId);
  }
}
