import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import type { PoolDescriptor, RelayDesk } from '../../../../src/domain/relays/index.js';
import { submitRelay } from '../../../../src/domain/relays/admission/submit-relay.js';
import { sql } from '../../../../src/platform/database/index.js';
import { isLucarneError } from '../../../../src/platform/kernel/errors.js';
import { fc } from '../../../kit/properties.js';
import { seedOrganization } from '../../../kit/seed.js';
import { badProof, freshPackage, POOL, type TestPackage } from '../desk-kit.js';
import { anyStory, packagesOf, type Story } from './submission-mixes.js';
import { withinOneMinute } from '../../../kit/database/within-one-minute.js';
import { submissionStories } from './submission-stories.js';

const stories = submissionStories();
const { open, openPools } = stories;

describe('submissions that arrive together', () => {
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
        const { single, together } = await withinOneMinute(stories.database, async () => {
          const [pools, packages] = [openPools(), packagesOf(story, hint)];
          const [first, second] = [...pools.keys()] as [string, string];
          const single = await tell(story, [first, pools], packages, false);
          return { single, together: await tell(story, [second, pools], packages, true) };
        });
        expect(together.answered).toEqual(single.answered);
        for (const { pool } of [single, together]) expect(pool.counted).toBe(pool.expected);
      }),
      { numRuns: 10 },
    );
  }, 600_000);

  it('count against limits one by one: of 25 invalid proofs, 10 are rejected, and a pool accepts up to its limit', async () => {
    const limits = { perClient: 1_000, invalidPerClient: 10, perPool: 7, queue: 1_000 };
    const { accepted, invalid } = await withinOneMinute(stories.database, async () => {
      const pools = openPools();
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
      return { accepted, invalid: await all(25, () => badProof(freshPackage())) };
    });
    expect(accepted.filter(({ said: text }) => text.startsWith('accepted'))).toHaveLength(7);
    expect(accepted.filter(({ said: text }) => text.includes('More than 7 requests'))).toHaveLength(13);
    expect(invalid.filter(({ said: text }) => text === 'rejected invalid_proof')).toHaveLength(10);
    expect(invalid.filter(({ said: text }) => text.includes('More than 10 requests'))).toHaveLength(15);
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
