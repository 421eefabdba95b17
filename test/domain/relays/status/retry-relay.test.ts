import { afterEach, describe, expect, it } from '@jest/globals';
import { Connection } from '@solana/web3.js';
import { sql } from '../../../../src/platform/database/index.js';
import { Lanes } from '../../../../src/platform/jobs/index.js';
import type { LedgerNode } from '../../../../src/platform/ledger/index.js';
import type { Id } from '../../../../src/platform/kernel/ids.js';
import { retryRelay } from '../../../../src/domain/relays/admission/retry-relay.js';
import { DUE_RELAYS_TOPIC } from '../../../../src/domain/relays/relay.js';
import { change, openDesk, openProofs } from '../desk-kit.js';
import { openRelayRoom, withNode } from '../kit.js';
import { forFile } from '../../../kit/for-file.js';
import { openGate } from '../../../kit/process/gate.js';

const CLIENT = '192.0.2.1';
const NOT_ALLOWED = { code: 'CONFLICT', reason: 'retry_not_allowed' };

const room = forFile(await openRelayRoom());
const proofs = forFile(openProofs());
const desk = forFile(await openDesk(room.foundation, proofs));
afterEach(() => room.rest());

/** A request whose first transaction never landed and is proven dead. */
async function failedRelay(): Promise<Id<'rly'>> {
  const id = await room.submit();
  await untilNothingLands(id);
  return id;
}

async function untilNothingLands(id: Id<'rly'>): Promise<void> {
  const worker = room.worker({ nodes: swallowing() });
  await room.until(id, ({ status }) => status === 'submitted');
  room.ledger.skipBlocks(200);
  expect(await room.untilEnded(id)).toMatchObject({ status: 'failed', reason: 'send_failed' });
  await worker.stop();
}

function swallowing() {
  const nodes = room.nodes(1);
  nodes.fail({ method: 'send' }, { kind: 'swallowed' });
  return nodes;
}

/**
 * Starts a retry at another instance. It waits, until it is let through, between its first read of the request and the
 * transaction that decides.
 */
function asking(id: Id<'rly'>) {
  const gate = openGate();
  const { database } = room.foundation;
  const transaction: typeof database.transaction = async (work) => {
    await gate.until();
    return database.transaction(work);
  };
  const foundation = { ...room.foundation, database: { ...database, transaction } };
  const outcome = retryRelay({ ...desk, foundation, turns: new Lanes(() => 1) }, CLIENT, id);
  outcome.catch(() => undefined);
  return { ...gate, outcome };
}

describe('an attempt that is requested twice at the same time', () => {
  it('begins once, and one more transaction is signed', async () => {
    const id = await failedRelay();
    const both = [asking(id), asking(id)];
    for (const { arrived } of both) await arrived;
    for (const { release } of both) release();
    const outcomes = await Promise.allSettled(both.map(({ outcome }) => outcome));
    expect(outcomes.find(({ status }) => status === 'fulfilled')).toMatchObject({
      value: { status: 'queued', attemptNumber: 2 },
    });
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({ reason: NOT_ALLOWED });

    room.worker();
    expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded', attemptNumber: 2 });
    const [first, second, ...others] = await room.attempts(id);
    expect(others).toEqual([]);
    // Never two at a time: the first one was dead before the second one was signed.
    expect(first).toMatchObject({ number: 1, outcome: 'dead' });
    expect(first!.concludedAt!.getTime()).toBeLessThanOrEqual(second!.createdAt.getTime());
    expect(await room.landed(id)).toEqual({ succeeded: [second!.signature], failed: [] });
  });

  it.each<[string, (id: Id<'rly'>) => Promise<unknown>, object]>([
    ['has begun', () => Promise.resolve(), { status: 'queued' }],
    [
      'has a transaction that may land',
      async (id) => {
        const worker = room.worker({ nodes: swallowing() });
        await room.until(id, ({ status }) => status === 'submitted');
        await worker.stop();
      },
      { status: 'submitted' },
    ],
    [
      'has succeeded',
      async (id) => {
        const worker = room.worker();
        await room.untilEnded(id);
        await worker.stop();
      },
      { status: 'succeeded' },
    ],
    [
      'has failed permanently',
      (id) => change(room.foundation, id, { to: 'failed', reason: 'transaction_failed' }),
      { status: 'failed', reason: 'transaction_failed' },
    ],
  ])('is refused if the other one %s, whatever was read before', async (_, proceed, standing) => {
    const id = await failedRelay();
    const late = asking(id);
    await late.arrived;
    expect(await retryRelay(desk, CLIENT, id)).toMatchObject({ status: 'queued', attemptNumber: 2 });
    await proceed(id);
    late.release();
    await expect(late.outcome).rejects.toMatchObject(NOT_ALLOWED);
    expect(await room.read(id)).toMatchObject({ ...standing, attemptNumber: 2 });
  });
});

