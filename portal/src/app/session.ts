import { queryOptions } from '@tanstack/react-query';
import { createContext, use } from 'react';
import { graphql, type GrantedOf, type ResultOf } from '../graphql/document';
import { hangUp } from '../graphql/live';
import { errorOf } from '../graphql/gateway-error';
import { gateway, request } from '../graphql/request';
import { forgetAlarms } from '../verification/raised-alarms.ts';
import { client, SECRET } from './client';

const VIEWER = graphql(`
  query Viewer {
    viewer {
      user {
        id
        name
        email
      }
      organization {
        id
        name
        requireSecondPerson
        requireSecondFactor
      }
      hasPassword
      permissions {
        owner
        applications {
          foreignId
          common
          administrator
          auditor
        }
      }
      applicationPermissions {
        foreignId
        name
      }
    }
    signInOptions {
      demoFilling
    }
  }
`);
const SIGN_IN = graphql(`
  mutation SignIn($input: SignInInput!) {
    signIn(input: $input) {
      user {
        id
      }
    }
  }
`);
const SIGN_OUT = graphql(`
  mutation SignOut {
    signOut
  }
`);

const SWITCH = graphql(`
  mutation SwitchOrganization($organizationId: ID!) {
    switchOrganization(organizationId: $organizationId) {
      organization {
        id
      }
    }
  }
`);

export interface Viewer extends NonNullable<GrantedOf<typeof VIEWER>['viewer']> {
  /** Whether this is the embedded demo, and its data is being created. */
  readonly isDemoFilling: boolean;
}

export const viewerQuery = queryOptions({
  queryKey: ['viewer'],
  queryFn: async ({ signal }): Promise<Viewer | null> => {
    // Having no session is not an error, which would appear in the console of everyone who comes to sign in.
    const { viewer, signInOptions }: ResultOf<typeof VIEWER> = await request(VIEWER, {}, signal);
    if (viewer === null) gateway.dispatchEvent(new Event('signed-out'));
    return viewer && { ...viewer, isDemoFilling: signInOptions?.demoFilling === true };
  },
  staleTime: 30_000,
});

// Signing in or out in one tab does the same in all of them.
const tabs = new BroadcastChannel('lucarne.session');

export async function signIn(credentials: {
  readonly email: string;
  readonly password: string;
  readonly totp?: string;
  readonly recoveryCode?: string;
}): Promise<void> {
  await request(SIGN_IN, { input: credentials });
  await begin();
}

/** A session was opened: removes data from before it, and notifies the other tabs. */
export async function begin(): Promise<void> {
  forget();
  await client.fetchQuery(viewerQuery);
  tabs.postMessage('changed');
}

/**
 * Another organization where this person is a member: a session in it takes the place of this one. What follows loads the page
 * again, as the other tabs do.
 */
export async function switchOrganization(organizationId: string): Promise<void> {
  await request(SWITCH, { organizationId });
  forget();
  tabs.postMessage('changed');
}

/** The maximum time that data stays on screen while waiting for the gateway. */
const SIGN_OUT_WAIT_MS = 5_000;

/**
 * Removes all data of the session, for any response, and ends the session.
 *
 * @throws {unknown} The gateway did not confirm that the session has ended: it may still be valid.
 */
export async function signOut(): Promise<void> {
  try {
    await request(SIGN_OUT, {}, AbortSignal.timeout(SIGN_OUT_WAIT_MS));
  } catch (thrown) {
    // Otherwise it had ended before.
    if (errorOf(thrown).code !== 'UNAUTHENTICATED') {
      end();
      tabs.postMessage('left');
      throw thrown;
    }
  }
  endInAllTabs();
}

/** Nobody is signed in here anymore, in no tab. */
export function endInAllTabs(): void {
  end();
  tabs.postMessage('ended');
}

/** Nobody is signed in here anymore. */
export function end(): void {
  forget();
  client.setQueryData(viewerQuery.queryKey, null);
}

