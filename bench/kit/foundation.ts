import { randomBytes } from 'node:crypto';
import { createSealer } from '#lucarne/crypto/index.js';
import {
  connectDatabase,
  inProcessSignals,
  postgresqlSignals,
  type Foundation,
} from '#lucarne/database/index.js';
import { entities } from '#lucarne/entities.js';
import { systemClock } from '#lucarne/kernel/clock.js';
import { silentLog } from '#lucarne/kernel/log.js';
import { systemRandom } from '#lucarne/kernel/random.js';
import type { Conditions } from './benchmark.ts';

/** What every operation stands on, on the benchmark’s database, migrated. Signals reach other processes on request. */
export async function openFoundation(
  { databaseUrl, parts }: Pick<Conditions, 'databaseUrl' | 'parts'>,
  masterKey: Uint8Array = randomBytes(32),
  signals: 'here' | 'everywhere' = 'here',
): Promise<Foundation> {
  const database = parts.use(await connectDatabase({ entities, target: { url: databaseUrl } }));
  await database.migrate();
  return {
    database,
    signals: parts.use(
      signals === 'everywhere' ? postgresqlSignals(databaseUrl, silentLog) : inProcessSignals(),
    ),
    clock: systemClock,
    random: systemRandom,
    sealer: createSealer(masterKey),
    log: silentLog,
  };
}
