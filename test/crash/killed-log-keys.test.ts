import { randomBytes } from 'node:crypto';
import process from 'node:process';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { UserPrincipal } from '../../src/domain/access/index.js';
import {
  checkpointOfNow,
  logSigningKeys,
  newestCheckpoint,
  verifyLogFile,
} from '../../src/domain/activity-log/index.js';
import { declareSigningKeyCompromised } from '../../src/domain/organizations/signing-keys/declare-signing-key-compromised.js';
import { declareSigningKeyLost } from '../../src/domain/organizations/signing-keys/declare-signing-key-lost.js';
import { rotateSigningKey } from '../../src/domain/organizations/signing-keys/rotate-signing-key.js';
import { createSealer, openCheckpoint, parseVerifierKey } from '../../src/platform/crypto/index.js';
import { sql, type Foundation } from '../../src/platform/database/index.js';
import { createKeptSigningKeys, parseKeyUri } from '../../src/platform/keys/index.js';
import { exportOf, failuresOf, type LogFile } from '../domain/activity-log/exporting/exported-log.js';
import { act, faultsOfLog, loggedEntries, PUBLIC_HOST } from '../domain/activity-log/kit.js';
import { createDurableDatabase } from '../kit/database/durable-database.js';
import {
  seedMember,
  seedOrganization,
  testFoundation,
  type SeededOrganization,
  type SeededUser,
} from '../kit/seed.js';
import { openLocalVault } from '../platform/keys/stores/local-vault.js';
import { SIGNING_STORES, type SigningStore } from '../platform/keys/stores/signing-stores.js';
import { dying, type Moment, type Work } from './dying.js';

type Point = readonly [when: string, moment: Moment];
const HELD: Point = [
  'while it holds the log, after the store told its public key',
  { after: 'update "activity_logs"', before: 'insert into "signing_keys"' },
];
/**
 * A change of keys is attempted several times: each attempt except the last ends because a signature of the store is missing.
 */
const POINTS: readonly Point[] = [
  ['before it holds the log', { before: 'update "activity_logs"' }],
  HELD,
  [
    'after the store signed the change of keys',
    { after: 'insert into "signing_keys"', before: 'insert into "activity_entries"' },
  ],
  [
    'after the store signed the checkpoint',
    { after: 'insert into "activity_entries"', before: 'insert into "log_checkpoints"' },
  ],
  ['before its commit', { after: 'insert into "log_checkpoints"', before: 'commit' }],
];
/**
 * The stores. Each point takes a process, so one store runs every point, and the others run one point. KILL_POINTS=all runs
 * every point for every store.
 */
const storesOf = (thorough: number, points: readonly Point[] = POINTS, one: Point = HELD) =>
  SIGNING_STORES.map(([name, open], at) => {
    const all = at < thorough || process.env['KILL_POINTS'] === 'all';
    return [name, open, all ? points : [one], all ? it : it.skip] as const;
  });

