import { describe, expect, it } from '@jest/globals';
import type { LedgerNode } from '../../../../src/platform/ledger/index.js';
import { showRelay } from '../../../../src/domain/relays/index.js';
import { openRelayRoom } from '../kit.js';
import { atLeast, eventually } from '../../../kit/eventually.js';
import { forFile } from '../../../kit/for-file.js';

const room = forFile(await openRelayRoom());
room.ledger.skipBlocks(1_200);

describe('a relay whose ledger finalizes late', () => {
  /** Providers whose finalized state lags by this number of slots, while `isLate`. */
  const lateNodes = (count: number, slots: number, isLate: () => boolean) => {
    const late = (node: LedgerNode): LedgerNode => ({
      ...node,
      async finalizedHeight() {
        const { slot, blockHeight } = await node.finalizedHeight();
        return isLate() ? { slot: slot - slots, blockHeight: blockHeight - slots } : { slot, blockHeight };
      },
      async signatureStatuses(signatures) {
        const { slot, statuses } = await node.signatureStatuses(signatures);
        return {
          slot,
          statuses: statuses.map((status) =>
            status && isLate() ? { ...status, commitment: 'confirmed' } : status,
          ),
        };
      },
    });
    const honest = room.nodes(count);
    return { ...honest, nodes: honest.nodes.map(late) };
  };

  it.each([1, 3])(
    'is signed, waits for finality, succeeds, and blames none of %i providers if it is late by 300 slots',
    async (count) => {
      let isLate = true;
      const lies: string[] = [];
      const id = await room.submit();
      room.worker({
        nodes: lateNodes(count, 300, () => isLate),
        metrics: { providerLied: (node) => void lies.push(node) },
      });
      const waiting = await room.until(
        id,
        ({ status, waitingFor }) => waitingFor === 'finality' || status === 'failed',
      );
      expect(waiting).toMatchObject({ status: 'submitted', waitingFor: 'finality' });
      isLate = false;
      expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded', attemptNumber: 1 });
      expect(lies).toEqual([]);
      await room.rest();
    },
  );

  it('keeps the heights of its looks while workers that do not serve its pool look at it', async () => {
    const id = await room.submit();
    const signing = room.worker({ nodes: lateNodes(3, 300, () => true) });
    const lastLook = async () => (await showRelay(room.foundation.database, id)).lastLook?.evidence;
    const kept = await eventually(
      async () => (await lastLook())?.['heights'],
      (heights) => heights !== undefined,
    );
    await signing.stop();
    const other = room.worker({ pools: new Map() });
    const cause = async () => (await lastLook())?.['cause'];
    await eventually(cause, (one) => one === 'pool_unknown');
    await other.stop();
    expect(await lastLook()).toMatchObject({
      heights: (kept as { node: string }[]).map(({ node }) => ({ node, slot: expect.any(Number) })),
    });
    room.worker();
    expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
    await room.rest();
  });

  describe('when it is late by 300 slots', () => {
    const named = (heights: (honest: number, slot: number) => number, isLate: () => boolean) => {
      const late = lateNodes(3, 300, isLate);
      const [first, ...others] = late.nodes.map((node) => ({ ...node, send: () => Promise.resolve() }));
      const lastHeights = new Map<string, number>();
      const latestBlockhash: LedgerNode['latestBlockhash'] = async (asOf) => {
        const answer = await first!.latestBlockhash(asOf);
        lastHeights.set(answer.blockhash, answer.lastValidBlockHeight);
        return { ...answer, lastValidBlockHeight: heights(answer.lastValidBlockHeight, answer.slot) };
      };
      const liar = { ...first!, latestBlockhash };
      return { lastHeights, liar: liar.label, nodes: { ...late, nodes: [liar, ...others] } };
    };

    it('fails only when it has really expired, although one of three providers returns an expiry 20 blocks too early', async () => {
      let isLate = true;
      const { lastHeights, nodes } = named(
        (height) => height - 20,
        () => isLate,
      );
      const lies: string[] = [];
      const id = await room.submit();
      room.worker({ nodes, metrics: { providerLied: (node) => void lies.push(node) } });
      await room.until(id, ({ status, waitingFor }) => status === 'submitted' && waitingFor === 'landing');
      const [attempt] = await room.attempts(id);
      expect(attempt!.lastValidBlockHeight).toBeGreaterThanOrEqual(lastHeights.get(attempt!.blockhash)!);
      // By then all providers see that its blockhash is no longer valid, but none sees that this is final.
      room.ledger.skipBlocks(200);
      const look = async () => (await showRelay(room.foundation.database, id)).lastLook?.at.getTime() ?? 0;
      const skipped = await look();
      await eventually(look, atLeast(skipped + 1));
      expect(await room.read(id)).toMatchObject({ status: 'submitted' });
      isLate = false;
      room.ledger.skipBlocks(300);
      expect(await room.untilEnded(id)).toMatchObject({ status: 'failed', reason: 'send_failed' });
      expect(lies).toEqual([]);
      await room.rest();
    });

    it('is not dead while it may still land, although one of three providers names a slot that is too old for its blockhash', async () => {
      let lag = 300;
      let isLanding = false;
      const honest = room.nodes(3);
      const slots = new Map<string, number>();
      const late = (node: LedgerNode): LedgerNode => ({
        ...node,
        async finalizedHeight() {
          const { slot, blockHeight } = await node.finalizedHeight();
          return { slot: slot - lag, blockHeight: blockHeight - lag };
        },
        async latestBlockhash(asOf) {
          const answer = await node.latestBlockhash(asOf);
          slots.set(answer.blockhash, answer.slot);
          return answer;
        },
        // The finalized state does not know a blockhash that is newer.
        async blockhashValidity(blockhash, asOf) {
          const { slot, valid } = await node.blockhashValidity(blockhash, asOf);
          return { slot: slot - lag, valid: valid && slots.get(blockhash)! <= slot - lag };
        },
        send: (...sent) => (isLanding ? node.send(...sent) : Promise.resolve()),
      });
      const [first, ...others] = honest.nodes.map(late);
      const liar: LedgerNode = {
        ...first!,
        async latestBlockhash(asOf) {
          const { slot, blockHeight } = await first!.finalizedHeight();
          const { blockhash } = await first!.latestBlockhash(asOf);
          return { slot, blockhash, lastValidBlockHeight: blockHeight + 150 };
        },
      };
      const id = await room.submit();
      room.worker({ nodes: { ...honest, nodes: [liar, ...others] } });
      await room.until(id, ({ status, waitingFor }) => status === 'submitted' && waitingFor === 'landing');
      // More blocks are final than a transaction of the named slot has time to land, but not yet the one of its blockhash.
      lag = 140;
      const look = async () => (await showRelay(room.foundation.database, id)).lastLook?.at.getTime() ?? 0;
      const before = await look();
      await eventually(async () => (await room.read(id)).status !== 'submitted' || (await look()) > before);
      isLanding = true;
      lag = 0;
      expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded', attemptNumber: 1 });
      expect((await room.attempts(id)).length).toBe(1);
      await room.rest();
    });

    it('is signed with the blockhash of another provider, and names the one that returns the slot as the height of the expiry', async () => {
      const { lastHeights, liar, nodes } = named(
        (_, slot) => slot + 150,
        () => true,
      );
      const lies: string[] = [];
      const id = await room.submit();
      room.worker({ nodes, metrics: { providerLied: (node) => void lies.push(node) } });
      await room.until(id, ({ status }) => status === 'submitted');
      const [attempt] = await room.attempts(id);
      expect(attempt!.lastValidBlockHeight).toBeLessThan(attempt!.contextSlot);
      expect(lies).toEqual([liar]);
      expect(lastHeights.size).toBe(1);
      await room.rest();
    });
  });

  it('is not signed, and blames no provider, if it is late by 600 slots', async () => {
    const lies: string[] = [];
    const id = await room.submit();
    room.worker({
      nodes: lateNodes(3, 600, () => true),
      metrics: { providerLied: (node) => void lies.push(node) },
    });
    expect(await room.untilEnded(id)).toMatchObject({ status: 'failed', reason: 'infrastructure_failed' });
    expect(await room.attempts(id)).toEqual([]);
    expect(lies).toEqual([]);
    await room.rest();
  });
});

