import { AsyncLocalStorage } from 'node:async_hooks';
import { performance } from 'node:perf_hooks';
import { createEnvelopeSealer, type DataKey, type DataKeys, type Sealer } from '../crypto/index.js';
import type { Reader } from '../database/index.js';
import { createPollLoop, type PollLoop } from '../jobs/index.js';
import { BoundedMap } from '../kernel/bounds/bounded-map.js';
import { LucarneError, unavailable } from '../kernel/errors.js';
import type { Log } from '../kernel/log.js';
import {
  destroyedKeysAmong,
  DIGESTS,
  EVERY_PURPOSE,
  LEAD_SECONDS,
  LOOK_SECONDS,
  readDataKeys,
  readMasterVersion,
  type StoredDataKey,
  wrappingContext,
} from './data-key-rows.js';
import { type FirstKeysOptions, makeFirstKeys } from './first-keys.js';
import type { MasterKey } from './master-key.js';

/**
 * How often an instance checks for other keys. The embedded database has one instance, which does not change keys meanwhile.
 */
const REFRESH_MS = { postgresql: LOOK_SECONDS * 1_000, pglite: 60_000 };
/** How often it unwraps a data key that it has, to check whether it still reaches the master key. */
const PROBE_MS = 60_000;
/**
 * Senders of values choose the key ids in them, so only this number of missing keys is remembered. Others are looked up each
 * time.
 */
const MAX_REMEMBERED = 1_000;

interface KeyringOptions extends FirstKeysOptions {
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  /** Reads a monotonic clock. */
  readonly elapsedMs?: () => number;
}

/** The data keys of a database, opened with its master key and held in memory while the process runs. */
export interface Keyring extends AsyncDisposable {
  /** Throws `UNAVAILABLE` if the required data key is not available, and before {@link open}. */
  readonly sealer: Sealer;
  /**
   * Opens the data keys, and creates those that the database lacks. Throws `WrongMasterKey`, and `UNAVAILABLE` without a
   * provider.
   */
  open(): Promise<void>;
  /** Checks for other keys now, as {@link follow} does regularly. */
  refresh(): Promise<void>;
  /** Follows rotations of other processes, and checks whether the master key is reachable. */
  follow(): void;
  /** The version of the master key in use, and whether this process reached it at its last check, once a minute. */
  readonly master: MasterKeyState;
}

interface MasterKeyState {
  readonly version: number;
  readonly isReachable: boolean;
  /** A sentence if the key is too weak and should be replaced. */
  readonly weakness?: string | undefined;
}

interface OpenKey extends DataKey {
  readonly purpose: string;
  /** When it begins to seal, on this instance's clock. */
  usableAtMs: number;
}