/** A log whose next key is in a store or in the database, which processes open one after another. */
async function openRoom(open?: () => Promise<SigningStore>) {
  const parts = new AsyncDisposableStack();
  const store = open && parts.use(await open());
  const next = store?.uris[0];
  const durable = parts.use(await createDurableDatabase());
  const masterKey = randomBytes(32);
  const room = {
    log: ({ organization }: SeededOrganization) => ({
      organizationId: organization.id,
      publicHost: PUBLIC_HOST,
    }),
    async opened<Result>(run: (foundation: Foundation) => Promise<Result>): Promise<Result> {
      await using database = await durable.open();
      const signingKeys = createKeptSigningKeys(
        store?.stores ?? {},
        next === undefined ? next : parseKeyUri(next),
      );
      const sealer = createSealer(masterKey);
      return await run({ ...testFoundation(database), sealer, signingKeys });
    },
    killed: (work: Work, moment?: Moment) =>
      dying({
        ...{ target: durable.target, masterKey, work },
        ...(store && { stores: store.told, signingKey: store.uris[0] }),
        ...(moment && { moment }),
      }),
    epochs: async ({ database }: Foundation, { organization }: SeededOrganization) =>
      (await logSigningKeys(database, organization.id)).map(({ epoch }) => epoch),
    /** Half a minute later: the lease that a dead process had on the log has expired. */
    leaseEnds: ({ database }: Foundation) =>
      database.rows(sql`update activity_logs set lease_expires_at = now() - interval '1 second'`),
    /** The log continues, and each of `keys` of its keys, newest first, verifies the whole log. */
    async expectOneHistory(foundation: Foundation, home: SeededOrganization, keys = Infinity): Promise<void> {
      const { database } = foundation;
      const { id } = home.organization;
      await act(foundation, id, 1);
      await checkpointOfNow(foundation, room.log(home));
      expect((await loggedEntries(database, id)).filter(({ index }) => index === null)).toEqual([]);
      expect(await faultsOfLog(database, id)).toEqual([]);
      const file = JSON.parse(await exportOf(database, id)) as LogFile;
      for (const { verifierKey } of (await logSigningKeys(database, id)).slice(0, keys))
        expect(failuresOf(verifyLogFile(file, { verifierKey, complete: true }))).toEqual([]);
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
  return room;
}

type Room = Awaited<ReturnType<typeof openRoom>>;

describe.each(storesOf(1))(
  'a process that is killed while the key of a log moves into %s',
  (_, open, points, more) => {
    let room: Room;
    let home: SeededOrganization;
    beforeAll(async () => {
      room = await openRoom(open);
    });
    afterAll(async () => room[Symbol.asyncDispose]());
    // The first key is sealed in the database.
    beforeEach(() =>
      room.opened(async (foundation) => {
        home = await seedOrganization(foundation);
        await checkpointOfNow({ ...foundation, signingKeys: createKeptSigningKeys({}) }, room.log(home));
      }),
    );

    const rotation = (): Work => ({
      ...{ kind: 'rotateSigningKey', sessionToken: home.owner.sessionToken, log: room.log(home) },
    });

    it.each(points)('has not rotated the key: %s', async (when, moment) => {
      await room.killed(rotation(), moment);
      await room.opened(async (foundation) => {
        expect(await room.epochs(foundation, home)).toEqual([1]);
        await room.leaseEnds(foundation);
        await room.expectOneHistory(foundation, home);
        await rotateSigningKey(foundation, home.owner.principal, { reason: 'Again' });
        expect(await room.epochs(foundation, home)).toEqual([2, 1]);
        await room.expectOneHistory(foundation, home);
      });
    });

    more(
      'has rotated the key if it dies right after its commit, and both keys signed the rotation',
      async () => {
        await room.killed(rotation());
        await room.opened(async (foundation) => {
          expect(await room.epochs(foundation, home)).toEqual([2, 1]);
          const { note } = await newestCheckpoint(foundation.database, home.organization.id);
          for (const { verifierKey } of await logSigningKeys(foundation.database, home.organization.id))
            expect(openCheckpoint(note, parseVerifierKey(verifierKey)!)).toBeDefined();
          await room.leaseEnds(foundation);
          await room.expectOneHistory(foundation, home);
        });
      },
    );

    more(
      'has lost no entry and signed no second history when it dies between the signature and its commit',
      async () => {
        await room.opened(async (foundation) => {
          await rotateSigningKey(foundation, home.owner.principal, {
            reason: 'Into the store',
            overlapDays: 0,
          });
        });
        const work: Work = { kind: 'actThenSequence', foreignId: 'after', log: room.log(home) };
        await room.killed(work, { after: 'update "activity_logs"', before: 'insert into "log_checkpoints"' });
        await room.opened(async (foundation) => {
          await room.leaseEnds(foundation);
          await room.expectOneHistory(foundation, home);
        });
      },
    );
  },
);

/** The statements of a loss whose next key is sealed: no store is asked, so there is only one attempt. */
const SEALED: readonly Point[] = [
  ['before it makes the next key', { before: 'insert into "signing_keys"' }],
  ['before the lost key ends', { after: 'insert into "signing_keys"', before: 'update "signing_keys"' }],
  [
    'before it says that the key is lost',
    { after: 'update "signing_keys"', before: 'insert into "activity_entries"' },
  ],
  ...POINTS.slice(3),
];

describe.each([['the database', undefined, SEALED, it] as const, ...storesOf(0)])(
  'a process that is killed while a lost key of a log is replaced by one in %s',
  (_, open, points, more) => {
    let room: Room;
    let home: SeededOrganization;
    let second: SeededUser;
    beforeAll(async () => {
      room = await openRoom(open);
    });
    afterAll(async () => room[Symbol.asyncDispose]());
    const declare = (foundation: Foundation, principal: UserPrincipal) =>
      declareSigningKeyLost(foundation, principal, { epoch: 1, reason: 'The token was destroyed' });
    // The first key was in a store that no longer exists. Another owner declared it lost more than an hour ago.
    beforeEach(() =>
      room.opened(async (foundation) => {
        await using gone = await openLocalVault();
        gone.makeKey('gone', 'ed25519');
        const signingKeys = createKeptSigningKeys(gone.stores, parseKeyUri('vault:transit/gone'));
        home = await seedOrganization(foundation);
        second = await seedMember(foundation, home.organization.id, { owner: ['policies:manage'] });
        await checkpointOfNow({ ...foundation, signingKeys }, room.log(home));
        const before = { now: () => new Date(Date.now() - 61 * 60_000) };
        await expect(declare({ ...foundation, clock: before }, home.owner.principal)).rejects.toMatchObject({
          reason: 'second_person_required',
        });
      }),
    );
    const loss = (): Work => ({
      ...{ kind: 'declareSigningKeyLost', sessionToken: second.sessionToken, log: room.log(home) },
    });

    it('has not replaced the key if it dies before the commit, and the first owner’s declaration stays valid', async () => {
      for (const [, moment] of points) {
        await room.killed(loss(), moment);
        // If no store is asked, no process has a lease of the log.
        if (open) await room.opened(room.leaseEnds);
      }
      await room.opened(async (foundation) => {
        expect(await room.epochs(foundation, home)).toEqual([1]);
        await declare(foundation, second.principal);
        expect(await room.epochs(foundation, home)).toEqual([2, 1]);
        await room.expectOneHistory(foundation, home, 1);
      });
    });

    more(
      'has replaced the key if it dies right after its commit, and waiting entries are signed',
      async () => {
        await room.killed(loss());
        await room.opened(async (foundation) => {
          expect(await room.epochs(foundation, home)).toEqual([2, 1]);
          await room.leaseEnds(foundation);
          await room.expectOneHistory(foundation, home, 1);
          await expect(declare(foundation, second.principal)).rejects.toMatchObject({ code: 'CONFLICT' });
        });
      },
    );
  },
);

/**
 * The statements of a declaration that a key is compromised. Waiting entries are sequenced first: that checkpoint is the first.
 */
const COMPROMISE: readonly Point[] = [
  ['before it holds the log', { before: 'select "origin"' }],
  ['before what waits is signed', { before: 'insert into "log_checkpoints"' }],
  ['before the key is disowned', { after: 'insert into "log_checkpoints"', before: 'update "signing_keys"' }],
  [
    'before its secret is destroyed',
    {
      after: 'update "signing_keys" set "compromised_from"',
      before: 'update "signing_keys" set "sealed_secret"',
    },
  ],
  [
    'before it says so in the log',
    { after: 'update "signing_keys" set "sealed_secret"', before: 'insert into "activity_entries"' },
  ],
  [
    'before the checkpoint that says so',
    { after: 'insert into "activity_entries"', before: 'insert into "log_checkpoints"' },
  ],
  ['before its commit', { after: 'insert into "activity_entries"', before: 'commit' }],
];

/** If the key in use is in a store. */
const WHILE_HELD: Point = [
  'while it holds the log, after the store signed what waits',
  { after: 'update "activity_logs"', before: 'update "signing_keys" set "compromised_from"' },
];

describe.each([
  ['the database', undefined, COMPROMISE, it] as const,
  ...storesOf(0, [...COMPROMISE, WHILE_HELD], WHILE_HELD),
])(
  'a process that is killed while an earlier key is declared compromised, and the key in use is in %s',
  (_, open, points, more) => {
    let room: Room;
    let home: SeededOrganization;
    beforeAll(async () => {
      room = await openRoom(open);
    });
    afterAll(async () => room[Symbol.asyncDispose]());
    const declare = (foundation: Foundation) =>
      declareSigningKeyCompromised(foundation, home.owner.principal, {
        ...{ epoch: 1, fromIndex: 1, reason: 'A backup was stolen' },
      });
    // The first key is sealed in the database, and still signs together with the second one. An entry waits.
    beforeEach(() =>
      room.opened(async (foundation) => {
        home = await seedOrganization(foundation);
        await checkpointOfNow({ ...foundation, signingKeys: createKeptSigningKeys({}) }, room.log(home));
        await rotateSigningKey(foundation, home.owner.principal, { reason: 'The yearly rotation' });
        await act(foundation, home.organization.id, 1);
      }),
    );
    const compromise = (): Work => ({
      ...{ kind: 'declareSigningKeyCompromised', sessionToken: home.owner.sessionToken, log: room.log(home) },
    });
    const stateOf = async ({ database }: Foundation) => {
      const keys = await database.rows(sql<{ from: number | null; sealed: boolean }>`
        select compromised_from as from, sealed_secret is not null as sealed from signing_keys
        where organization_id = ${home.organization.id} and epoch = 1`);
      const declared = await database.rows(sql`select id from activity_entries
        where organization_id = ${home.organization.id} and event_type = 'signing_key.compromised'`);
      return { ...keys[0]!, declarations: declared.length };
    };

    it('has declared nothing if it dies before the commit: the key continues to sign until it is declared again', async () => {
      for (const [, moment] of points) {
        await room.killed(compromise(), moment);
        await room.opened(async (foundation) => {
          expect(await stateOf(foundation)).toEqual({ from: null, sealed: true, declarations: 0 });
          await room.leaseEnds(foundation);
        });
      }
      await room.opened(async (foundation) => {
        await room.expectOneHistory(foundation, home);
        await declare(foundation);
        expect(await stateOf(foundation)).toEqual({ from: 1, sealed: false, declarations: 1 });
        await room.expectOneHistory(foundation, home, 1);
      });
    });

    more(
      'has declared the key if it dies right after its commit, and the key signs nothing more',
      async () => {
        await room.killed(compromise());
        await room.opened(async (foundation) => {
          expect(await stateOf(foundation)).toEqual({ from: 1, sealed: false, declarations: 1 });
          const { note } = await newestCheckpoint(foundation.database, home.organization.id);
          const [current, stolen] = await logSigningKeys(foundation.database, home.organization.id);
          expect(openCheckpoint(note, parseVerifierKey(current.verifierKey)!)).toBeDefined();
          expect(openCheckpoint(note, parseVerifierKey(stolen!.verifierKey)!)).toBeUndefined();
          await room.leaseEnds(foundation);
          await room.expectOneHistory(foundation, home, 1);
          await expect(declare(foundation)).rejects.toMatchObject({ code: 'CONFLICT' });
        });
      },
    );
  },
);
