import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import type { PoolDescriptor, RelayDesk } from '../../../../src/domain/relays/index.js';
import { createAdmissionGroups } from '../../../../src/domain/relays/admission/admission-groups.js';
import type { Submission } from '../../../../src/domain/relays/admission/insert-relays.js';
import {
  canonicalBytes,
  packageDigest,
  parseRelayPackage,
} from '../../../../src/domain/relays/packages/relay-package.js';
import { submitRelay } from '../../../../src/domain/relays/admission/submit-relay.js';
import { Prepared, sql, type Database, type Foundation } from '../../../../src/platform/database/index.js';
import type { Sealer } from '../../../../src/platform/crypto/index.js';
import { isLucarneError, unavailable } from '../../../../src/platform/kernel/errors.js';
import { openGate } from '../../../kit/process/gate.js';
import { randomAddress } from '../../../kit/ledger/confidential-records.js';
import { createTestDatabase } from '../../../kit/database/database.js';
import { itOnPostgresql } from '../../../kit/database/on-postgresql.js';
import { fc } from '../../../kit/properties.js';
import { seedOrganization } from '../../../kit/seed.js';
import { badProof, freshPackage, POOL, rivalOf, type TestPackage } from '../desk-kit.js';
import { anyStory, packagesOf, type Story } from './submission-mixes.js';
import { submissionStories } from './submission-stories.js';

const stories = submissionStories();
const { open } = stories;

