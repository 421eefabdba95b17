import { silentLog } from '../../src/kernel/log.js';
import { systemRandom } from '../../src/kernel/random.js';
import { inProcessSignals, type Database, type Foundation } from '../../src/database/index.js';
import type { LedgerReader } from '../../src/ledger/index.js';
import { MintFollower, type FollowerOptions } from '../../src/indexer/mint-follower.js';
import { claimMints } from '../../src/indexer/mint-lease.js';
import { noMetrics } from '../../src/indexer/indexer-metrics.js';
import { DEFAULT_TIMING } from '../../src/indexer/indexer-timing.js';
import { expireLeases } from './bound-mint.js';

export function indexerFoundation(
  database: Database,
): Pick<Foundation, 'database' | 'signals' | 'log' | 'random'> {
  return { database, signals: inProcessSignals(), log: silentLog, random: systemRandom };
}

/** A worker that takes the one bound mint over from whoever had it, and does what a test tells it, turn by turn. */
export async function takeOver(
  database: Database,
  ledger: LedgerReader,
  options: Partial<FollowerOptions> & { readonly owner?: string } = {},
): Promise<MintFollower> {
  await expireLeases(database);
  const claim = { owner: options.owner ?? 'worker', leaseMs: 60_000, limit: 1 };
  const [lease] = await claimMints(database, claim);
  return new MintFollower({
    foundation: indexerFoundation(database),
    ledger,
    lease: lease!,
    metrics: noMetrics,
    timing: { ...DEFAULT_TIMING, recheckIntervalMs: 0 },
    chunkSize: 3,
    ...options,
  });
}

export class Crash extends Error {
  override readonly name = 'Crash';
}

/** The database of a process that is killed just before, or just after, its commit number `at`. */
export function databaseKilledAt(database: Database, at: number, moment: 'before' | 'after'): Database {
  let commits = 0;
  return {
    ...database,
    async transaction(work) {
      commits += 1;
      if (commits > at) throw new Crash();
      if (commits < at) return database.transaction(work);
      if (moment === 'after') {
        await database.transaction(work);
        throw new Crash();
      }
      return database.transaction(async (transaction) => {
        await work(transaction);
        throw new Crash();
      });
    },
  };
}
