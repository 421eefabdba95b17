import { afterEach, describe, expect, it } from '@jest/globals';
import { showRelay } from '../../../../src/domain/relays/index.js';
import { sql } from '../../../../src/platform/database/index.js';
import { silentLog } from '../../../../src/platform/kernel/log.js';
import { createSignatureHints, type SignatureHints } from '../../../../src/platform/ledger/index.js';
import { atLeast, eventually } from '../../../kit/eventually.js';
import { forFile } from '../../../kit/for-file.js';
import { openGate } from '../../../kit/process/gate.js';
import type { FaultyNodes, PlannedCall } from '../../../kit/ledger/faulty-nodes.js';
import { hintingNode, type Hinting } from '../../../kit/ledger/hinting-node.js';
import { openRelayRoom } from '../kit.js';

/** Longer than a test, so that no look happens because it is due. */
const NEVER_MS = 3_600_000;

const room = forFile(await openRelayRoom({ finalizationDelayMs: 100 }));

describe('a relay whose provider has a WebSocket', () => {
  afterEach(() => room.rest());

  const hintsOf = (...wsUrls: readonly string[]) =>
    createSignatureHints({
      providers: wsUrls.map((wsUrl, at) => ({ label: `node#${at}`, wsUrl })),
      ...{ timeoutMs: 60_000, log: silentLog },
    });
  const looks = (nodes: FaultyNodes) =>
    nodes.calls.filter(({ node, method }) => node === 0 && method === 'signatureStatuses').length;

  it('is checked when the provider reports that its transaction is finalized, and that check ends it', async () => {
    await using hints = hintsOf(room.ledger.wsUrl);
    const nodes = room.nodes(1);
    const hinted: string[] = [];
    const metrics = { hinted: (provider: string) => void hinted.push(provider) };
    const id = await room.submit();
    room.worker({ nodes, hints, metrics, timing: { rebroadcastMs: NEVER_MS } });
    expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded', attemptNumber: 1 });
    expect(hinted).toEqual(['node#0']);
    expect(looks(nodes)).toBe(1);
    const [attempt] = await room.attempts(id);
    expect(attempt).toMatchObject({ outcome: 'landed', evidence: { by: 'transaction' } });
  });

  it('does not end because of a false hint: the hint only causes one look', async () => {
    await using liar = await hintingNode('lies');
    await using hints = hintsOf(liar.wsUrl);
    const nodes = room.nodes(3);
    nodes.fail({ method: 'send' }, { kind: 'swallowed' });
    const hinted: string[] = [];
    const metrics = { hinted: (provider: string) => void hinted.push(provider) };
    const id = await room.submit();
    room.worker({ nodes, hints, metrics, timing: { rebroadcastMs: NEVER_MS } });
    await eventually(
      () => showRelay(room.foundation.database, id),
      ({ lastLook }) => lastLook?.evidence['providers'] !== undefined,
    );
    expect(await room.read(id)).toMatchObject({ status: 'submitted', waitingFor: 'landing' });
    expect(await room.attempts(id)).toMatchObject([{ outcome: null }]);
    expect(hinted).toEqual(['node#0']);
    expect(looks(nodes)).toBe(1);
    expect(await room.landed(id)).toEqual({ succeeded: [], failed: [] });
  });

  it('is checked as soon as a place is free if there are more hints than places', async () => {
    await using hints = hintsOf(room.ledger.wsUrl);
    using gate = openGate();
    const late: SignatureHints = {
      ...hints,
      watch: (signature, onHint) =>
        hints.watch(signature, (provider) => void gate.arrived.then(() => onHint(provider))),
    };
    const isThird = ({ method, ordinal }: PlannedCall) => method === 'latestBlockhash' && ordinal === 2;
    const nodes = room.nodes(1, (call) => (isThird(call) ? { kind: 'delay', until: gate.until } : undefined));
    let hinted = 0;
    const metrics = { hinted: () => void (hinted += 1) };
    const ids = [await room.submit(), await room.submit(), await room.submit()];
    const timing = { rebroadcastMs: NEVER_MS };
    room.worker({ nodes, hints: late, metrics, timing, maxConcurrent: 1 });
    await eventually(() => hinted, atLeast(2));
    gate.release();
    for (const id of ids) expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
  });

  it('is checked when the database is available again, if it could not be claimed when the hint came', async () => {
    await using hints = hintsOf(room.ledger.wsUrl);
    using gate = openGate();
    const late: SignatureHints = {
      ...hints,
      watch: (signature, onHint) =>
        hints.watch(signature, (provider) => void gate.until().then(() => onHint(provider))),
    };
    const { database } = room.foundation;
    let isAway = false;
    const failing = new Proxy(database, {
      get(target, name) {
        if (name === 'rows' && isAway) return () => Promise.reject(new Error('The database is away.'));
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    const failed = Promise.withResolvers<undefined>();
    const log = { ...silentLog, error: () => failed.resolve(undefined) };
    const id = await room.submit();
    const foundation = { ...room.foundation, database: failing, log };
    room.worker({ hints: late, foundation, timing: { rebroadcastMs: NEVER_MS } });
    // It is finalized by now, and its next look is due in an hour.
    await gate.arrived;
    await room.until(id, ({ waitingFor }) => waitingFor === 'landing');
    isAway = true;
    gate.release();
    await failed.promise;
    isAway = false;
    expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded', attemptNumber: 1 });
  });

  it.each<Hinting>(['waits', 'floods', 'refuses', 'drops', 'hangs'])(
    'ends by its regular looks if the WebSocket %s',
    async (hinting) => {
      await using node = await hintingNode(hinting);
      await using hints = hintsOf(node.wsUrl);
      const id = await room.submit();
      room.worker({ hints });
      expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded', attemptNumber: 1 });
      expect(node.connectedAt.length).toBeGreaterThan(0);
    },
  );

  it('is checked by the worker that received the hint, even if another worker sent the transaction', async () => {
    await using hints = hintsOf(room.ledger.wsUrl);
    const sending = room.nodes(1);
    const id = await room.submit();
    const timing = { rebroadcastMs: NEVER_MS };
    const deaf = room.worker({ nodes: sending, timing });
    await room.until(id, ({ status, waitingFor }) => status === 'submitted' && waitingFor === 'landing');
    await deaf.stop();
    expect(looks(sending)).toBe(0);
    await room.foundation.database.rows(sql`
      update relay_requests set next_look_at = now() where id = ${id}`);
    // Its first look comes too early. It receives the hint later.
    const looking = room.nodes(1);
    looking.fail({ method: 'signatureStatuses' }, { kind: 'drop' }, 1);
    room.worker({
      nodes: looking,
      hints,
      timing: { ...timing, backOff: { firstMs: NEVER_MS, maxMs: NEVER_MS } },
    });
    expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
  });
});
