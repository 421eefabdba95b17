import { Registry } from 'prom-client';
import { silentLog } from '../../../src/platform/kernel/log.js';
import { inProcessSignals } from '../../../src/platform/signals/index.js';
import type { Database, Foundation } from '../../../src/platform/database/index.js';
import type { LedgerReader } from '../../../src/platform/ledger/index.js';
import { type FollowerOptions, MintFollower } from '../../../src/domain/indexer/mint-follower.js';
import { claimMints } from '../../../src/domain/indexer/mint-lease.js';
import { createIndexerMetrics } from '../../../src/domain/indexer/index.js';
import { DEFAULT_TIMING } from '../../../src/domain/indexer/indexer-timing.js';
import { expireLeases } from './bound-mint.js';

export function indexerFoundation(database: Database): Pick<Foundation, 'database' | 'signals' | 'log'> {
  return { database, signals: inProcessSignals(), log: silentLog };
}

export const noMetrics = () => createIndexerMetrics(new Registry());

/** A worker that takes over the one bound mint, and runs turn by turn as the test decides. */
export async function takeOver(
  database: Database,
  ledger: LedgerReader,
  options: Partial<FollowerOptions> & { readonly owner?: string } = {},
): Promise<MintFollower> {
  await expireLeases(database);
  const claim = { owner: options.owner ?? 'worker', durationMs: 60_000 };
  const [lease] = await claimMints(database, claim, 1);
  return new MintFollower({
    foundation: indexerFoundation(database),
    ledger,
    lease: lease!,
    metrics: noMetrics(),
    timing: { ...DEFAULT_TIMING, recheckIntervalMs: 0 },
    chunkSize: 3,
    ...options,
  });
}

export class Crash extends Error {
  override readonly name = 'Crash';
}

/** The database of a process that is killed just before or just after its commit number `at`. */
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
