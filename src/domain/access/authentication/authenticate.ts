import { acrossOrganizations, batched, type Foundation, prepared } from '../../../platform/database/index.js';
import { BoundedMap } from '../../../platform/kernel/bounds/bounded-map.js';
import { hex } from '../../../platform/kernel/encoding/bytes.js';
import { type Denial, unauthenticated } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { hashApiKeySecret, parseApiKeySecret } from './api-key.js';
import { createLastUses, isLastUseDue, type LastUses, noLastUses } from './last-use.js';
import type { ApiKeyPrincipal, Principal } from '../principal.js';
import { hashSessionToken, isAlive, parseSessionToken } from './session-lifetime.js';
import { findSessions, type FoundSession } from './find-sessions.js';

/** The credentials of a request. */
export interface PresentedCredentials {
  /** The text after `Authorization: Bearer`. */
  readonly bearer?: string;
  /** The value of the session cookie. Ignored when there is a bearer key. */
  readonly sessionToken?: string;
}

/** How credentials are looked up. */
export interface LookUpPace {
  /** Credentials that were not accepted before wait for a look-up that they share: see {@link PACE_MS}. */
  readonly isPaced: boolean;
}

export interface Authenticator extends AsyncDisposable {
  /**
   * The caller. It is read from the database each time, so that a revocation or a change of permissions takes effect on the
   * next request. An invalid key is `UNAUTHENTICATED`. With an invalid session there is no caller (`undefined`).
   */
  readonly authenticate: LookUp;
  /** The caller, without counting as a use: a running subscription does not keep an idle session open. */
  readonly identify: LookUp;
}

type LookUp = (credentials: PresentedCredentials, pace?: LookUpPace) => Promise<Principal | undefined>;

/** Requests that arrive together share one statement for their keys and one for their sessions. */
export function createAuthenticator(foundation: Foundation): Authenticator {
  const lastUses = createLastUses(foundation);
  return {
    authenticate: lookUp(foundation, lastUses),
    identify: lookUp(foundation, noLastUses),
    [Symbol.asyncDispose]: () => lastUses[Symbol.asyncDispose](),
  };
}

function lookUp(foundation: Foundation, lastUses: LastUses): LookUp {
  const apiKeys = batchedByHash(
    (hashes) => authenticateApiKeys(foundation, lastUses, hashes),
    ({ isValid }) => isValid,
  );
  const sessions = batchedByHash(
    (hashes) => authenticateSessions(foundation, lastUses, hashes),
    () => true,
  );
  return async ({ bearer, sessionToken }, pace = { isPaced: false }) => {
    if (bearer !== undefined) {
      const secret = parseApiKeySecret(bearer);
      const key = secret && (await apiKeys(hex.encode(hashApiKeySecret(secret)), pace));
      if (!key?.isValid) throw unauthenticated(undefined, { denial: denialOf(key) });
      return key.principal;
    }
    const token = sessionToken === undefined ? undefined : parseSessionToken(sessionToken);
    return token && (await sessions(hex.encode(hashSessionToken(token)), pace));
  };
}

/** Interval of the look-ups of credentials that are paced. */
const PACE_MS = 250;
/** Hashes of credentials that were accepted. Beyond it, the one that was not used for the longest time is forgotten. */
const MAX_ACCEPTED = 10_000;

/** A key that was revoked or has expired is named, so that its organization learns that someone still uses it. */
const denialOf = (key: FoundApiKey | undefined): Denial => ({
  event: 'api_key.refused',
  ...(key && { apiKey: { organizationId: key.principal.organizationId, id: key.principal.apiKeyId } }),
});

/** By hash in hex. */
function batchedByHash<Found>(
  find: (hashes: readonly string[]) => Promise<ReadonlyMap<string, Found>>,
  isAccepted: (found: Found) => boolean,
) {
  const read = async (hashes: readonly string[]) => {
    const found = await find([...new Set(hashes)]);
    return hashes.map((hash) => found.get(hash));
  };
  const atOnce = batched<string, Found | undefined>(read);
  const paced = batched<string, Found | undefined>(read, (readAll) => setTimeout(readAll, PACE_MS));
  // It decides only when credentials are looked up, never whether they are valid.
  const accepted = new BoundedMap<string, true>(MAX_ACCEPTED);
  return async (hash: string, { isPaced }: LookUpPace): Promise<Found | undefined> => {
    const found = await (isPaced && !accepted.has(hash) ? paced : atOnce)(hash);
    if (found !== undefined && isAccepted(found)) accepted.set(hash, true);
    else accepted.delete(hash);
    return found;
  };
}

interface FoundApiKey {
  readonly principal: ApiKeyPrincipal;
  /** Neither revoked nor expired. */
  readonly isValid: boolean;
}

async function authenticateApiKeys(
  foundation: Foundation,
  lastUses: LastUses,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, FoundApiKey>> {
  const rows = await acrossOrganizations(() => foundation.database.rows(apiKeysOf(hashes)));
  const now = foundation.clock.now();
  const isValid = ({ isRevoked, expiresAt }: ApiKeyRow) =>
    !isRevoked && (expiresAt === null || now.getTime() < expiresAt.getTime());
  lastUses.noteApiKeys(
    rows.filter((key) => isValid(key) && isLastUseDue(key.lastUsedAt, now)).map((key) => key.id),
    now,
  );
  return new Map(
    rows.map((key) => [
      key.secretHash,
      {
        principal: {
          kind: 'api_key',
          organizationId: key.organizationId,
          apiKeyId: key.id,
          name: key.name,
          scopes: new Set(key.scopes),
        },
        isValid: isValid(key),
      },
    ]),
  );
}

async function authenticateSessions(
  foundation: Foundation,
  lastUses: LastUses,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, FoundSession['principal']>> {
  const found = await acrossOrganizations(() =>
    findSessions(
      foundation.database,
      hashes.map((hash) => Buffer.from(hash, 'hex')),
    ),
  );
  const now = foundation.clock.now();
  const alive = found.filter((session) => isAlive(session, now));
  lastUses.noteSessions(
    alive
      .filter((session) => isLastUseDue(session.lastSeenAt, now))
      .map(({ principal }) => principal.sessionId),
    now,
  );
  return new Map(alive.map((session) => [session.tokenHash, session.principal]));
}

interface ApiKeyRow {
  /** Hex. */
  readonly secretHash: string;
  readonly id: Id<'key'>;
  readonly organizationId: Id<'org'>;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Date | null;
  readonly isRevoked: boolean;
  readonly lastUsedAt: Date | null;
}

// Prepared because every request with a key runs it.
const apiKeysOf = prepared<ApiKeyRow>(
  'api_keys_of_secrets',
  `select presented.secret as "secretHash", id, organization_id as "organizationId", name, scopes,
    expires_at as "expiresAt", revoked_at is not null as "isRevoked", last_used_at as "lastUsedAt"
  from unnest($1::text[]) as presented (secret)
  join api_keys on secret_hash = decode(presented.secret, 'hex')`,
);
