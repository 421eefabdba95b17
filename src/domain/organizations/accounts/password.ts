import { timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { hash, type Options } from '@node-rs/argon2';
import type { Sealer } from '../../../platform/crypto/index.js';
import type { Foundation } from '../../../platform/database/index.js';
import { clientNetwork } from '../../../platform/kernel/client-network.js';
import { invalidMember, tooManyRequests } from '../../../platform/kernel/errors.js';
import { createQuota, type Quota } from '../../../platform/kernel/bounds/quota.js';
import { pause, Semaphore, WorkShare } from '../../../platform/jobs/index.js';
import { isCommonPassword } from './common-passwords.js';
import { isKeyed, keyed, parametersOf, storedForm } from './keyed-hash.js';
import { foldEmail } from './parse-email.js';

// OWASP Password Storage Cheat Sheet: argon2id (the library's default) with 19 MiB, 2 passes, 1 lane.
const ARGON2ID: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const SALT_LENGTH = 16;
const MIN_PASSWORD_LENGTH = 12;
const MAX_PASSWORD_BYTES = 1024;
/** Waiting hashes of unknown callers. Known callers have as many places. */
const MAX_QUEUED_HASHES = 64;
/**
 * Waiting hashes of one client, counted separately among unknown and known callers. A client that uses its share does not
 * keep others from signing in.
 */
const MAX_QUEUED_HASHES_PER_CLIENT = 16;
/** New passwords for one e-mail address. A link that a refused attempt left usable must not fill the queue. */
const MAX_QUEUED_HASHES_PER_ADDRESS = 2;
const RETRY_AFTER_SECONDS = 5;
/** The share of all cores for hashing. The rest is for other requests while many addresses guess passwords. */
const SHARE_OF_MACHINE = 1 / 4;
const BURST_MS = 1_000;
/** Limits how long slow work of unknown clients can delay known ones. */
const MAX_REST_MS = 1_000;

/** A new password. `about` has known values of the person, such as the e-mail address. */
export function parsePassword(member: string, value: unknown, about: readonly string[] = []): string {
  if (
    typeof value !== 'string' ||
    Array.from(value).length < MIN_PASSWORD_LENGTH ||
    Buffer.byteLength(value) > MAX_PASSWORD_BYTES
  ) {
    throw invalidMember(
      member,
      `must have at least ${MIN_PASSWORD_LENGTH} characters and at most ${MAX_PASSWORD_BYTES} bytes`,
    );
  }
  const words = about.flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)]);
  if (isCommonPassword(value, words)) {
    throw invalidMember(member, 'is among the passwords that attackers try first: choose another');
  }
  return value;
}

/**
 * The argon2id hash to store of a password that {@link parsePassword} accepted. The salt is derived from the e-mail address and
 * the master key, so one hash is compared with every account of an address, and the time does not depend on their number.
 */
export async function hashPassword(
  { database, sealer }: Pick<Foundation, 'database' | 'sealer'>,
  email: string,
  password: string,
): Promise<string> {
  const computed = await shared(ofAddress, foldEmail(email), () =>
    bounded(() => hashOf(sealer, email, password), true),
  );
  return storedForm(database, sealer, computed);
}

const hashOf = (sealer: Sealer, email: string, password: string) =>
  hash(password, { ...ARGON2ID, salt: saltOf(sealer, email) });

/** The caller whose password is compared. A known caller has a session, or a browser that signed in before. */
export interface Comparer {
  readonly clientAddress: string;
  readonly isKnown: boolean;
}

