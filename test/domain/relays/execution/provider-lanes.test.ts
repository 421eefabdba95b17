import { afterEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { sql } from '../../../../src/platform/database/index.js';
import type { Id } from '../../../../src/platform/kernel/ids.js';
import { createLedgerNodes, type LedgerNodes } from '../../../../src/platform/ledger/index.js';
import { atLeast, eventually } from '../../../kit/eventually.js';
import { forFile } from '../../../kit/for-file.js';
import type { FaultyNodes, NodeMethod } from '../../../kit/ledger/faulty-nodes.js';
import { hostileProvider, type Hostility } from '../../../kit/ledger/hostile-provider.js';
import { openRelayRoom } from '../kit.js';

const NEVER = new Promise<never>(() => undefined);
const hangs = { kind: 'delay', until: () => NEVER } as const;
/** The deadline of a call is longer than a test may take: code that waits for a provider that hangs never ends. */
const NO_DEADLINE_MS = 3_600_000;

const room = forFile(await openRelayRoom());

describe('a provider that keeps the relayer waiting', () => {
  afterEach(() => room.rest());

  const statuses = async (id: Id<'rly'>) => (await room.events(id)).map(({ status }) => status);
  const count = (nodes: FaultyNodes, node: number, method: NodeMethod) =>
    nodes.calls.filter((call) => call.node === node && call.method === method).length;
  const timing = { patienceMs: 200 };

  it.each<readonly [string, Hostility | undefined]>([
    ['without one', undefined],
    ['one hangs', 'hangs'],
    ['one trickles', 'trickles'],
    ['one sends a body without an end', 'endless'],
  ])('delays no step of a relay if it is one of three: %s', async (_, hostility) => {
    await using hostile = await hostileProvider(room.ledger.rpcUrl, hostility);
    const rpcUrls = [hostile.url, room.ledger.rpcUrl, room.ledger.rpcUrl];
    await using nodes: LedgerNodes = createLedgerNodes({ rpcUrls, timeoutMs: NO_DEADLINE_MS });
    const id = await room.submit();
    const worker = room.worker({ nodes, timing: { patienceMs: hostility === undefined ? 30_000 : 200 } });
    expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded', attemptNumber: 1 });
    expect(await statuses(id)).toEqual(['accepted', 'validating', 'queued', 'submitted', 'succeeded']);
    expect(hostile.asked).toContain('sendTransaction');
    await worker.stop();
  });

  it('delays no rebroadcast if it is one of three: the same bytes are sent to all repeatedly', async () => {
    const nodes = room.nodes(3);
    nodes.fail({ node: 0 }, hangs);
    nodes.fail({ method: 'send' }, { kind: 'swallowed' });
    const id = await room.submit();
    room.worker({ nodes, timing });
    await eventually(
      () => [1, 2].map((at) => count(nodes, at, 'send')),
      (sent) => Math.min(...sent) >= 8,
    );
    expect(await statuses(id)).toEqual(['accepted', 'validating', 'queued', 'submitted']);
    expect(count(nodes, 0, 'send')).toBeGreaterThan(1);
    nodes.heal();
    expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
  });

  it('delays no rebroadcast if it is one of two, although no end is possible without it', async () => {
    const nodes = room.nodes(2);
    const id = await room.submit();
    nodes.fail({ node: 1, method: 'send' }, { kind: 'swallowed' });
    for (const method of ['send', 'signatureStatuses'] as const) nodes.fail({ node: 0, method }, hangs);
    // Pauses after looks that found nothing would last an hour.
    room.worker({ nodes, timing: { ...timing, backOff: { firstMs: 1e10, maxMs: 1e10 } } });
    await eventually(() => count(nodes, 1, 'send'), atLeast(6));
    expect((await room.read(id)).waitingFor).toBe('majority');
  });

  it('delays no relay by not accepting transactions if it is one of two, and is sent a limited number of them', async () => {
    const nodes = room.nodes(2);
    nodes.fail({ node: 1, method: 'send' }, hangs);
    const ids = await Promise.all(Array.from({ length: 40 }, () => room.submit()));
    room.worker({ nodes, timing });
    for (const id of ids) expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
    const waiting = () => nodes.calls.filter(({ node, outcome }) => node === 1 && outcome === 'pending');
    // On a busy machine, a round may not have waited for every question.
    await eventually(() => waiting().every(({ method }) => method === 'send'));
    expect(waiting()).toHaveLength(16);
  });

  it('is asked less and less often after maxDoubtMs if it is one of two', async () => {
    const nodes = room.nodes(2);
    nodes.fail({ node: 0 }, { kind: 'drop' });
    nodes.fail({ node: 1, method: 'send' }, { kind: 'swallowed' });
    const id = await room.submit();
    // A pause is random, up to 115 days, so almost every pause is longer than ten minutes.
    room.worker({ nodes, timing: { maxDoubtMs: 0, backOff: { firstMs: 1e10, maxMs: 1e10 } } });
    await room.until(id, ({ waitingFor }) => waitingFor === 'majority');
    const [row] = await room.foundation.database.rows(sql<{ isPausing: boolean }>`
      select next_look_at > now() + interval '10 minutes' as "isPausing" from relay_requests where id = ${id}`);
    expect(row).toEqual({ isPausing: true });
  });

  it('is not waited for, appears in a metric and the log, and counts again once it has recovered', async () => {
    const nodes = room.nodes(3);
    let isHanging = true;
    const { promise: gate, resolve: open } = Promise.withResolvers<undefined>();
    nodes.fail({ node: 0 }, { kind: 'delay', until: async () => (isHanging ? gate : undefined) });
    const pending = (node: number) =>
      nodes.calls.filter(
        (call) => call.node === node && call.outcome === 'pending' && call.method !== 'send',
      );
    // The test ends patience, so that a busy provider is not slow.
    const timers = new Set<() => void>();
    const startTimer = (_: number, callback: () => void) => {
      timers.add(callback);
      return () => timers.delete(callback);
    };
    const changes: (readonly [string, boolean])[] = [];
    const lines: { level: number; msg: string; provider?: string }[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[0]) });
    const foundation = { ...room.foundation, log };
    const label = nodes.nodes[0]!.label;
    const providerSlow = (provider: string, isSlow: boolean) => {
      if (provider === label) changes.push([provider, isSlow]);
    };
    const first = await room.submit();
    const worker = room.worker({ nodes, foundation, startTimer, metrics: { providerSlow } });
    // The others have answered, and the round waits for one.
    await eventually(
      () => [0, 1, 2].map((at) => pending(at).length),
      ([one, ...others]) => one! > 0 && others.every((count) => count === 0),
    );
    const waiting = pending(0).length;
    for (const end of [...timers]) end();
    for (const id of [first, ...(await Promise.all(Array.from({ length: 8 }, () => room.submit())))])
      expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
    expect(changes).toEqual([
      [label, false],
      [label, true],
    ]);
    expect(pending(0).length).toBeLessThanOrEqual(Math.max(waiting, 8));
    expect(lines.filter(({ provider }) => provider === label)).toMatchObject([{ level: 40 }]);

    isHanging = false;
    open(undefined);
    // A provider recovers by quick answers, and each relay asks questions.
    while (changes.at(-1)![1]) await room.untilEnded(await room.submit());
    expect(lines.filter(({ provider }) => provider === label).map(({ level }) => level)).toEqual([40, 30]);
    await worker.stop();
  });

  it('is asked for a blockhash after the other two, so that nothing waits for it again', async () => {
    const nodes = room.nodes(3);
    nodes.fail({ node: 0, method: 'accountOwners' }, hangs, 1);
    nodes.fail({ node: 0, method: 'latestBlockhash' }, hangs);
    const timers = new Set<() => void>();
    const startTimer = (_: number, callback: () => void) => {
      timers.add(callback);
      return () => timers.delete(callback);
    };
    const pending = () => nodes.calls.filter(({ outcome }) => outcome === 'pending');
    const id = await room.submit();
    room.worker({ nodes, startTimer });
    await eventually(() => pending().length === 1 && nodes.calls.length >= 3);
    // Ends patience once.
    for (const end of [...timers]) end();
    expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
    expect(count(nodes, 0, 'latestBlockhash')).toBe(0);
  });

  it('can return the blockhash and then hang if it is one of three: the next look asks another provider', async () => {
    const nodes = room.nodes(3);
    nodes.fail({ node: 0, method: 'simulate' }, hangs);
    const id = await room.submit();
    room.worker({ nodes, timing });
    expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded', attemptNumber: 1 });
    expect(count(nodes, 0, 'simulate')).toBeGreaterThan(0);
  });

  it('can hang in its simulation if it is one of two: the simulation of the other is enough', async () => {
    const nodes = room.nodes(2);
    nodes.fail({ node: 1, method: 'simulate' }, hangs);
    const id = await room.submit();
    room.worker({ nodes, timing });
    expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded', attemptNumber: 1 });
  });

  it('can answer late: its answer after a round ends the request in a later round', async () => {
    const nodes = room.nodes(3);
    const { promise: gate, resolve: open } = Promise.withResolvers<undefined>();
    nodes.fail({ method: 'send' }, { kind: 'swallowed' });
    const id = await room.submit();
    room.worker({ nodes, timing });
    await room.until(id, ({ status }) => status === 'submitted');
    const asked = count(nodes, 0, 'finalizedHeight');
    nodes.fail({ node: 0, method: 'finalizedHeight' }, { kind: 'delay', until: () => gate });
    // The earlier question about the height could still be answered with the skipped blocks.
    await eventually(() => count(nodes, 0, 'finalizedHeight'), atLeast(asked + 1));
    room.ledger.skipBlocks(200);
    await room.until(id, ({ waitingFor }) => waitingFor === 'silent_providers');
    open(undefined);
    expect(await room.untilEnded(id)).toMatchObject({ status: 'failed', reason: 'send_failed' });
  });
});
