import type { LogKey } from './questions.ts';

/**
 * The newest checkpoint of each log that passed the checks, by browser: it makes a rewritten log show. A checkpoint names
 * nobody and nothing but the log, its size and its root.
 */
export interface RememberedCheckpoint {
  readonly origin: string;
  readonly note: string;
  readonly size: number;
  readonly verifierKey: string;
  /** Without the log entries of the changes, which name people. An earlier version kept none. */
  readonly keys?: readonly LogKey[];
  readonly seenAt: string;
}

const PREFIX = 'lucarne.checkpoint.';

/** Identified by organization, not host: a renamed host must not reset the memory. */
const logOf = (origin: string) => origin.slice(origin.lastIndexOf('/') + 1);

/** What cannot be read is as if it were not there. */
function stored(key: string): Omit<RememberedCheckpoint, 'origin'> | undefined {
  try {
    const value = JSON.parse(localStorage.getItem(key) ?? 'null') as Omit<RememberedCheckpoint, 'origin'>;
    if (typeof value.note === 'string' && Number.isSafeInteger(value.size)) return value;
  } catch {
    // Neither JSON nor an object.
  }
  return undefined;
}

/** What this browser last saw of the log of an organization. */
export function remembered(organizationId: string): RememberedCheckpoint | undefined {
  for (let index = 0; index < localStorage.length; index += 1) {
    const key = localStorage.key(index);
    if (!key?.startsWith(PREFIX)) continue;
    const origin = key.slice(PREFIX.length);
    if (logOf(origin) !== organizationId) continue;
    const value = stored(key);
    if (value) return { ...value, origin };
  }
  return undefined;
}

/** Another tab may have seen more of the log meanwhile: then that stays. */
export function remember({ origin, ...seen }: RememberedCheckpoint): void {
  const key = `${PREFIX}${origin}`;
  if ((stored(key)?.size ?? 0) <= seen.size) localStorage.setItem(key, JSON.stringify(seen));
}