/** Returns which stored hashes match the password. One hash is computed, even if there are none. */
export async function comparePassword(
  sealer: Sealer,
  { email, password }: { readonly email: string; readonly password: string },
  { clientAddress, isKnown }: Comparer,
): Promise<(stored: string | null) => Promise<boolean>> {
  // No stored password is that long, so it matches nothing and is not hashed.
  const tooLong = Buffer.byteLength(password) > MAX_PASSWORD_BYTES;
  const candidate = tooLong ? '' : password;
  const inTurn = <Result>(work: () => Promise<Result>) =>
    shared(ofClient[kindOf(isKnown)], clientNetwork(clientAddress), () => bounded(work, isKnown));
  const formsOf = (hashed: string) => ({ hashed, keyed: keyed(sealer, hashed) });
  const computed = formsOf(await inTurn(() => hashOf(sealer, email, candidate)));
  return async (stored) => {
    if (stored === null || tooLong) return false;
    const parameters = parametersOf(stored);
    const forms =
      parameters === parametersOf(computed.hashed)
        ? computed
        : // Hashed with other parameters or before the salt was derived.
          formsOf(await inTurn(() => hash(candidate, optionsIn(parameters))));
    return equal(stored, isKeyed(stored) ? forms.keyed : forms.hashed);
  };
}

/** The options in the parameters of an argon2id hash, such as `$argon2id$v=19$m=19456,t=2,p=1$c2FsdA`. */
function optionsIn(parameters: string): Options {
  const [, , , costs = '', salt = ''] = parameters.split('$');
  const cost = (name: string) => Number(new RegExp(`(?:^|,)${name}=(\\d+)`).exec(costs)?.[1]);
  return {
    ...{ memoryCost: cost('m'), timeCost: cost('t'), parallelism: cost('p') },
    salt: Buffer.from(salt, 'base64'),
  };
}

const equal = (one: string, other: string) =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

const saltOf = (sealer: Sealer, email: string) =>
  sealer.digest(foldEmail(email), 'accounts/password_salt').subarray(0, SALT_LENGTH);

const kindOf = (isKnown: boolean) => (isKnown ? 'known' : 'strangers');

const ofClient = {
  known: createQuota(MAX_QUEUED_HASHES_PER_CLIENT),
  strangers: createQuota(MAX_QUEUED_HASHES_PER_CLIENT),
};
const ofAddress = createQuota(MAX_QUEUED_HASHES_PER_ADDRESS);

async function shared<Result>(quota: Quota, owner: string, work: () => Promise<Result>): Promise<Result> {
  if (!quota.take(owner)) throw tooManyAtOnce();
  try {
    return await work();
  } finally {
    quota.give(owner);
  }
}

// A hash takes 19 MiB and one of the four threads in libuv's pool, which files and name lookups need, too. One core is left
// for other requests.
const hashing = new Semaphore(Math.min(3, Math.max(1, availableParallelism() - 1)));
const share = new WorkShare(availableParallelism() * SHARE_OF_MACHINE, BURST_MS, MAX_REST_MS);
const queued = { known: 0, strangers: 0 };

/** Refuses a stranger while too many wait, before anything is read for the stranger. */
export function refuseWhileManyWait(): void {
  if (queued.strangers >= MAX_QUEUED_HASHES) throw tooManyAtOnce();
}

/**
 * Known clients come first and have separate places: a flood of guesses does not lock out people with a session, a link, or
 * a browser that signed in before.
 */
async function bounded<Result>(work: () => Promise<Result>, isKnown: boolean): Promise<Result> {
  const kind = kindOf(isKnown);
  if (queued[kind] >= MAX_QUEUED_HASHES) throw tooManyAtOnce();
  queued[kind] += 1;
  return new Promise((resolve) => {
    void hashing.run(
      async () => {
        const begin = performance.now();
        const working = (async () => work())().finally(() => (queued[kind] -= 1));
        resolve(working);
        await Promise.allSettled([working]);
        const end = performance.now();
        await pause(share.spend(end - begin, end));
      },
      { isUrgent: isKnown },
    );
  });
}

const tooManyAtOnce = () =>
  tooManyRequests(
    'Too many passwords are being checked at once. Try again in a moment.',
    RETRY_AFTER_SECONDS,
  );
