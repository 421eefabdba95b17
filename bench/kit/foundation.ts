import { randomBytes } from 'node:crypto';
import { connectDatabase, type Database, type Foundation } from '#lucarne/platform/database/index.js';
import { inProcessSignals, postgresqlSignals } from '#lucarne/platform/signals/index.js';
import { entities } from '#lucarne/app/storage/entities.js';
import { openDatabase } from '#lucarne/app/storage/open-database.js';
import { systemClock } from '#lucarne/platform/kernel/clock.js';
import { silentLog } from '#lucarne/platform/kernel/log.js';
import { systemRandom } from '#lucarne/platform/kernel/random.js';
import { createKeptSigningKeys, createKeyring, createMasterKeys } from '#lucarne/platform/keys/index.js';
import { PURPOSES } from '#lucarne/app/storage/sealed-columns.js';
import type { Conditions } from './benchmark.ts';

/** The foundation of all operations, on the migrated database of the benchmark. Signals reach other processes on request. */
export async function openFoundation(
  { databaseUrl, parts }: Pick<Conditions, 'databaseUrl' | 'parts'>,
  masterKey: Uint8Array = randomBytes(32),
  signals: 'here' | 'everywhere' = 'here',
): Promise<Foundation> {
  const database = parts.use(await connectDatabase({ entities, target: { url: databaseUrl } }));
  const foundation = await foundationOn(database, parts, masterKey);
  if (signals === 'here') return foundation;
  return { ...foundation, signals: parts.use(postgresqlSignals(databaseUrl, silentLog)) };
}

/** The same on the embedded database of a data directory. The process that owns it must not run. */
export async function openEmbeddedFoundation(
  dataDirectory: string,
  parts: AsyncDisposableStack,
  masterKey: Uint8Array,
): Promise<Foundation> {
  const database = await openDatabase({ databaseUrl: undefined, dataDirectory }, parts);
  return foundationOn(database, parts, masterKey);
}

async function foundationOn(
  database: Database,
  parts: AsyncDisposableStack,
  masterKey: Uint8Array,
): Promise<Foundation> {
  await database.migrate();
  const place = { kind: 'bytes', name: 'the benchmark’s master key', keys: [masterKey] } as const;
  const masterKeys = createMasterKeys(place);
  const keyring = parts.use(
    createKeyring({ database, masterKeys, purposes: PURPOSES, random: systemRandom, log: silentLog }),
  );
  await keyring.open();
  keyring.follow();
  return {
    ...{ database, reads: database },
    signals: parts.use(inProcessSignals()),
    clock: systemClock,
    random: systemRandom,
    sealer: keyring.sealer,
    signingKeys: createKeptSigningKeys({}),
    log: silentLog,
  };
}
