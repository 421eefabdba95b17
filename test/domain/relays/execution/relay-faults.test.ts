import { describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from '../../../../src/platform/database/index.js';
import type { Address, LedgerNode } from '../../../../src/platform/ledger/index.js';
import type { Id } from '../../../../src/platform/kernel/ids.js';
import type { Relay } from '../../../../src/domain/relays/relay.js';
import { isTerminal, type RelayStatus } from '../../../../src/domain/relays/relay-state.js';
import { forFile } from '../../../kit/for-file.js';
import { seededPlan, type FaultyNodes, type NodeFault } from '../../../kit/ledger/faulty-nodes.js';
import { fc } from '../../../kit/properties.js';
import { LOCAL_POOL_PROGRAM_ID } from '../../../../devnet/index.js';
import { localPools, openRelayRoom } from '../kit.js';

const KINDS: readonly NodeFault[] = [
  { kind: 'drop' },
  { kind: 'answer_lost' },
  { kind: 'answer_lost', until: () => delay(30) },
  { kind: 'duplicate' },
  { kind: 'stale' },
  { kind: 'lagging', slots: 2 },
  { kind: 'lagging', slots: 200 },
  { kind: 'status', status: 429 },
  { kind: 'status', status: 500 },
  { kind: 'garbage' },
  { kind: 'swallowed' },
  { kind: 'slot_as_height' },
  { kind: 'delay', until: () => delay(5) },
];

interface Story {
  readonly seed: number;
  readonly nodes: number;
  /** The chance of a fault in each call, in percent. */
  readonly odds: number;
  readonly workers: number;
  /** Number of blocks that pass after each round of looks. */
  readonly blocks: readonly number[];
  /** The round after which another party spends the nullifiers of the last request. */
  readonly spentAfter: number;
}

const anyStory: fc.Arbitrary<Story> = fc.record({
  seed: fc.integer(),
  nodes: fc.integer({ min: 1, max: 3 }),
  odds: fc.integer({ min: 10, max: 80 }),
  workers: fc.integer({ min: 1, max: 2 }),
  blocks: fc.array(fc.constantFrom(0, 149, 160, 160), { minLength: 5, maxLength: 8 }),
  spentAfter: fc.integer({ min: 0, max: 8 }),
});

const room = forFile(await openRelayRoom());

describe('the relayer, with any faults of its providers,', () => {
  it('lands each request at most once, loses none, and ends none wrongly', async () => {
    await fc.assert(fc.asyncProperty(anyStory, tell), { numRuns: 8, endOnFailure: true });
  }, 600_000);

  it('rejects nothing because one of three reports too high a cost', async () => {
    const honest = room.nodes(3);
    const simulate: LedgerNode['simulate'] = async (...question) => ({
      ...(await honest.nodes[0]!.simulate(...question)),
      lamportsAfter: 0,
    });
    const recentPrioritizationFees = () => Promise.resolve([1_000_000_000]);
    const liar = { ...honest.nodes[0]!, simulate, recentPrioritizationFees };
    const id = await room.submit();
    room.worker({ nodes: { ...honest, nodes: [liar, ...honest.nodes.slice(1)] } });
    expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
    await room.rest();
  });

  it('signs nothing while less than half of them answer whether the nullifiers are free', async () => {
    const nodes = room.nodes(3);
    for (const node of [0, 1]) nodes.fail({ node, method: 'accountOwners' }, { kind: 'drop' });
    const id = await room.submit();
    room.worker({ nodes });
    expect(await room.untilEnded(id)).toMatchObject({ status: 'failed', reason: 'infrastructure_failed' });
    expect(await room.attempts(id)).toEqual([]);
    await room.rest();
  });

  it('computes a cost only from a balance of the same slot as the simulation, because other relays pay between slots', async () => {
    const honest = room.nodes(1);
    const [node] = honest.nodes as [LedgerNode];
    let late = 3;
    const balance: LedgerNode['balance'] = async (address) => {
      const { slot, lamports } = await node.balance(address);
      // Far from the slot of a simulation, whenever the slot changes.
      return (late -= 1) >= 0 ? { slot: slot - 100, lamports: lamports - 5_000_000 } : { slot, lamports };
    };
    const id = await room.submit();
    room.worker({
      nodes: { ...honest, nodes: [{ ...node, balance }] },
      pools: await localPools({ maxCostLamports: 1_000_000 }),
    });
    expect(await room.untilEnded(id)).toMatchObject({
      status: 'rejected',
      reason: 'resource_limit_exceeded',
    });
    expect(await room.attempts(id)).toEqual([]);
    await room.rest();
  });

  it('does not report a refusal by the program if another party spent the nullifiers at a slot that no provider has reached', async () => {
    room.ledger.skipBlocks(300);
    const nodes = room.nodes(1);
    const id = await room.submit();
    await room.spendElsewhere(id);
    nodes.fail({ method: 'accountOwners' }, { kind: 'lagging', slots: 200 });
    room.worker({ nodes, timing: { maxFailedLooks: 1e9 } });
    const waiting = await room.until(id, ({ status, failedLooks }) => isTerminal(status) || failedLooks > 2);
    expect(waiting).toMatchObject({ status: 'queued' });
    nodes.heal();
    expect(await room.untilEnded(id)).toMatchObject({ status: 'rejected', reason: 'nullifiers_spent' });
    await room.rest();
  });

  it('reconciles a sent transaction when no provider accepts it anymore', async () => {
    const nodes = room.nodes(1);
    nodes.fail({ method: 'send' }, { kind: 'swallowed' }, 1);
    nodes.fail({ method: 'send' }, { kind: 'drop' });
    const id = await room.submit();
    room.worker({ nodes });
    await room.until(id, ({ status }) => status === 'reconciling');
    expect((await room.events(id)).at(-1)!.evidence).toMatchObject({ cause: 'send_unseen' });
    nodes.heal();
    expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
    await room.rest();
  });

  describe('the relayer with one of two providers whose slots are wrong', () => {
    /** A node whose slots and last valid heights are too early by this number of slots. So would be those of one that lags. */
    const dated = (early: number) => {
      room.ledger.skipBlocks(1_000);
      const honest = room.nodes(2);
      const [first, second] = honest.nodes as [LedgerNode, LedgerNode];
      const finalizedHeight: LedgerNode['finalizedHeight'] = async () => {
        const { slot, blockHeight } = await first.finalizedHeight();
        return { slot: slot - early, blockHeight: blockHeight - early };
      };
      const latestBlockhash: LedgerNode['latestBlockhash'] = async () => {
        const { slot, blockhash, lastValidBlockHeight } = await first.latestBlockhash();
        return { slot: slot - early, blockhash, lastValidBlockHeight: lastValidBlockHeight - early };
      };
      const lastValidHeights = new Map<string, number>();
      const listened: LedgerNode['latestBlockhash'] = async (...question) => {
        const answer = await second.latestBlockhash(...question);
        lastValidHeights.set(answer.blockhash, answer.lastValidBlockHeight);
        return answer;
      };
      const nodes = [
        { ...first, finalizedHeight, latestBlockhash },
        { ...second, latestBlockhash: listened },
      ];
      return { lastValidHeights, nodes: { ...honest, nodes } };
    };

    it('signs with the blockhash of the other one, which does not expire earlier than that one returned, and blames none, if they are wrong by 400 slots', async () => {
      const { lastValidHeights, nodes } = dated(400);
      const lies: string[] = [];
      const id = await room.submit();
      room.worker({ nodes, metrics: { providerLied: (node) => void lies.push(node) } });
      expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
      expect(lies).toEqual([]);
      const [attempt] = await room.attempts(id);
      expect(lastValidHeights.has(attempt!.blockhash)).toBe(true);
      expect(attempt!.lastValidBlockHeight).toBeGreaterThanOrEqual(lastValidHeights.get(attempt!.blockhash)!);
      await room.rest();
    });

    it('signs nothing if they are wrong by 600 slots', async () => {
      const { nodes } = dated(600);
      const id = await room.submit();
      room.worker({ nodes });
      expect(await room.untilEnded(id)).toMatchObject({ status: 'failed', reason: 'infrastructure_failed' });
      expect(await room.attempts(id)).toEqual([]);
      await room.rest();
    });
  });

  it('succeeds and names the one of three that shows nullifiers as spent before anything is signed', async () => {
    const honest = room.nodes(3);
    const [first, liar, third] = honest.nodes as [LedgerNode, LedgerNode, LedgerNode];
    const accountOwners: LedgerNode['accountOwners'] = async (addresses, asOf) => {
      const { slot } = await liar.accountOwners(addresses, asOf);
      return { slot: slot - 1, owners: addresses.map(() => LOCAL_POOL_PROGRAM_ID as Address) };
    };
    const lies: string[] = [];
    const id = await room.submit();
    room.worker({
      nodes: { ...honest, nodes: [first, { ...liar, accountOwners }, third] },
      metrics: { providerLied: (node) => void lies.push(node) },
    });
    expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
    expect(lies).toEqual([liar.label]);
    const queued = (await room.events(id)).find(({ status }) => status === 'queued');
    expect(queued!.evidence).toMatchObject({ leftOut: [{ node: liar.label, lie: 'contradicted' }] });
    await room.rest();
  });

  it('blames no provider for confirmed state, because a fork may undo it', async () => {
    const honest = room.nodes(3);
    const [forked, ...others] = honest.nodes as [LedgerNode, LedgerNode, LedgerNode];
    const failure = { InstructionError: [2, { Custom: 7 }] };
    const simulate: LedgerNode['simulate'] = async (...question) => ({
      ...(await forked.simulate(...question)),
      failure,
    });
    const accountOwners: LedgerNode['accountOwners'] = async (addresses, asOf) => {
      const answer = await forked.accountOwners(addresses, asOf);
      return asOf.commitment === 'finalized'
        ? answer
        : { ...answer, owners: addresses.map(() => LOCAL_POOL_PROGRAM_ID as Address) };
    };
    const lies: string[] = [];
    const id = await room.submit();
    room.worker({
      nodes: { ...honest, nodes: [{ ...forked, simulate, accountOwners }, ...others] },
      metrics: { providerLied: (node) => void lies.push(node) },
    });
    expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
    expect(lies).toEqual([]);
    await room.rest();
  });

  async function tell(story: Story): Promise<void> {
    const odds = KINDS.map((fault) => [story.odds / 100 / KINDS.length, fault] as const);
    const nodes = room.nodes(story.nodes, seededPlan(story.seed, odds));
    const ids = [await room.submit(), await room.submit(), await room.submit()];
    for (let count = 0; count < story.workers; count += 1) room.worker({ nodes });

    for (const [round, blocks] of story.blocks.entries()) {
      await delay(15);
      room.ledger.skipBlocks(blocks);
      if (round === story.spentAfter) await room.spendElsewhere(ids.at(-1)!).catch(() => undefined);
      for (const id of ids) await check(id);
      for (const id of ids) await room.retry(id);
    }
    // The providers recover. Now everything ends. Failed requests are retried as long as that is allowed.
    nodes.heal();
    for (const id of ids) {
      const end = await untilEndedForGood(id);
      await check(id);
      expect(['succeeded', 'rejected']).toContain(end.status);
      if (end.status === 'rejected') expect([id, end.reason]).toEqual([ids.at(-1), 'nullifiers_spent']);
    }
    await checkBytes(ids, nodes);
    await room.rest();
  }

  async function untilEndedForGood(id: Id<'rly'>): Promise<Relay> {
    for (;;) {
      const relay = await room.read(id);
      if (isTerminal(relay.status) && !(await room.retry(id))) return relay;
      await delay(20);
      // A signed transaction may wait for its blockhash to expire. Before that, the slot of a simulation must last for one more
      // question.
      room.ledger.skipBlocks(['submitted', 'reconciling'].includes(relay.status) ? 40 : 1);
    }
  }

  /** Checks what must be true at any time. */
  async function check(id: Id<'rly'>): Promise<void> {
    const [row] = await room.foundation.database.rows(sql<{ status: RelayStatus; isDue: boolean }>`
      select status, next_look_at is not null as "isDue" from relay_requests where id = ${id}`);
    expect(row).toMatchObject({ isDue: !isTerminal(row!.status) });
    if (!isTerminal(row!.status)) return;
    const { succeeded } = await room.landed(id);
    expect(succeeded).toHaveLength(row!.status === 'succeeded' ? 1 : 0);
    if (row!.status === 'succeeded') expect(await room.spent(id)).toEqual([true, true]);
    if (row!.status !== 'failed') return;
    // The transactions of a request that can be retried must be dead.
    const { blockHeight } = await room.honest.finalizedHeight();
    for (const { outcome, lastValidBlockHeight } of await room.attempts(id))
      if (outcome !== 'failed') expect(blockHeight).toBeGreaterThan(lastValidBlockHeight);
  }

  /** Only stored bytes were sent, unchanged. */
  async function checkBytes(ids: readonly Id<'rly'>[], { reached }: FaultyNodes): Promise<void> {
    const attempts = (await Promise.all(ids.map((id) => room.attempts(id)))).flat();
    for (const { signature, wire } of reached) {
      const stored = attempts.find((attempt) => attempt.signature === signature);
      expect(Buffer.compare(wire, stored!.transaction)).toBe(0);
    }
  }
});
