import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../../src/platform/database/index.js';
import type { LucarneError } from '../../../../src/platform/kernel/errors.js';
import type { Id } from '../../../../src/platform/kernel/ids.js';
import type { LedgerNode } from '../../../../src/platform/ledger/index.js';
import type { RelayDesk, RelayDeskOptions } from '../../../../src/domain/relays/index.js';
import { clientHashOf } from '../../../../src/domain/relays/relay-budget.js';
import { submitRelay } from '../../../../src/domain/relays/admission/submit-relay.js';
import { retryRelay } from '../../../../src/domain/relays/admission/retry-relay.js';
import { change, freshPackage, openDesk, openProofs, TO_FAILED } from '../desk-kit.js';
import { openRelayRoom } from '../kit.js';
import { eventually } from '../../../kit/eventually.js';
import { forFile } from '../../../kit/for-file.js';

const PLENTY = 1_000_000_000_000;
const CLIENT = '192.0.2.1';

const room = forFile(await openRelayRoom());
const proofs = forFile(openProofs());

describe('the daily budget', () => {
  const desks: RelayDesk[] = [];
  /** The day is the database's. It must not change during a test. */
  beforeEach(async () => {
    const left = sql<{ secondsLeft: number }>`
      select (86400 - extract(epoch from now() at time zone 'UTC')::bigint % 86400)::integer as "secondsLeft"`;
    await eventually(
      () => room.foundation.database.rows(left),
      ([row]) => row!.secondsLeft > 30,
    );
    await room.foundation.database.rows(sql`delete from relay_spending`);
  });
  afterEach(async () => {
    await room.rest();
    for (const desk of desks.splice(0)) await desk[Symbol.asyncDispose]();
  });

  const open = async (budgets: RelayDeskOptions['budgets'], usedUp: string[] = []) => {
    const metrics = {
      submitted: () => undefined,
      budgetUsedUp: (budget: string) => void usedUp.push(budget),
    };
    const desk = await openDesk(room.foundation, proofs, { metrics, ...(budgets && { budgets }) });
    desks.push(desk);
    return desk;
  };
  const spent = async () =>
    (
      await room.foundation.database.rows(sql<{ lamports: string }>`
        select lamports::text as lamports from relay_spending order by lamports`)
    ).map(({ lamports }) => Number(lamports));
  const assignTo = (id: Id<'rly'>, client: string) =>
    room.foundation.database.rows(sql`
      update relay_requests set client_hash = ${clientHashOf(room.foundation.sealer, client)} where id = ${id}`);
  const costOf = async (id: Id<'rly'>) =>
    Number((await room.events(id)).find(({ status }) => status === 'submitted')!.evidence['costLamports']);

  it('counts the maximum cost of each signed transaction of a pool, rent included', async () => {
    const ids = [await room.submit(), await room.submit()];
    room.worker();
    for (const id of ids) expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
    const costs = await Promise.all(ids.map(costOf));
    expect(Math.min(...costs)).toBeGreaterThan(1_000_000);
    expect(await spent()).toEqual([costs[0]! + costs[1]!]);
  });

  it('counts what a transaction cost, if it is more than its simulation showed', async () => {
    const honest = room.nodes(1);
    // As if the simulated state had accounts that were closed before the transaction landed.
    const cheaper = honest.nodes.map((node) => ({
      ...node,
      simulate: async (...asked: Parameters<LedgerNode['simulate']>) => {
        const simulation = await node.simulate(...asked);
        const { lamportsAfter } = simulation;
        return { ...simulation, lamportsAfter: lamportsAfter && lamportsAfter + 1_000_000_000 };
      },
    }));
    const id = await room.submit();
    const before = await room.honest.balance(room.signer.address);
    room.worker({ nodes: { ...honest, nodes: cheaper } });
    expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
    const after = await room.honest.balance(room.signer.address);
    const cost = before.lamports - after.lamports;
    expect(await costOf(id)).toBeLessThan(cost);
    expect(await spent()).toEqual([cost]);
  });

  it('ends an accepted request before anything is signed if too little is left for the pool', async () => {
    const first = await room.submit();
    room.worker();
    await room.untilEnded(first);
    const cost = await costOf(first);
    await room.rest();
    const second = await room.submit();
    const budgets = { poolLamportsPerDay: 2 * cost - 1, clientLamportsPerDay: PLENTY };
    room.worker({ budgets });
    expect(await room.untilEnded(second)).toMatchObject({
      status: 'rejected',
      reason: 'resource_limit_exceeded',
    });
    expect((await room.events(second)).at(-1)!.evidence).toMatchObject({
      budget: 'pool',
      costLamports: cost,
    });
    expect(await room.attempts(second)).toEqual([]);
    expect(await room.spent(second)).toEqual([false, false]);
    expect(await spent()).toEqual([cost]);
  });

  it('is separate for each client: one client does not use up the budgets of other clients and of the pool', async () => {
    const first = await room.submit();
    await assignTo(first, CLIENT);
    room.worker();
    await room.untilEnded(first);
    const cost = await costOf(first);
    await room.rest();
    const [same, other] = [await room.submit(), await room.submit()];
    await assignTo(same, CLIENT);
    await assignTo(other, '198.51.100.7');
    room.worker({ budgets: { poolLamportsPerDay: PLENTY, clientLamportsPerDay: 2 * cost - 1 } });
    expect(await room.untilEnded(same)).toMatchObject({ reason: 'resource_limit_exceeded' });
    expect(await room.untilEnded(other)).toMatchObject({ status: 'succeeded' });
    expect((await spent()).length).toBe(3);
  });

  it.each(['pool', 'client'] as const)(
    'refuses packages until midnight once the budget of the %s is used up',
    async (kind) => {
      const usedUp: string[] = [];
      const taken = await submitRelay(await open(undefined), CLIENT, freshPackage());
      const ample = { poolLamportsPerDay: PLENTY, clientLamportsPerDay: PLENTY };
      room.worker();
      await room.untilEnded(taken.relayRequestId);
      const cost = Math.max(...(await spent()));
      const desk = await open({ ...ample, [`${kind}LamportsPerDay`]: cost }, usedUp);
      const refused = submitRelay(desk, CLIENT, freshPackage());
      await expect(refused).rejects.toMatchObject({ code: 'UNAVAILABLE', reason: 'low_balance' });
      const [left] = await room.foundation.database.rows(sql<{ seconds: number }>`
      select (86400 - extract(epoch from now() at time zone 'UTC') % 86400)::float8 as seconds`);
      const { retryAfterSeconds } = (await refused.catch((thrown: unknown) => thrown)) as LucarneError;
      // Until midnight, counted from the refusal, which happened during this test.
      expect(retryAfterSeconds).toBeGreaterThanOrEqual(left!.seconds);
      expect(retryAfterSeconds).toBeLessThanOrEqual(left!.seconds + 600);
      expect(usedUp).toEqual([kind]);
      const elsewhere = submitRelay(desk, '198.51.100.7', freshPackage());
      if (kind === 'pool') await expect(elsewhere).rejects.toMatchObject({ reason: 'low_balance' });
      else expect(await elsewhere).toMatchObject({ status: 'accepted' });
    },
  );

  it('is charged to the submitting client’s network for an attempt that another client starts', async () => {
    const foreign = '198.51.100.7';
    const failed = await submitRelay(await open(undefined), '2001:db8:1::1', freshPackage());
    await change(room.foundation, failed.relayRequestId, ...TO_FAILED);
    const taken = await submitRelay(await open(undefined), '2001:db8:1::2', freshPackage());
    room.worker();
    await room.untilEnded(taken.relayRequestId);
    const cost = Math.max(...(await spent()));
    const desk = await open({ poolLamportsPerDay: PLENTY, clientLamportsPerDay: cost });
    const retried = retryRelay(desk, foreign, failed.relayRequestId);
    await expect(retried).rejects.toMatchObject({ code: 'UNAVAILABLE', reason: 'low_balance' });
    expect(await submitRelay(desk, foreign, freshPackage())).toMatchObject({ status: 'accepted' });
  });
});
