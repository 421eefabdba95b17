import {
  hashSessionToken,
  type RequestContext,
  type SessionToken,
  type UserPrincipal,
} from '../../access/index.js';
import { actingFor, type Foundation, query } from '../../../platform/database/index.js';
import { type Viewer, viewerOf } from './viewer.js';

export interface Opened {
  readonly token: SessionToken;
  readonly principal: UserPrincipal;
  /** Identifies the browser at its next sign-in. */
  readonly deviceToken?: string;
}

/** Gives the browser its new session, and records for the owner of the session its browser and address. */
export async function admit(
  { database }: Pick<Foundation, 'database'>,
  { sessionCookie, deviceCookie, clientAddress, userAgent }: RequestContext,
  { token, principal, deviceToken }: Opened,
): Promise<Viewer> {
  await actingFor([principal.organizationId], () =>
    database.rows(
      query
        .updateTable('sessions')
        .set({ client_address: clientAddress, user_agent: userAgent ?? null })
        .where('token_hash', '=', hashSessionToken(token))
        .where('ended_at', 'is', null),
    ),
  );
  sessionCookie?.set(token);
  if (deviceToken !== undefined) deviceCookie?.set(deviceToken);
  return viewerOf(principal);
}
