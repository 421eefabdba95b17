import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import process from 'node:process';
import { sealingKeyOf } from '../../src/platform/crypto/index.js';
import type { Database } from '../../src/platform/database/index.js';
import {
  announceDataKeys,
  createMasterKeys,
  type KeyStores,
  keyStatus,
  type MasterKeys,
  parseKeyUri,
  reseal,
  retireMasterKey,
  rotateMasterKey,
} from '../../src/platform/keys/index.js';
import { createDurableDatabase, type DurableDatabase } from '../kit/durable-database.js';
import {
  type KeyRoom,
  letSettle,
  opened,
  openKeyRoom,
  storedPieces,
  storePieces,
} from '../platform/keys/key-room.js';
import { openLocalAwsKms } from '../platform/keys/local-aws-kms.js';
import { openLocalGcpKms } from '../platform/keys/local-gcp-kms.js';
import { openLocalVault } from '../platform/keys/local-vault.js';
import { HAS_SOFT_HSM, openSoftHsm } from '../platform/keys/soft-hsm.js';
import { dyingOfKeys, type KeyTask, type Moment } from './dying.js';

/** More than one batch. */
const PIECES = 20;

/** Where a rotation goes. */
interface Place extends AsyncDisposable {
  readonly stores: KeyStores;
  /** The URI of the new key; without it, a line of the file. */
  readonly to?: string;
  /** What the process that is killed is told of it. */
  readonly told: Pick<KeyTask, 'stores' | 'to'>;
}

const file = (): Promise<Place> =>
  Promise.resolve({ stores: {}, told: {}, [Symbol.asyncDispose]: () => Promise.resolve() });

async function vault(): Promise<Place> {
  const server = await openLocalVault();
  const to = 'vault:transit/master';
  return Object.assign(server, { to, told: { to, stores: { vault: server.configuration } } });
}

async function softHsm(): Promise<Place> {
  const hsm = await openSoftHsm('lucarne-killed');
  const to = 'pkcs11:token=lucarne-killed;object=master';
  return Object.assign(hsm, { to, told: { to, stores: { pkcs11: hsm.configuration } } });
}

async function awsKms(): Promise<Place> {
  const kms = await openLocalAwsKms();
  const arn = 'arn:aws:kms:eu-central-1:123456789012:key/master';
  kms.makeKey(arn);
  const to = `aws-kms:${arn}`;
  return Object.assign(kms, { to, told: { to, stores: { aws: kms.configuration } } });
}

async function gcpKms(): Promise<Place> {
  const kms = await openLocalGcpKms();
  const name = 'projects/p/locations/l/keyRings/r/cryptoKeys/master';
  kms.makeKey(name);
  const to = `gcp-kms:${name}`;
  return Object.assign(kms, { to, told: { to, stores: { gcp: { port: kms.port } } } });
}

type Point = readonly [when: string, moment: Moment | undefined];
const ROTATED = 'has rotated right after its commit';
const BETWEEN: Point = [
  'has not rotated between two data keys',
  { after: 'update "data_keys"', before: 'update "data_keys"' },
];
const POINTS: readonly Point[] = [
  // The embedded database begins transactions by itself.
  ...(process.env['DATABASE_URL'] === undefined
    ? []
    : ([['has not rotated before it begins its transaction', { before: 'begin' }]] as const)),
  ['has not rotated before it stores the new version', { before: 'insert into "master_keys"' }],
  BETWEEN,
  ['has not rotated before its commit', { after: 'update "data_keys"', before: 'commit' }],
  [ROTATED, undefined],
];
// Each takes a process and a database: every point for one place, and one for the others. KILL_POINTS=all takes all for all.
const SOME = process.env['KILL_POINTS'] === 'all' ? POINTS : [BETWEEN];
const PLACES: readonly (readonly [name: string, open: () => Promise<Place>, points: readonly Point[]])[] = [
  ['a line of the file', file, POINTS],
  ['a key in Vault', vault, SOME],
  // Without Debian's softhsm2 there is no token.
  ...(HAS_SOFT_HSM ? ([['a key in a token', softHsm, SOME]] as const) : []),
  ['a key in AWS KMS', awsKms, SOME],
  ['a key in Cloud KMS', gcpKms, SOME],
];

