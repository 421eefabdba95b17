import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Kysely, type Compilable } from 'kysely';
import { query, sql } from '../../../src/platform/database/index.js';
import {
  claimedBy,
  isFree,
  keepLease,
  LeaseLost,
  leaseExpiry,
  RELEASED,
} from '../../../src/platform/jobs/index.js';
import { forFile } from '../../kit/for-file.js';
import { createTestDatabase } from '../../kit/database/database.js';

interface Work {
  id: number;
  done: number;
  lease_owner: string | null;
  lease_expires_at: Date | null;
  fencing_token: number;
}

const HOUR_MS = 3_600_000;
/** Expires at the moment of the claim. */
const EXPIRED_MS = -1;

const database = forFile(await createTestDatabase());

describe('a lease', () => {
  // Statements for a table that only this test has.
  const work = query as unknown as Kysely<{ work: Work }>;
  const run = <Row>(statement: Compilable<Row>) => database.rows(statement);

  beforeAll(async () => {
    await database.rows(sql`
      create table work (
        id integer primary key,
        done integer not null default 0,
        lease_owner text,
        lease_expires_at timestamptz(3),
        fencing_token bigint not null default 0
      )`);
  });
  beforeEach(async () => {
    await database.rows(sql`delete from work`);
    await database.rows(sql`insert into work (id) values (1)`);
  });

  const claim = async (owner: string, durationMs = HOUR_MS) => {
    const [claimed] = await run(
      work
        .updateTable('work')
        .set(claimedBy({ owner, durationMs }))
        .where('id', '=', 1)
        .where(isFree)
        .returning('fencing_token as fencingToken'),
    );
    return claimed?.fencingToken;
  };
  const finish = (fencingToken: number) =>
    run(
      work
        .updateTable('work')
        .set({ done: sql<number>`done + 1`, ...RELEASED })
        .where('id', '=', 1)
        .where('fencing_token', '=', fencingToken)
        .returning('done'),
    );

  it('is held by only one of many concurrent workers', async () => {
    const tokens = await Promise.all(Array.from({ length: 20 }, (_, worker) => claim(`worker ${worker}`)));
    expect(tokens.filter((token) => token !== undefined)).toEqual([1]);
  });

  it('can be claimed again after it was released or has expired, each time with a greater token', async () => {
    expect(await claim('one')).toBe(1);
    expect(await claim('two')).toBeUndefined();
    await finish(1);
    expect(await claim('two', EXPIRED_MS)).toBe(2);
    expect(await claim('three')).toBe(3);
  });

  it('prevents writes by a worker that lost it unnoticed', async () => {
    const lost = await claim('slow', EXPIRED_MS);
    const held = await claim('fast');
    expect(await finish(lost!)).toEqual([]);
    expect(await finish(held!)).toEqual([{ done: 1 }]);
  });

  it('expires only by the database clock', async () => {
    await claim('one', HOUR_MS);
    await run(work.updateTable('work').set({ lease_expires_at: leaseExpiry({ durationMs: 90_000 }) }));
    const [row] = await database.rows(sql<{ left: number }>`
      select round(extract(epoch from lease_expires_at - now()))::integer as left from work`);
    // The statement that asks runs at most a few seconds after the one that renewed.
    expect(row!.left).toBeLessThanOrEqual(90);
    expect(row!.left).toBeGreaterThan(30);
  });
});

describe('a kept lease', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  /** A lease whose renewals end with these results in turn. All later renewals succeed. */
  const kept = (...renewals: (boolean | Error)[]) => {
    const reports = { renewed: 0, failed: [] as unknown[] };
    const lease = keepLease({
      what: 'work',
      intervalMs: 1_000,
      renew() {
        const outcome = renewals[reports.renewed] ?? true;
        reports.renewed += 1;
        return outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome);
      },
      failed: (thrown) => void reports.failed.push(thrown),
    });
    return { reports, lease };
  };

  it('is renewed by one renewal at a time', async () => {
    const renewals: PromiseWithResolvers<boolean>[] = [];
    using lease = keepLease({
      what: 'work',
      intervalMs: 1_000,
      renew() {
        renewals.push(Promise.withResolvers());
        return renewals.at(-1)!.promise;
      },
      failed: () => undefined,
    });
    await jest.advanceTimersByTimeAsync(5_000);
    expect(renewals).toHaveLength(1);
    renewals[0]!.reject(new Error('The connection broke.'));
    await jest.advanceTimersByTimeAsync(1_000);
    renewals[1]!.resolve(true);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(renewals).toHaveLength(3);
    expect(lease.signal.aborted).toBe(false);
  });

  it('is renewed at each interval until it is disposed of', async () => {
    const { reports, lease } = kept();
    await jest.advanceTimersByTimeAsync(3_000);
    expect(reports.renewed).toBe(3);
    lease[Symbol.dispose]();
    await jest.advanceTimersByTimeAsync(3_000);
    expect(reports).toEqual({ renewed: 3, failed: [] });
    expect(lease.signal.aborted).toBe(false);
  });

  it('is not lost when a renewal fails, and the failure is reported', async () => {
    const failure = new Error('no connection');
    const { reports, lease } = kept(failure);
    await jest.advanceTimersByTimeAsync(2_000);
    expect(reports).toEqual({ renewed: 2, failed: [failure] });
    expect(lease.signal.aborted).toBe(false);
    lease[Symbol.dispose]();
  });

  it('aborts the work when another worker takes it', async () => {
    const { lease } = kept(true, false);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(lease.signal.aborted).toBe(false);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(lease.signal.reason).toEqual(new LeaseLost('work'));
    lease[Symbol.dispose]();
  });
});
