import { describe, expect, it } from '@jest/globals';
import { entities } from '../../../../src/app/storage/entities.js';
import { acceptRequests } from '../../../../src/domain/relays/admission/insert-relays.js';
import { insertUnkept } from '../../../../src/domain/relays/admission/insert-unkept.js';
import { canonicalBytes, parseRelayPackage } from '../../../../src/domain/relays/packages/relay-package.js';
import { submitRelay } from '../../../../src/domain/relays/admission/submit-relay.js';
import { createWaitingRelays } from '../../../../src/domain/relays/admission/waiting-relays.js';
import { findRelay } from '../../../../src/domain/relays/relay.js';
import { sha256 } from '../../../../src/platform/crypto/index.js';
import { connectDatabase, sql, type Database } from '../../../../src/platform/database/index.js';
import { createTestDatabase } from '../../../kit/database/database.js';
import { itOnPostgresql } from '../../../kit/database/on-postgresql.js';
import { standingClock } from '../../checks/kit.js';
import { freshPackage, openDesk, POOL } from '../desk-kit.js';
import { submissionStories } from './submission-stories.js';

const stories = submissionStories();

describe('the statements of admission', () => {
  itOnPostgresql('are not planned again, after the first groups of a connection', async () => {
    await using migrated = await createTestDatabase();
    await using database = await connectDatabase({
      entities,
      target: { url: migrated.url!, poolSize: 1 },
    });
    await using desk = await openDesk({ ...stories.foundation, database }, stories.proofs);
    // Groups of different sizes, because PostgreSQL compares plans by the number of rows that it expects.
    for (let round = 0; round < 12; round += 1)
      await Promise.all(
        Array.from({ length: 1 + (round % 4) }, () => submitRelay(desk, '192.0.2.1', freshPackage())),
      );
    const plans = await database.rows(sql<{ name: string; made: number; kept: number }>`
      select name, custom_plans::integer as made, generic_plans::integer as kept from pg_prepared_statements
      where name in ('counted_together', 'relays_repeated', 'relays_room', 'relays_accepted')
      order by name`);
    const kept = { made: 5, kept: expect.any(Number) };
    expect(plans).toEqual([
      { name: 'counted_together', ...kept },
      { name: 'relays_accepted', ...kept },
      { name: 'relays_repeated', ...kept },
      { name: 'relays_room', ...kept },
    ]);
    for (const plan of plans) expect(plan.kept).toBeGreaterThan(0);
  });

  it.each([true, false])('return requests as they are stored (kept: %s)', async (areKept) => {
    const group = [freshPackage(), freshPackage()].map((sent) => {
      const relayPackage = parseRelayPackage(sent);
      const canonical = canonicalBytes(relayPackage);
      return {
        ...{ pool: stories.desk.pools.get(POOL)!, relayPackage, canonical, digest: sha256(canonical) },
        nullifiers: sent.publicSignals.slice(3, 5).map((signal) => Buffer.from(signal, 'hex')),
        clientHash: new Uint8Array(32),
      };
    });
    const { database, foundation } = stories;
    const limits = { perPool: 1_000, lockTimeoutMs: 1_000 };
    const relays = areKept
      ? (await acceptRequests(database, foundation, group, limits)).accepted.map(({ relay }) => relay!)
      : await Promise.all(group.map((one) => insertUnkept(database, one)));
    for (const relay of relays) {
      const { packageDigest, ...stored } = (await findRelay(database, relay.id))!;
      expect({ ...relay, packageDigest: undefined }).toEqual(stored);
      expect(Buffer.from(packageDigest)).toEqual(Buffer.from(relay.packageDigest));
    }
    expect(relays.map(({ packageDigest }) => packageDigest)).toEqual(group.map(({ digest }) => digest));
  });
});

describe('the number of waiting requests', () => {
  const LIMIT = 1_000;

  /** A queue that holds as many as `state.waiting`. */
  function open(limit = LIMIT) {
    const state = { waiting: 0, counted: 0, whileCounting: () => {} };
    const clock = standingClock();
    const rows: Database['rows'] = () => {
      state.counted += 1;
      state.whileCounting();
      return Promise.resolve([{ waiting: state.waiting }] as never[]);
    };
    const database = { ...stories.database, rows };
    return { state, clock, relays: createWaitingRelays({ database, clock }, limit) };
  }

  it('is counted again after a moment, or if the clock was set back', async () => {
    const { state, clock, relays } = open();
    for (const [advanceMs, counted] of [
      [0, 1],
      [249, 1],
      [1, 2],
      [100, 2],
      [-101, 3],
    ] as const) {
      clock.advance(advanceMs);
      state.waiting = counted;
      expect(await relays.count()).toBe(counted);
      expect(state.counted).toBe(counted);
    }
  });

  it('includes what this instance accepted, and is counted each time from half of the limit', async () => {
    const { state, relays } = open();
    expect(await relays.count()).toBe(0);
    relays.accepted(400);
    expect([await relays.count(), state.counted]).toEqual([400, 1]);
    relays.accepted(100);
    for (const waiting of [500, 900, 1_000]) {
      state.waiting = waiting;
      expect(await relays.count()).toBe(waiting);
    }
    expect(state.counted).toBe(4);
  });

  it('includes what this instance accepted during the count', async () => {
    const { state, relays } = open();
    state.whileCounting = () => relays.accepted(7);
    expect(await relays.count()).toBe(0);
    expect([await relays.count(), state.counted]).toEqual([7, 1]);
  });

  it('is counted each time for a small limit, which several instances could exceed together', async () => {
    const { state, relays } = open(LIMIT - 1);
    for (const waiting of [0, 3]) {
      state.waiting = waiting;
      expect(await relays.count()).toBe(waiting);
    }
    expect(state.counted).toBe(2);
  });
});