describe('an operator’s command that is killed while it changes keys', () => {
  let durable: DurableDatabase;
  let room: KeyRoom;
  beforeEach(async () => {
    durable = await createDurableDatabase();
    room = await openKeyRoom();
    await inDatabase(async (database) => {
      const { sealer } = await room.gateway(database);
      await storePieces(database, sealer, 'one', PIECES);
    });
  });
  afterEach(async () => {
    await room[Symbol.asyncDispose]();
    await durable[Symbol.asyncDispose]();
  });

  async function inDatabase<Result>(run: (database: Database) => Promise<Result>): Promise<Result> {
    await using database = await durable.open();
    return await run(database);
  }
  const killed = (work: 'rotate' | 'reseal' | 'retire', moment?: Moment, place?: Place) =>
    dyingOfKeys({
      ...{ target: durable.target, file: room.file, work },
      ...(moment && { moment }),
      ...place?.told,
    });
  /** A gateway that starts now opens everything. */
  const expectOpen = async (database: Database, masterKeys?: MasterKeys) => {
    const { sealer } = await room.gateway(database, masterKeys);
    expect(opened(sealer, await storedPieces(database))).toBe(PIECES);
  };
  const versionsOf = async (database: Database) => {
    const { masterKeys, dataKeys } = await keyStatus(database);
    return { all: masterKeys.length, wrapping: new Set(dataKeys.map(({ masterVersion }) => masterVersion)) };
  };
  const sealingKeys = async (database: Database) =>
    new Set((await storedPieces(database)).map(({ sealed }) => sealingKeyOf(sealed)));
  const resealAll = async (database: Database) => {
    const operator = room.operator(database);
    await announceDataKeys(operator);
    await reseal({ ...operator, sealer: (await room.gateway(database)).sealer });
  };

  describe.each(PLACES)('while it rotates to %s', (_, open, points) => {
    let place: Place;
    let masterKeys: MasterKeys;
    beforeEach(async () => {
      place = await open();
      masterKeys = createMasterKeys({ kind: 'file', name: 'the file', file: room.file }, place.stores);
    });
    afterEach(async () => place[Symbol.asyncDispose]());

    it.each(points)('%s', async (when, moment) => {
      await killed('rotate', moment, place);
      const isDone = when === ROTATED;
      await inDatabase(async (database) => {
        const after = { all: 2, wrapping: new Set([2]) };
        expect(await versionsOf(database)).toEqual(isDone ? after : { all: 1, wrapping: new Set([1]) });
        await expectOpen(database, masterKeys);
        if (isDone) return;
        // The key that it made is the one that the next call takes.
        await rotateMasterKey(
          { database, masterKeys },
          place.to === undefined ? undefined : parseKeyUri(place.to),
        );
        expect(await versionsOf(database)).toEqual(after);
        await expectOpen(database, masterKeys);
      });
    });
  });

  it.each<[string, Moment]>([
    ['before it stores data keys', { before: 'insert into "data_keys"' }],
    ['before it says that values are to be sealed again', { before: 'insert into "resealing"' }],
    ['before its first batch', { before: 'update "report_chunks"' }],
    ['between a batch and its progress', { after: 'update "report_chunks"', before: 'update "resealing"' }],
    ['between two batches', { after: 'update "resealing"', before: 'update "report_chunks"' }],
    [
      'before it says that a table is done',
      { after: 'select count(*)', before: 'update "resealing" set "finished_at"' },
    ],
  ])('seals the rest again when it is run again: %s', async (_, moment) => {
    await killed('reseal', moment);
    await inDatabase(async (database) => {
      await expectOpen(database);
      await resealAll(database);
      expect((await sealingKeys(database)).size).toBe(1);
      await expectOpen(database);
    });
  });

  it.each<[string, Moment]>([
    ['before it destroys a data key', { before: 'update "data_keys"' }],
    ['between two data keys', { after: 'update "data_keys"', before: 'update "data_keys"' }],
    ['before its commit', { after: 'update "master_keys"', before: 'commit' }],
  ])('has destroyed nothing, and does when it is run again: %s', async (_, moment) => {
    await inDatabase(async (database) => {
      await rotateMasterKey(room.operator(database));
      await resealAll(database);
      await letSettle(database);
    });
    await killed('retire', moment);
    await inDatabase(async (database) => {
      const destroyed = async () =>
        (await keyStatus(database)).dataKeys.filter(({ destroyedAt }) => destroyedAt !== null).length;
      expect(await destroyed()).toBe(0);
      await expectOpen(database);
      expect(await retireMasterKey(room.operator(database), 1)).toBeGreaterThan(0);
      expect(await destroyed()).toBeGreaterThan(0);
      await expectOpen(database);
    });
  });
});