describe('an attempt that is allowed', () => {
  it('begins at once, because a signal wakes a worker', async () => {
    const id = await failedRelay();
    const worker = room.worker({ timing: { pollMs: 3_600_000 } });
    // When this request waits for its next look, the worker has polled once and has nothing to do.
    const other = await room.submit();
    room.foundation.signals.publish(DUE_RELAYS_TOPIC);
    await room.until(other, ({ waitingFor }) => waitingFor === 'landing');
    await retryRelay(desk, CLIENT, id);
    const begun = await room.until(id, ({ status }) => status === 'submitted');
    expect(begun).toMatchObject({ attemptNumber: 2 });
    await worker.stop();
  });
});

describe('another attempt of a relay whose nullifiers are already spent', () => {
  it('reconciles and signs nothing, because an earlier transaction may have spent them', async () => {
    const id = await failedRelay();
    await room.spendElsewhere(id);
    expect(await retryRelay(desk, CLIENT, id)).toMatchObject({ status: 'queued', attemptNumber: 2 });
    room.worker();
    expect(await room.untilEnded(id)).toMatchObject({ status: 'rejected', reason: 'nullifiers_spent' });
    const [reconciling, rejected] = (await room.events(id)).slice(-2);
    expect(reconciling).toMatchObject({
      ...{ status: 'reconciling', evidence: { cause: 'spent_before_signing' } },
    });
    expect(rejected).toMatchObject({ status: 'rejected', evidence: { spender: expect.any(String) } });
    expect(await room.attempts(id)).toHaveLength(1);
  });

  it('reconciles if the nullifiers are free until the second transaction is simulated', async () => {
    const id = await failedRelay();
    const nodes = room.nodes(1);
    let spending: Promise<void> | undefined;
    const until = () => (spending ??= room.spendElsewhere(id));
    nodes.fail({ method: 'simulate' }, { kind: 'delay', until });
    await retryRelay(desk, CLIENT, id);
    room.worker({ nodes });
    expect(await room.untilEnded(id)).toMatchObject({ status: 'rejected', reason: 'nullifiers_spent' });
    const [reconciling, rejected] = (await room.events(id)).slice(-2);
    expect(reconciling).toMatchObject({
      ...{ status: 'reconciling', evidence: { cause: 'spent_before_signing' } },
    });
    expect(rejected).toMatchObject({ status: 'rejected', evidence: { spender: expect.any(String) } });
    expect(await room.attempts(id)).toHaveLength(1);
  });
});

describe('a second attempt that fails on the ledger, because another transaction spent the nullifiers meanwhile', () => {
  it('ends the request, although the first attempt may have spent them', async () => {
    const id = await failedRelay();
    await retryRelay(desk, CLIENT, id);
    const nodes = room.nodes(1);
    let spending: Promise<void> | undefined;
    const send: LedgerNode['send'] = async (transaction) => {
      await (spending ??= room.spendElsewhere(id));
      // Without preflight, which would refuse it.
      const connection = new Connection(room.ledger.rpcUrl, 'confirmed');
      await connection.sendRawTransaction(transaction, { skipPreflight: true }).catch(() => undefined);
    };
    room.worker({ nodes: withNode(nodes, 0, { send }) });
    expect(await room.untilEnded(id)).toMatchObject({ status: 'rejected', reason: 'nullifiers_spent' });
    expect(await room.attempts(id)).toMatchObject([{ outcome: 'dead' }, { outcome: 'failed' }]);
    expect((await room.events(id)).at(-1)).toMatchObject({ evidence: { spender: expect.any(String) } });
  });
});

describe('a second attempt that never lands', () => {
  it('is proven dead with one conclusion, and the first attempt gets no further conclusion', async () => {
    const id = await failedRelay();
    await retryRelay(desk, CLIENT, id);
    await untilNothingLands(id);
    const conclusions = await room.foundation.database.rows(sql`
      select number, outcome from relay_conclusions where request_id = ${id} order by number, position`);
    expect(conclusions).toEqual([
      { number: 1, outcome: 'dead' },
      { number: 2, outcome: 'dead' },
    ]);
  });
});
