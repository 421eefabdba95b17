import { randomBytes } from 'node:crypto';
import process from 'node:process';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  checkpointOfNow,
  logSigningKeys,
  newestCheckpoint,
  verifyLogFile,
} from '../../src/domain/activity-log/index.js';
import { rotateSigningKey } from '../../src/domain/organizations/signing-keys/rotate-signing-key.js';
import { createSealer, openCheckpoint, parseVerifierKey } from '../../src/platform/crypto/index.js';
import { sql, type Foundation } from '../../src/platform/database/index.js';
import { createKeptSigningKeys, parseKeyUri } from '../../src/platform/keys/index.js';
import { exportOf, failuresOf, type LogFile } from '../domain/activity-log/exported-log.js';
import { act, faultsOfLog, loggedEntries, PUBLIC_HOST } from '../domain/activity-log/kit.js';
import { createDurableDatabase, type DurableDatabase } from '../kit/durable-database.js';
import { seedOrganization, testFoundation, type SeededOrganization } from '../kit/seed.js';
import { SIGNING_STORES, type SigningStore } from '../platform/keys/signing-stores.js';
import { dying, type Moment, type Work } from './dying.js';

type Point = readonly [when: string, moment: Moment];
const HELD: Point = [
  'while it holds the log, after the store told its public key',
  { after: 'update "activity_logs"', before: 'insert into "signing_keys"' },
];
/** A rotation into a store is attempted three times: each attempt but the last ends for want of a signature. */
const POINTS: readonly Point[] = [
  ['before it holds the log', { before: 'update "activity_logs"' }],
  HELD,
  [
    'after the store signed that the key follows',
    { after: 'insert into "signing_keys"', before: 'insert into "activity_entries"' },
  ],
  [
    'after the store signed the checkpoint',
    { after: 'insert into "activity_entries"', before: 'insert into "log_checkpoints"' },
  ],
  ['before its commit', { after: 'insert into "log_checkpoints"', before: 'commit' }],
];
// Each takes a process: every point for one store, and one for the others. KILL_POINTS=all takes all for all.
const takesAll = (at: number) => at === 0 || process.env['KILL_POINTS'] === 'all';

describe.each(
  SIGNING_STORES.map(([name, open], at) => {
    const all = takesAll(at);
    return [name, open, all ? POINTS : [HELD], all ? it : it.skip] as const;
  }),
)('a process that is killed while the key of a log moves into %s', (_, open, points, more) => {
  const masterKey = randomBytes(32);
  let store: SigningStore;
  let durable: DurableDatabase;
  let home: SeededOrganization;
  beforeAll(async () => {
    store = await open();
    durable = await createDurableDatabase();
  });
  afterAll(async () => {
    await durable[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  });
  // The first key is sealed in the database.
  beforeEach(() =>
    opened(async (foundation) => {
      home = await seedOrganization(foundation);
      await checkpointOfNow({ ...foundation, signingKeys: createKeptSigningKeys({}) }, log());
    }),
  );

  const log = () => ({ organizationId: home.organization.id, publicHost: PUBLIC_HOST });
  async function opened<Result>(run: (foundation: Foundation) => Promise<Result>): Promise<Result> {
    await using database = await durable.open();
    const signingKeys = createKeptSigningKeys(store.stores, parseKeyUri(store.uris[0]));
    const sealer = createSealer(masterKey);
    return await run({ ...testFoundation(database), sealer, signingKeys });
  }
  const killed = (work: Work, moment?: Moment) =>
    dying({
      ...{ target: durable.target, masterKey, work, stores: store.told, signingKey: store.uris[0] },
      ...(moment && { moment }),
    });
  const rotation = (): Work => ({
    ...{ kind: 'rotateSigningKey', sessionToken: home.owner.sessionToken, log: log() },
  });
  const epochs = async ({ database }: Foundation) =>
    (await logSigningKeys(database, home.organization.id)).map(({ epoch }) => epoch);
  /** Half a minute later: nobody holds the log for a process that died. */
  const leaseEnds = ({ database }: Foundation) =>
    database.rows(sql`update activity_logs set lease_expires_at = now() - interval '1 second'`);
  /** The log continues, and each of its keys verifies all of it. */
  async function expectOneHistory(foundation: Foundation): Promise<void> {
    const { database } = foundation;
    const { id } = home.organization;
    await act(foundation, id, 1);
    await checkpointOfNow(foundation, log());
    expect((await loggedEntries(database, id)).filter(({ index }) => index === null)).toEqual([]);
    expect(await faultsOfLog(database, id)).toEqual([]);
    const file = JSON.parse(await exportOf(database, id)) as LogFile;
    for (const { verifierKey } of await logSigningKeys(database, id))
      expect(failuresOf(verifyLogFile(file, { verifierKey, complete: true }))).toEqual([]);
  }

  it.each(points)('has not rotated it: %s', async (when, moment) => {
    await killed(rotation(), moment);
    await opened(async (foundation) => {
      expect(await epochs(foundation)).toEqual([1]);
      await leaseEnds(foundation);
      await expectOneHistory(foundation);
      await rotateSigningKey(foundation, home.owner.principal, { reason: 'Again' });
      expect(await epochs(foundation)).toEqual([2, 1]);
      await expectOneHistory(foundation);
    });
  });

  more('has rotated it right after its commit, and both keys signed that', async () => {
    await killed(rotation());
    await opened(async (foundation) => {
      expect(await epochs(foundation)).toEqual([2, 1]);
      const { note } = await newestCheckpoint(foundation.database, home.organization.id);
      for (const { verifierKey } of await logSigningKeys(foundation.database, home.organization.id))
        expect(openCheckpoint(note, parseVerifierKey(verifierKey)!)).toBeDefined();
      await leaseEnds(foundation);
      await expectOneHistory(foundation);
    });
  });

  more(
    'has lost no entry and signed no second history when it dies between the signature and its commit',
    async () => {
      await opened(async (foundation) => {
        await rotateSigningKey(foundation, home.owner.principal, {
          reason: 'Into the store',
          overlapDays: 0,
        });
      });
      const work: Work = { kind: 'actThenSequence', foreignId: 'after', log: log() };
      await killed(work, { after: 'update "activity_logs"', before: 'insert into "log_checkpoints"' });
      await opened(async (foundation) => {
        await leaseEnds(foundation);
        await expectOneHistory(foundation);
      });
    },
  );
});