export function createKeyring(options: KeyringOptions): Keyring {
  const { database, masterKeys, random, log, elapsedMs = () => performance.now() } = options;
  const open = new Map<number, OpenKey>();
  /** The keys of each purpose, newest first. */
  let ofPurpose = new Map<string, OpenKey[]>();
  /** Keys that were needed but not found since the last read began. */
  const wanting = new Set<number>();
  /** Keys that a check did not find, with the reason. */
  const missing = new BoundedMap<number, string>(MAX_REMEMBERED);
  let master: MasterKeyState = { version: 0, isReachable: false };
  let refreshedAt = 0;
  let askedAt = -Infinity;
  let loop: PollLoop | undefined;
  let isDisposed = false;

  // Runs outside of the transaction whose value could not be opened, because that transaction may hold the only connection.
  const outside = AsyncLocalStorage.snapshot();
  let isLooking = false;
  const look = () => {
    // One check serves all values that could not be opened meanwhile, so that a page of them does not use all connections.
    if (isLooking || isDisposed) return;
    isLooking = true;
    outside(() => {
      refresh()
        .catch((thrown: unknown) => {
          if (!isDisposed) log.error({ err: thrown }, UNREADABLE);
        })
        .finally(() => (isLooking = false));
    });
  };
  /** A key begins to seal at its time, even if the next check is late. */
  const usable = (purpose: string) => {
    const now = elapsedMs();
    return ofPurpose.get(purpose)?.find(({ usableAtMs }) => usableAtMs <= now);
  };
  /**
   * Whether a key that was created after the last check can be in use by now: values can name it, and no other key may seal.
   * The embedded database has one process.
   */
  const mayBeNewer = () =>
    database.engine === 'postgresql' && elapsedMs() - refreshedAt >= LEAD_SECONDS * 1_000;
  const keys: DataKeys = {
    sealing(purpose) {
      const isOld = mayBeNewer();
      const key = isOld ? undefined : (usable(purpose) ?? usable(EVERY_PURPOSE));
      if (key) return key;
      if (open.size > 0 && !isOld) throw new Error(`There is no data key for “${purpose}”.`);
      throw notAtHand();
    },
    opening(id) {
      const key = open.get(id);
      if (key) return key;
      if (open.size > 0) {
        const why = missing.get(id);
        if (why !== undefined && !mayBeNewer()) throw new LucarneError('INTERNAL_SERVER_ERROR', why);
        if (wanting.size < MAX_REMEMBERED) wanting.add(id);
        look();
      }
      throw notAtHand();
    },
    digesting() {
      const key = usable(DIGESTS);
      if (!key) throw notAtHand();
      return key.secret;
    },
  };

  async function refresh(): Promise<void> {
    const beganAt = elapsedMs();
    const asked = [...wanting];
    const { current, stored } = await readWrappedKeys(database);
    await noteMissing(asked, stored);
    const hadVersion = master.version;
    const isOther = current.version !== hadVersion;
    const wanted = stored.filter(({ id }) => !open.has(id));
    // Unwrapping one known key shows whether a new master key version is available, and whether the one in use still is.
    const isDue = isOther || beganAt - askedAt >= PROBE_MS;
    const trial = isDue && wanted.length === 0 ? stored.slice(0, 1) : wanted;
    try {
      if (trial.length > 0) {
        askedAt = beganAt;
        const key = await masterKeys.find(current.provider, current.locator);
        await unwrapAll(trial, key, beganAt);
        const weakness = isOther ? await key.weakness?.() : master.weakness;
        master = { version: current.version, isReachable: true, weakness };
        if (isOther && weakness !== undefined) log.warn({ version: current.version }, weakness);
        if (isOther && hadVersion > 0) log.info({ version: current.version }, 'The master key was rotated.');
      }
    } catch (thrown) {
      master = { ...master, isReachable: false };
      // Every data key is available and none was replaced, so sealing continues.
      if (wanted.length === 0) refreshedAt = Math.max(refreshedAt, beganAt);
      throw thrown;
    } finally {
      settle(stored, beganAt);
    }
    refreshedAt = Math.max(refreshedAt, beganAt);
  }

  /** A value whose key does not exist is broken, so callers must not wait for its key. */
  async function noteMissing(asked: readonly number[], stored: readonly StoredDataKey[]): Promise<void> {
    const there = new Set(stored.map(({ id }) => id));
    for (const id of there) missing.delete(id);
    const absent = asked.filter((id) => !there.has(id));
    const destroyed = await destroyedKeysAmong(database, absent);
    for (const id of absent) missing.set(id, destroyed.has(id) ? ofDestroyedKey(id) : ofNoKey(id));
    for (const id of asked) wanting.delete(id);
  }

  async function unwrapAll(
    wanted: readonly StoredDataKey[],
    key: MasterKey,
    askedAtMs: number,
  ): Promise<void> {
    for (const { id, purpose, wrappedKey, usableInMs } of wanted) {
      if (!wrappedKey) continue;
      const secret = await key.unwrap(wrappedKey, wrappingContext({ id, purpose }));
      if (open.has(id) || isDisposed) secret.fill(0);
      else open.set(id, { id, purpose, secret, usableAtMs: askedAtMs + usableInMs });
    }
  }

  /** Updates which keys seal, and forgets destroyed keys. Checks can end in another order than they began. */
  function settle(stored: readonly StoredDataKey[], askedAtMs: number): void {
    for (const { id, usableInMs } of stored) {
      const key = open.get(id);
      if (key) key.usableAtMs = Math.min(key.usableAtMs, askedAtMs + usableInMs);
    }
    const kept = new Set(stored.map(({ id }) => id));
    const newest = stored.at(-1)?.id ?? 0;
    for (const [id, { secret }] of open) {
      // A key that is newer than what was read was created since.
      if (kept.has(id) || id > newest) continue;
      open.delete(id);
      secret.fill(0);
    }
    const newestFirst = [...open.values()].toSorted((one, other) => other.id - one.id);
    ofPurpose = Map.groupBy(newestFirst, ({ purpose }) => purpose);
  }

  return {
    sealer: createEnvelopeSealer(keys, random),
    async open() {
      await makeFirstKeys(options);
      await refresh();
    },
    refresh,
    follow() {
      loop ??= createPollLoop({
        pollMs: REFRESH_MS[database.engine],
        turn: () => refresh(),
        failed: (thrown) => {
          if (!isDisposed) log.error({ err: thrown }, UNREADABLE);
        },
      });
      loop.start();
    },
    get master() {
      return master;
    },
    [Symbol.asyncDispose]() {
      isDisposed = true;
      // Not awaited: a check that the database does not answer must not delay the stop.
      void loop?.stop();
      for (const { secret } of open.values()) secret.fill(0);
      open.clear();
      ofPurpose.clear();
      return Promise.resolve();
    },
  };
}

/** Only a rotation between the two reads causes another attempt. */
const MAX_READINGS = 10;

/** The data keys that are not destroyed, and the version of the master key that wraps them. */
async function readWrappedKeys(reader: Reader) {
  for (let readings = 1; readings <= MAX_READINGS; readings += 1) {
    const current = await readMasterVersion(reader);
    if (!current) throw new Error('The database has no master key.');
    const stored = await readDataKeys(reader);
    if (stored.every(({ masterVersion }) => masterVersion === current.version)) return { current, stored };
  }
  throw unavailable('The keys of the database are being changed. Try again.', { retryAfterSeconds: 5 });
}

const UNREADABLE = 'The data keys cannot be read again. The gateway uses those that it has in memory.';

const ofDestroyedKey = (id: number) =>
  `A sealed value cannot be opened: data key ${id}, which sealed it, was destroyed.`;
const ofNoKey = (id: number) =>
  `A sealed value cannot be opened: it names data key ${id}, which never existed in this database.`;

const notAtHand = () =>
  unavailable('The keys that decrypt stored values are not available at present. Try again.', {
    retryAfterSeconds: 5,
  });
