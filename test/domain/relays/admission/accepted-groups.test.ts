import { describe, expect, it } from '@jest/globals';
import { createAdmissionGroups } from '../../../../src/domain/relays/admission/admission-groups.js';
import type { Submission } from '../../../../src/domain/relays/admission/insert-relays.js';
import {
  canonicalBytes,
  packageDigest,
  parseRelayPackage,
} from '../../../../src/domain/relays/packages/relay-package.js';
import { Prepared, sql, type Database, type Foundation } from '../../../../src/platform/database/index.js';
import type { Sealer } from '../../../../src/platform/crypto/index.js';
import { isLucarneError, unavailable } from '../../../../src/platform/kernel/errors.js';
import { openGate } from '../../../kit/process/gate.js';
import { createTestDatabase } from '../../../kit/database/database.js';
import { itOnPostgresql } from '../../../kit/database/on-postgresql.js';
import { freshPackage, POOL, rivalOf, type TestPackage } from '../desk-kit.js';
import { withinOneMinute } from '../../../kit/database/within-one-minute.js';
import { submissionStories } from './submission-stories.js';

const stories = submissionStories();
const { openPools } = stories;

describe('packages that are accepted together', () => {
  const submissionOf = (sent: TestPackage): Submission => ({
    pool: stories.desk.pools.get(POOL)!,
    relayPackage: parseRelayPackage(sent),
    canonical: canonicalBytes(parseRelayPackage(sent)),
    digest: packageDigest(parseRelayPackage(sent)),
    nullifiers: sent.publicSignals.slice(3, 5).map((signal) => Buffer.from(signal, 'hex')),
    clientHash: new Uint8Array(32),
  });
  /** Accepts packages that arrive in one turn of the event loop, so that they form one group. */
  const insert = (foundation: Foundation, group: readonly TestPackage[]) => {
    const groups = createAdmissionGroups(foundation, stories.desk.limits);
    return Promise.all(
      group.map((one) =>
        groups.accept(submissionOf(one)).then(
          (relay) => relay?.status,
          (thrown: unknown) => thrown,
        ),
      ),
    );
  };
  /** Counts inserts. Each insert for which there is an error fails with it instead. */
  const failing = (...errors: (Error | undefined)[]) => {
    const state = { inserts: 0 };
    const { database } = stories.foundation;
    const rows: Database['rows'] = (statement) => {
      if (!(statement instanceof Prepared && statement.name === 'relays_accepted'))
        return database.rows(statement);
      const error = errors[state.inserts];
      state.inserts += 1;
      return error ? Promise.reject(error) : database.rows(statement);
    };
    return { state, foundation: { ...stories.foundation, database: { ...database, rows } } };
  };

  /** How many packages the pool counted in the newest minute. */
  const poolCount = async () => {
    const key = stories.foundation.sealer.digest(`relay-pool:${POOL}`, 'rate_windows/key_hash');
    const [row] = await stories.database.rows(sql<{ counted: number }>`
      select coalesce(sum(requests), 0)::integer as counted from rate_windows where key_hash = ${key}`);
    return row!.counted;
  };

  it('are accepted with one statement although others of their group are refused', async () => {
    const held = freshPackage();
    await stories.submit(held);
    const group = [freshPackage(), rivalOf(held), freshPackage(), rivalOf(held)];
    const { state, foundation } = failing();
    expect(await insert(foundation, group)).toEqual(['accepted', undefined, 'accepted', undefined]);
    expect(state.inserts).toBe(1);
  });

  it('are accepted once although packages of one group have a nullifier in common', async () => {
    const own = freshPackage();
    const group = [freshPackage(), own, rivalOf(own), freshPackage()];
    expect(await insert(stories.foundation, group)).toEqual(['accepted', 'accepted', undefined, 'accepted']);
  });

  it('are accepted together although other instances take nullifiers of two meanwhile, one after the other', async () => {
    const { answers, inserts, counted } = await withinOneMinute(stories.database, async () => {
      const before = await poolCount();
      const taken = [freshPackage(), freshPackage()];
      const { state, foundation } = failing();
      const { database } = stories.foundation;
      let races = 0;
      // The statement fails as it does if a nullifier is taken after it began.
      const racing: Database['rows'] = async (statement) => {
        const isTaken = taken[races];
        if (!isTaken) return foundation.database.rows(statement);
        races += 1;
        await stories.submit(isTaken);
        return database.rows(sql`insert into relay_nullifiers select * from relay_nullifiers`);
      };
      const group = [freshPackage(), ...taken.map(rivalOf), freshPackage()];
      const answers = await insert({ ...foundation, database: { ...database, rows: racing } }, group);
      return { answers, inserts: state.inserts, counted: (await poolCount()) - before };
    });
    expect(answers).toEqual(['accepted', undefined, undefined, 'accepted']);
    // The two of other instances, and two of the group.
    expect([inserts, counted]).toEqual([1, 4]);
  });

  it('count for their own pool, in their order, and only if their nullifiers are free', async () => {
    const answers = await withinOneMinute(stories.database, async () => {
      await stories.database.rows(sql`delete from rate_windows`);
      const pools = [...openPools().values()];
      const held = freshPackage();
      const groups = createAdmissionGroups(stories.foundation, { ...stories.desk.limits, perPool: 2 });
      const accept = (sent: TestPackage, at: number) =>
        groups.accept({ ...submissionOf(sent), pool: pools[at]! }).then(
          (relay) => relay?.status,
          (thrown: unknown) => isLucarneError(thrown) && thrown.reason,
        );
      expect(await accept(held, 0)).toBe('accepted');
      return Promise.all([
        ...[rivalOf(held), freshPackage(), freshPackage()].map((one) => accept(one, 0)),
        ...[freshPackage(), freshPackage(), freshPackage()].map((one) => accept(one, 1)),
      ]);
    });
    expect(answers).toEqual([
      ...[undefined, 'accepted', 'rate_limited'],
      ...['accepted', 'accepted', 'rate_limited'],
    ]);
  });

  it('are accepted although a later one of their group fails', async () => {
    const lockTimeout = Object.assign(new Error('canceling statement'), { code: '55P03' });
    const gone = new Error('gone');
    const { foundation } = failing(lockTimeout, undefined, gone);
    const group = [freshPackage(), freshPackage(), freshPackage()];
    expect(await insert(foundation, group)).toEqual(['accepted', gone, 'accepted']);
    const [accepted] = group;
    expect(await stories.submit(accepted)).toMatchObject({ status: 'accepted', sequence: 1 });
  });

  it('are accepted although another one of their group cannot be stored', async () => {
    const foundation = {
      ...stories.foundation,
      sealer: {
        ...stories.foundation.sealer,
        seal(...parameters: Parameters<Sealer['seal']>) {
          if (Buffer.from(parameters[0]).includes('spoilt')) throw new Error('It cannot be sealed.');
          return stories.foundation.sealer.seal(...parameters);
        },
      },
    };
    const spoilt = freshPackage({ applicationIdHints: ['spoilt'] });
    expect(await insert(foundation, [freshPackage(), spoilt, freshPackage()])).toEqual([
      ...['accepted', new Error('It cannot be sealed.'), 'accepted'],
    ]);
  });

  it('all fail at once if the database is unavailable', async () => {
    const away = unavailable('The database cannot be reached.');
    const { state, foundation } = failing(away);
    const group = [freshPackage(), freshPackage(), freshPackage()];
    expect(await insert(foundation, group)).toEqual([away, away, away]);
    expect(state.inserts).toBe(1);
  });

  it('all fail at once if the database becomes unavailable while they are stored one by one', async () => {
    const lockTimeout = Object.assign(new Error('canceling statement'), { code: '55P03' });
    const away = unavailable('The database cannot be reached.');
    const { state, foundation } = failing(lockTimeout, undefined, away);
    const group = [freshPackage(), freshPackage(), freshPackage(), freshPackage()];
    expect(await insert(foundation, group)).toEqual(['accepted', away, away, away]);
    expect(state.inserts).toBe(3);
  });

  itOnPostgresql(
    'do not wait for a transaction that locks the nullifier of one and does not end',
    async () => {
      const blocked = freshPackage();
      using gate = openGate();
      const holding = stories.database.transaction(async (transaction) => {
        const { pool, nullifiers } = submissionOf(blocked);
        await transaction.rows(sql`insert into relay_nullifiers (program_id, nullifier, request_id)
          select ${pool.programId}, ${nullifiers[0]}, id from relay_requests limit 1`);
        await gate.until();
        throw new Error('rolled back');
      });
      await gate.arrived;
      try {
        const refusal = { code: 'UNAVAILABLE', reason: 'relayer_unavailable', retryAfterSeconds: 1 };
        expect(await insert(stories.foundation, [freshPackage(), blocked, freshPackage()])).toEqual([
          ...['accepted', expect.objectContaining(refusal), 'accepted'],
        ]);
        await expect(stories.submit(blocked)).rejects.toMatchObject(refusal);
      } finally {
        gate.release();
        await expect(holding).rejects.toThrow('rolled back');
      }
      expect(await stories.submit(blocked)).toMatchObject({ status: 'accepted' });
    },
  );

  itOnPostgresql(
    'wait for the window of their pool, which other instances hold until their commit',
    async () => {
      await stories.submit(freshPackage());
      const key = stories.foundation.sealer.digest(`relay-pool:${POOL}`, 'rate_windows/key_hash');
      using gate = openGate();
      const holding = stories.database.transaction(async (transaction) => {
        await transaction.rows(sql`
        insert into rate_windows (key_hash, started_at, requests)
        select ${key}, date_bin('60 seconds', now() + n * interval '1 minute', 'epoch'), 0 from generate_series(0, 2) as n
        on conflict (key_hash, started_at) do update set requests = rate_windows.requests`);
        await gate.until();
      });
      await gate.arrived;
      const accepted = insert(stories.foundation, [freshPackage(), freshPackage()]);
      // Longer than a group waits for a nullifier.
      await new Promise((resolve) => setTimeout(resolve, 1_300));
      gate.release();
      await holding;
      expect(await accepted).toEqual(['accepted', 'accepted']);
    },
  );

  it('insert their nullifiers in one order, so that no two groups wait for each other', async () => {
    await using database = await createTestDatabase();
    const group = [freshPackage({}, [9n, 1n]), freshPackage({}, [5n, 3n])];
    await insert({ ...stories.foundation, database }, group);
    const taken = await database.rows(sql<{ nullifier: number }>`
      select get_byte(nullifier, 31) as nullifier from relay_nullifiers order by ctid`);
    expect(taken.slice(-4).map(({ nullifier }) => nullifier)).toEqual([1, 3, 5, 9]);
  });
});
