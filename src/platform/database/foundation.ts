import type { KeptSigningKeys, Sealer } from '../crypto/index.js';
import type { Clock } from '../kernel/clock.js';
import type { Log } from '../kernel/log.js';
import type { Random } from '../kernel/random.js';
import type { Database, Reader } from './database.js';
import type { Signals } from '../signals/index.js';

/** The dependencies of every operation, created once in the composition root and passed in. */
export interface Foundation {
  readonly database: Database;
  /**
   * The database, or replicas of it, for large listings and reports. It shows all that was committed when it is asked. What
   * decides something is read from `database`.
   */
  readonly reads: Reader;
  readonly signals: Signals;
  readonly clock: Clock;
  readonly random: Random;
  readonly sealer: Sealer;
  /** The keys of organizations that are not sealed in the database. */
  readonly signingKeys: KeptSigningKeys;
  readonly log: Log;
}
