import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { recordStep } from '../../../../src/domain/relays/execution/record-step.js';
import { sql } from '../../../../src/platform/database/index.js';
import { feeOf, raisedPrice } from '../../../../src/domain/relays/execution/transaction-terms.js';
import { localPools, openRelayRoom } from '../kit.js';
import { forFile } from '../../../kit/for-file.js';

const units = fc.integer({ min: 1, max: 1_400_000 });
const price = fc.integer({ min: 0, max: 10_000_000 });
const lamports = fc.integer({ min: 5_000, max: 1_000_000_000 });
const dead = fc.tuple(units, price).map(([computeUnits, paid]) => ({
  computeUnits,
  feeLamports: feeOf(computeUnits, paid),
}));

describe('the price of a compute unit', () => {
  it('is what others recently paid, while no attempt was proven dead', () => {
    fc.assert(
      fc.property(price, units, lamports, (recent, computeUnits, maxFeeLamports) => {
        expect(raisedPrice(recent, [], { computeUnits, maxFeeLamports })).toBe(recent);
      }),
    );
  });

  it('never makes the fee exceed the limit if what others paid does not exceed it', () => {
    fc.assert(
      fc.property(
        price,
        fc.array(dead),
        units,
        lamports,
        (recent, attempts, computeUnits, maxFeeLamports) => {
          fc.pre(feeOf(computeUnits, recent) <= maxFeeLamports);
          const raised = raisedPrice(recent, attempts, { computeUnits, maxFeeLamports });
          expect(feeOf(computeUnits, raised)).toBeLessThanOrEqual(maxFeeLamports);
          expect(raised).toBeGreaterThanOrEqual(recent);
        },
      ),
    );
  });

  it('is at least twice what each dead attempt paid, up to the limit', () => {
    fc.assert(
      fc.property(price, fc.array(dead, { minLength: 1 }), (recent, attempts) => {
        const computeUnits = 1_000_000;
        const raised = raisedPrice(recent, attempts, { computeUnits, maxFeeLamports: 1e15 });
        for (const attempt of attempts) {
          const paidMicroLamports = (attempt.feeLamports - 5_000) * 1_000_000;
          // The ledger rounds a fee up, by less than a lamport.
          expect(raised * attempt.computeUnits).toBeGreaterThan(2 * (paidMicroLamports - 1_000_000));
        }
        expect(raised).toBeGreaterThanOrEqual(10_000);
      }),
    );
  });
});

const room = forFile(await openRelayRoom());

describe('another attempt', () => {
  afterEach(() => room.rest());

  it('pays more than the attempt that never landed, and is signed only when that one is proven dead', async () => {
    const nodes = room.nodes(3);
    nodes.fail({ method: 'send' }, { kind: 'swallowed' });
    const id = await room.submit();
    room.worker({ nodes });
    for (const number of [1, 2]) {
      await room.until(id, ({ attemptNumber, status }) => attemptNumber === number && status === 'submitted');
      expect(await room.retry(id)).toBe(false);
      room.ledger.skipBlocks(400);
      expect(await room.untilEnded(id)).toMatchObject({ status: 'failed', reason: 'send_failed' });
      expect(await room.retry(id)).toBe(true);
    }
    nodes.heal();
    expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded', attemptNumber: 3 });

    const attempts = await room.attempts(id);
    const [first, second, third] = attempts.map(({ feeLamports }) => feeLamports);
    const computeUnits = attempts[0]!.computeUnits;
    expect([first, second]).toEqual([0, 10_000].map((each) => feeOf(computeUnits, each)));
    // The price is read from the fee, which the ledger rounds up.
    expect(third).toBeGreaterThanOrEqual(feeOf(computeUnits, 20_000));
    expect(third! - first!).toBeLessThanOrEqual(2 * (second! - first!));
    for (const [at, attempt] of attempts.slice(0, -1).entries()) {
      expect(attempt.outcome).toBe('dead');
      const next = attempts[at + 1]!;
      expect(next.createdAt.getTime()).toBeGreaterThanOrEqual(attempt.concludedAt!.getTime());
    }
    expect((await room.landed(id)).succeeded).toEqual([attempts.at(-1)!.signature]);
  });

  it('pays at most what the pool allows a relay to cost, rent included', async () => {
    const nodes = room.nodes(3);
    nodes.fail({ method: 'send' }, { kind: 'swallowed' });
    const id = await room.submit();
    const worker = room.worker({ nodes });
    await room.until(id, ({ status }) => status === 'submitted');
    await worker.stop();
    const costs = async () =>
      (await room.events(id))
        .filter(({ status }) => status === 'submitted')
        .map(({ evidence }) => evidence as { feeLamports: number; costLamports: number });
    const [dead] = await costs();
    const maxCostLamports = dead!.costLamports + 100;
    room.worker({ nodes, pools: await localPools({ maxCostLamports }) });
    room.ledger.skipBlocks(400);
    expect(await room.untilEnded(id)).toMatchObject({ status: 'failed', reason: 'send_failed' });
    nodes.heal();
    expect(await room.retry(id)).toBe(true);
    expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded', attemptNumber: 2 });
    const [, next] = await costs();
    expect(next!.feeLamports).toBeGreaterThan(dead!.feeLamports);
    expect(next!.costLamports).toBeLessThanOrEqual(maxCostLamports);
  });

  it('pays the usual price after an attempt that landed and failed, because its price was enough to land', async () => {
    const { foundation } = room;
    const nodes = room.nodes(1);
    nodes.fail({ method: 'send' }, { kind: 'swallowed' });
    const id = await room.submit();
    const worker = room.worker({ nodes });
    const submitted = await room.until(id, ({ status }) => status === 'submitted');
    await worker.stop();
    nodes.heal();
    // As a worker stores a failure whose cause is outside the transaction.
    const evidence = { slot: 9, failure: 'AccountInUse' };
    const [{ fencingToken } = { fencingToken: 0 }] = await foundation.database.rows(
      sql<{
        fencingToken: number;
      }>`select fencing_token as "fencingToken" from relay_requests where id = ${id}`,
    );
    await recordStep(foundation, submitted, fencingToken, {
      kind: 'change',
      change: { to: 'failed', reason: 'transaction_failed', evidence },
      conclusions: [{ number: 1, outcome: 'failed', evidence }],
    });
    room.worker({ nodes });
    expect(await room.retry(id)).toBe(true);
    expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded', attemptNumber: 2 });
    const [failed, landed] = await room.attempts(id);
    expect(landed!.feeLamports).toBe(failed!.feeLamports);
  });
});