describe('submissions that arrive together', () => {
  /** Two pools that differ only by name and program. */
  function openPools(): ReadonlyMap<string, PoolDescriptor> {
    const pool = stories.desk.pools.get(POOL)!;
    return new Map(
      [randomAddress(), randomAddress()].map((programId) => [
        `pool ${programId}`,
        { ...pool, poolSelector: `pool ${programId}`, programId },
      ]),
    );
  }

  async function openCounting(pools: ReadonlyMap<string, PoolDescriptor>, limits: RelayDesk['limits']) {
    const outcomes: string[] = [];
    const created: string[] = [];
    const log = pino(
      {},
      { write: (line: string) => void created.push((JSON.parse(line) as { msg: string }).msg) },
    );
    const metrics = {
      submitted: (outcome: string) => void outcomes.push(outcome),
      budgetUsedUp: () => undefined,
    };
    const desk = await open({ pools, limits, metrics }, { ...stories.foundation, log });
    return { desk, outcomes, created };
  }

  /** The answer to a submission, with the id replaced by the position of the first submission with the same id. */
  const answerOf = async (
    work: Promise<{
      readonly relayRequestId: string;
      readonly status: string;
      readonly publicReason: string | null;
    }>,
  ) => {
    try {
      const { relayRequestId, status, publicReason } = await work;
      return { id: relayRequestId, said: `${status} ${publicReason}` };
    } catch (thrown) {
      if (!isLucarneError(thrown)) throw thrown;
      const { code, reason, message, members } = thrown;
      return { id: undefined, said: JSON.stringify([code, reason, message, members]) };
    }
  };

  const stored = async (poolSelector: string) => {
    const [row] = await stories.database.rows(sql<{ requests: unknown }>`
      select jsonb_agg(jsonb_build_array(status, reason, sealed_package is null, client_hash is null,
        (select count(*) from relay_nullifiers where request_id = id),
        (select jsonb_agg(status || sequence order by sequence) from relay_events where request_id = id),
        (select count(*) from relay_organizations as of where of.request_id = requests.id
          and of.accepted_at = requests.created_at),
        (select count(*) from relay_applications as of where of.request_id = requests.id))
        order by status, reason, (select count(*) from relay_organizations where request_id = requests.id)) as requests
      from relay_requests as requests where pool_selector = ${poolSelector}`);
    return row!.requests;
  };

  it('get the same answers, counts, logs and rows as one after another, and a pool counts what it accepts', async () => {
    const serving = await seedOrganization(stories.foundation, { name: 'Serving' });
    const hint = serving.application.checkApplicationId;
    const minute = async () => {
      const [row] = await stories.database.rows(sql`select date_trunc('minute', now())::text as at`);
      return JSON.stringify(row);
    };

    const tell = async (
      story: Story,
      [name, pools]: readonly [string, ReadonlyMap<string, PoolDescriptor>],
      packages: ReturnType<typeof packagesOf>,
      areTogether: boolean,
    ) => {
      const wide = await open({ pools });
      const inPool = packages.map((one) =>
        one.poolSelector === POOL ? { ...one, poolSelector: name } : one,
      );
      const before = inPool.filter((_, at) => story.items[at]!.kind === 'known');
      // At least one waits.
      for (const one of [...before, { ...freshPackage(), poolSelector: name }])
        await submitRelay(wide, '192.0.2.9', one);
      await stories.database.rows(sql`delete from rate_windows`);
      const queue = story.isQueueFull ? 1 : 1_000;
      const limits = { perClient: story.perClient, invalidPerClient: 1_000, perPool: 1_000, queue };
      const { desk, outcomes, created } = await openCounting(pools, limits);
      const submit = (one: unknown, at: number) =>
        answerOf(submitRelay(desk, `192.0.2.${story.items[at]!.client}`, one));
      const answers: Awaited<ReturnType<typeof answerOf>>[] = [];
      if (areTogether) answers.push(...(await Promise.all(inPool.map(submit))));
      else for (const [at, one] of inPool.entries()) answers.push(await submit(one, at));
      const poolKey = stories.foundation.sealer.digest(`relay-pool:${name}`, 'rate_windows/key_hash');
      const [windows] = await stories.database.rows(sql<{ counts: number[]; pool: number }>`
        select array_agg(least(requests, ${story.perClient}) order by requests)
            filter (where key_hash <> ${poolKey}) as counts,
          coalesce(sum(requests) filter (where key_hash = ${poolKey}), 0)::integer as pool
        from rate_windows`);
      // Those that lose their nullifiers to another package are not counted.
      const pool = {
        counted: windows!.pool,
        expected: outcomes.filter((outcome) => outcome === 'accepted').length,
      };
      const answered = {
        answers: answers.map(({ said: text }) => text),
        same: answers.map(({ id }) =>
          id === undefined ? -1 : answers.findIndex((other) => other.id === id),
        ),
        outcomes: outcomes.sort(),
        created: created.sort(),
        windows: windows!.counts,
        stored: await stored(name),
      };
      return { answered, pool };
    };

    await fc.assert(
      fc.asyncProperty(anyStory, async (story) => {
        for (;;) {
          const [pools, packages, begun] = [openPools(), packagesOf(story, hint), await minute()];
          const [first, second] = [...pools.keys()] as [string, string];
          const single = await tell(story, [first, pools], packages, false);
          const together = await tell(story, [second, pools], packages, true);
          // If the minute ends meanwhile, the limits start again: repeat the story.
          if ((await minute()) !== begun) continue;
          expect(together.answered).toEqual(single.answered);
          for (const { pool } of [single, together]) expect(pool.counted).toBe(pool.expected);
          return;
        }
      }),
      { numRuns: 10 },
    );
  }, 600_000);

  it('count against limits one by one: of 25 invalid proofs, 10 are rejected, and a pool accepts up to its limit', async () => {
    const limits = { perClient: 1_000, invalidPerClient: 10, perPool: 7, queue: 1_000 };
    const minute = async () =>
      (await stories.database.rows(sql`select date_trunc('minute', now())::text as at`))[0];
    for (;;) {
      const [begun, pools] = [await minute(), openPools()];
      await stories.database.rows(sql`delete from rate_windows`);
      const { desk } = await openCounting(pools, limits);
      const [poolSelector] = pools.keys();
      const all = (count: number, make: () => TestPackage) =>
        Promise.all(
          Array.from({ length: count }, () =>
            answerOf(submitRelay(desk, '192.0.2.3', { ...make(), poolSelector })),
          ),
        );
      const accepted = await all(20, freshPackage);
      const invalid = await all(25, () => badProof(freshPackage()));
      if (JSON.stringify(await minute()) !== JSON.stringify(begun)) continue;
      expect(accepted.filter(({ said: text }) => text.startsWith('accepted'))).toHaveLength(7);
      expect(accepted.filter(({ said: text }) => text.includes('More than 7 requests'))).toHaveLength(13);
      expect(invalid.filter(({ said: text }) => text === 'rejected invalid_proof')).toHaveLength(10);
      expect(invalid.filter(({ said: text }) => text.includes('More than 10 requests'))).toHaveLength(15);
      return;
    }
  });

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

  it('are accepted with one more statement although another instance takes the nullifier of one meanwhile', async () => {
    const taken = freshPackage();
    const before = await poolCount();
    const { state, foundation } = failing();
    const { rows } = foundation.database;
    let isTaken = false;
    // The statement fails as it does if the nullifier is taken after it began.
    const racing: Database['rows'] = async (statement) => {
      if (isTaken) return rows(statement);
      isTaken = true;
      await stories.submit(taken);
      return database.rows(sql`insert into relay_nullifiers select * from relay_nullifiers`);
    };
    const { database } = stories.foundation;
    const group = [freshPackage(), rivalOf(taken), freshPackage()];
    expect(
      await insert({ ...foundation, database: { ...foundation.database, rows: racing } }, group),
    ).toEqual(['accepted', undefined, 'accepted']);
    expect(state.inserts).toBe(1);
    // The one of the other instance, and two of the group.
    expect((await poolCount()) - before).toBe(3);
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

  it('belong only to the organizations that each of them names', async () => {
    const organizations = [
      await seedOrganization(stories.foundation, { name: 'First' }),
      await seedOrganization(stories.foundation, { name: 'Second' }),
    ];
    const named = [[0], [1], [0, 1], [0, 0], []];
    const views = await Promise.all(
      named.map((ones) =>
        stories.submit(
          freshPackage({
            applicationIdHints: ones.map((at) => organizations[at]!.application.checkApplicationId),
          }),
        ),
      ),
    );
    for (const [at, { relayRequestId }] of views.entries()) {
      const rows = await stories.database.rows(sql<{ organizationId: string }>`
        select organization_id as "organizationId" from relay_organizations where request_id = ${relayRequestId}`);
      const expected = [...new Set(named[at])].map((one) => organizations[one]!.organization.id);
      expect(rows.map(({ organizationId }) => organizationId).sort()).toEqual(expected.sort());
    }
  });
});