/** Who is signed in, as this tab knows. */
let known: Viewer | undefined;
const identityOf = ({ user, organization }: Viewer): string => `${user?.id ?? ''} ${organization.id}`;

/** Removes from memory everything that was read. */
export function forget(): void {
  known = undefined;
  hangUp();
  forgetAlarms();
  permissionChange.close();
  client.clear();
}

/** Calls back when the session ended or changed, in this tab or another, or the gateway says that it has ended. */
export function watchSession(on: {
  readonly ended: () => void;
  /** Somebody signed out in another tab, and the gateway did not confirm it. */
  readonly left: () => void;
  readonly changed: () => void;
  /** The organization requires a second factor, and this session has none. */
  readonly factorRequired: () => void;
}): void {
  gateway.addEventListener('factor-required', on.factorRequired);
  gateway.addEventListener('signed-out', () => {
    if (client.getQueryData(viewerQuery.queryKey) != null) on.ended();
  });
  // What a person may do has perhaps changed: the navigation follows, and plaintext goes with the right to it.
  gateway.addEventListener('refused', () => void readPermissions());
  client.getQueryCache().subscribe(({ type, query }) => {
    if (type === 'updated' && query.queryKey[0] === viewerQuery.queryKey[0])
      followViewer(query.state.data as Viewer | null | undefined, on.changed);
  });
  tabs.addEventListener('message', ({ data }) => {
    if (data === 'ended') on.ended();
    else if (data === 'left') on.left();
    else if (data === 'changed' || (known && data !== identityOf(known))) on.changed();
  });
}

const permissions = new EventTarget();
let changedAt: number | undefined;

/** When this person's permissions changed while the page was open, as a store that React can follow. */
export const permissionChange = {
  subscribe(changed: () => void): () => void {
    permissions.addEventListener('changed', changed);
    return () => permissions.removeEventListener('changed', changed);
  },
  read: () => changedAt,
  /** The person has read the notice. */
  close(): void {
    changedAt = undefined;
    permissions.dispatchEvent(new Event('changed'));
  },
};

/** Reads what the person may do now, in a new request, because an answer that is on its way may be older than the refusal. */
export async function readPermissions(): Promise<void> {
  if (!client.getQueryData(viewerQuery.queryKey)) return;
  await client.cancelQueries({ queryKey: viewerQuery.queryKey });
  // Failed, or cancelled by the next refusal, which reads it again.
  await client.fetchQuery({ ...viewerQuery, staleTime: 0 }).catch(() => undefined);
}

/** Any read of the viewer may be the first to see that somebody else is signed in, or that the permissions have changed. */
function followViewer(now: Viewer | null | undefined, changed: () => void): void {
  const before = known;
  known = now ?? undefined;
  if (before === now || !now) return;
  // There is no other notification of a session that a provider's page opened, or of an organization switch whose response
  // was lost.
  if (!before) {
    tabs.postMessage(identityOf(now));
    return;
  }
  if (identityOf(before) !== identityOf(now)) {
    changed();
    return;
  }
  if (JSON.stringify(now.permissions) === JSON.stringify(before.permissions)) return;
  client.removeQueries({ queryKey: [SECRET] });
  // Data on screen is read again, and other cached data is removed.
  client.removeQueries({ type: 'inactive' });
  const isShown = ({ queryKey }: { readonly queryKey: readonly unknown[] }) =>
    queryKey[0] !== viewerQuery.queryKey[0];
  void client.invalidateQueries({ type: 'active', predicate: isShown });
  changedAt = Date.now();
  permissions.dispatchEvent(new Event('changed'));
}

/** Set by the frame around the screens, which exists only while a user is signed in. */
export const ViewerContext = createContext<Viewer | undefined>(undefined);

export function useViewer(): Viewer {
  const viewer = use(ViewerContext);
  if (!viewer) throw new Error('Only screens within the frame know who is signed in.');
  return viewer;
}

export const applicationName = (viewer: Viewer, foreignId: string): string =>
  viewer.applicationPermissions.find((application) => application.foreignId === foreignId)?.name ?? foreignId;