describe('the relayer, on a ledger that finalizes late,', () => {
  it('rejects nothing because of spending that is not final, because a fork may undo it', async () => {
    await using room = await openRelayRoom();
    const nodes = room.nodes(1);
    const [node] = nodes.nodes as [LedgerNode];
    let isLate = true;
    const accountOwners: LedgerNode['accountOwners'] = async (addresses, asOf) => {
      const answer = await node.accountOwners(addresses, asOf);
      return isLate && asOf.commitment === 'finalized'
        ? { ...answer, owners: addresses.map(() => null) }
        : answer;
    };
    const id = await room.submit();
    await room.spendElsewhere(id);
    room.worker({
      nodes: { ...nodes, nodes: [{ ...node, accountOwners }] },
      timing: { maxFailedLooks: 1e9 },
    });
    const waiting = await room.until(
      id,
      ({ status, failedLooks }) => status === 'rejected' || failedLooks > 2,
    );
    expect(waiting.status).toBe('queued');
    const { lastLook } = await showRelay(room.foundation.database, id);
    expect(lastLook!.evidence).toMatchObject({ cause: 'nullifiers_unfinalized' });
    isLate = false;
    expect(await room.untilEnded(id)).toMatchObject({ status: 'rejected', reason: 'nullifiers_spent' });
    expect(await room.attempts(id)).toEqual([]);
  });

  it('reports no success before it is final, whatever is confirmed', async () => {
    await using room = await openRelayRoom({ finalizationDelayMs: 1_000 });
    const id = await room.submit();
    room.worker();
    const seen = new Set<string>();
    for (;;) {
      const { status } = await room.read(id);
      const [attempt] = await room.attempts(id);
      // Read after the status: if it is not final now, the success was reported too early.
      const { statuses } = await room.honest.signatureStatuses(attempt ? [attempt.signature] : []);
      const commitment = statuses[0]?.commitment;
      seen.add(`${commitment ?? 'unknown'} ${status}`);
      if (status === 'succeeded') break;
    }
    expect(seen).toContain('confirmed submitted');
    expect([...seen].filter((one) => one.endsWith('succeeded'))).toEqual(['finalized succeeded']);
    await room.rest();
  });
});
