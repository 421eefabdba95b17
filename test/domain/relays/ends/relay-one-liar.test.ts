import { afterEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { VersionedTransaction } from '@solana/web3.js';
import { base58 } from '../../../../src/platform/kernel/encoding/bytes.js';
import { LedgerError, type LedgerNode } from '../../../../src/platform/ledger/index.js';
import { localPools, openRelayRoom } from '../kit.js';
import { isTerminal } from '../../../../src/domain/relays/relay-state.js';
import { forFile } from '../../../kit/for-file.js';

type Liar = (honest: LedgerNode) => Partial<LedgerNode>;

/** Returns a blockhash that no block has, and simulates a transaction with it like one with a valid blockhash. */
const inventsBlockhashes: Liar = (honest) => ({
  async latestBlockhash(asOf) {
    const answer = await honest.latestBlockhash(asOf);
    return { ...answer, blockhash: base58.encode(randomBytes(32)) };
  },
  async simulate(wire, asOf) {
    const transaction = VersionedTransaction.deserialize(wire);
    transaction.message.recentBlockhash = (await honest.latestBlockhash()).blockhash;
    return honest.simulate(transaction.serialize(), asOf);
  },
});

/** A provider refuses a request with a later minimum slot than it has reached. */
const AHEAD_SLOTS = 300;
const namesLaterSlots: Liar = (honest) => ({
  async latestBlockhash(asOf) {
    const { slot, blockhash, lastValidBlockHeight } = await honest.latestBlockhash(asOf);
    return {
      slot: slot + AHEAD_SLOTS,
      blockhash,
      lastValidBlockHeight: lastValidBlockHeight + AHEAD_SLOTS,
    };
  },
  async simulate(wire, { account } = {}) {
    const { slot, ...answer } = await honest.simulate(wire, { ...(account && { account }) });
    return { ...answer, slot: slot + AHEAD_SLOTS };
  },
  async balance(address) {
    const { slot, lamports } = await honest.balance(address);
    return { slot: slot + AHEAD_SLOTS, lamports };
  },
  send: () => Promise.resolve(),
});

const saysUnits =
  (units: number): Liar =>
  (honest) => ({
    simulate: async (wire, asOf) => ({ ...(await honest.simulate(wire, asOf)), unitsConsumed: units }),
  });

const saysThatAllFits: Liar = (honest) => ({
  async simulate() {
    const { slot } = await honest.latestBlockhash();
    return { slot, failure: null, unitsConsumed: 100_000, lamportsAfter: 1_000_000_000 };
  },
  async balance() {
    const { slot } = await honest.latestBlockhash();
    return { slot, lamports: 1_000_000_000 };
  },
});

const saysThatItCostsNothing: Liar = (honest) => {
  const lamports = 1_000_000_000;
  let slot = 0;
  return {
    async simulate(wire, question) {
      const answer = await honest.simulate(wire, question);
      ({ slot } = answer);
      return { ...answer, lamportsAfter: lamports };
    },
    balance: () => Promise.resolve({ slot, lamports }),
  };
};

const refusesAll: Liar = (honest) => ({
  simulate: async (wire, asOf) => ({
    ...(await honest.simulate(wire, asOf)),
    failure: { InstructionError: [2, { Custom: 6 }] },
  }),
});

const saysThatItCosts =
  (lamports: number): Liar =>
  (honest) => ({
    async simulate(wire, question) {
      const answer = await honest.simulate(wire, question);
      return {
        ...answer,
        lamportsAfter: answer.lamportsAfter === null ? null : answer.lamportsAfter - lamports,
      };
    },
  });

const saysThatOthersPay =
  (microLamports: number): Liar =>
  () => ({ recentPrioritizationFees: () => Promise.resolve(Array<number>(150).fill(microLamports)) });

const SLOW_MS = 2_000;
/** Answers questions about the attempt before signing truthfully, but late. */
const slowed = (honest: LedgerNode): LedgerNode => ({
  ...honest,
  simulate: (...question) => setTimeout(SLOW_MS).then(() => honest.simulate(...question)),
  balance: (...question) => setTimeout(SLOW_MS).then(() => honest.balance(...question)),
  recentPrioritizationFees: (...question) =>
    setTimeout(SLOW_MS).then(() => honest.recentPrioritizationFees(...question)),
});

/** Names a slot for each simulation that the ledger reaches years later. */
const simulatesYearsAhead: Liar = (honest) => {
  const slot = 1_000_000_000;
  return {
    simulate: async (wire, { account } = {}) => ({
      ...(await honest.simulate(wire, { ...(account && { account }) })),
      slot,
    }),
    balance: async (address) => ({ ...(await honest.balance(address)), slot }),
  };
};

const room = forFile(await openRelayRoom());
room.ledger.skipBlocks(1_000);

describe('a relay with one of three providers that lies before signing', () => {
  afterEach(() => room.rest());

  const cases: [string, Liar][] = [
    ['returns a blockhash that no block has', inventsBlockhashes],
    ['dates a blockhash 300 slots ahead', namesLaterSlots],
    ['reports that it uses one compute unit', saysUnits(1)],
    ['reports that it uses all units that the pool allows', saysUnits(200_000)],
  ];
  it.each(cases.flatMap(([what, lie]) => [0, 1, 2].map((at) => [at, what, lie] as const)))(
    'succeeds with its first signature if provider %i %s',
    async (at, _, lie) => {
      const honest = room.nodes(3);
      const nodes = honest.nodes.map((node, position) =>
        position === at ? { ...node, ...lie(node) } : node,
      );
      const id = await room.submit();
      room.worker({ nodes: { ...honest, nodes } });
      let status = '';
      // If it does not land, its blockhash expires.
      while (!['succeeded', 'failed', 'rejected'].includes(status)) {
        ({ status } = await room.read(id));
        await setTimeout(20);
        if (status === 'submitted' || status === 'reconciling') room.ledger.skipBlocks(2);
      }
      expect({ status, signed: (await room.attempts(id)).length }).toEqual({
        status: 'succeeded',
        signed: 1,
      });
    },
  );

  it.each([0, 1, 2])(
    'is rejected unsigned if only provider %i reports that a transaction fits that the program refuses',
    async (at) => {
      const honest = room.nodes(3);
      const nodes = honest.nodes.map((node, position) =>
        position === at ? { ...node, ...saysThatAllFits(node) } : node,
      );
      const id = await room.submit({ proofBytes: '00'.repeat(256) });
      room.worker({ nodes: { ...honest, nodes } });
      expect(await room.untilEnded(id)).toMatchObject({ status: 'rejected', reason: 'simulation_failed' });
      expect(await room.attempts(id)).toEqual([]);
    },
  );

  it.each([0, 1, 2])(
    'is rejected unsigned if only provider %i reports that it costs less than the pool allows',
    async (at) => {
      const honest = room.nodes(3);
      const nodes = honest.nodes.map((node, position) =>
        position === at ? { ...node, ...saysThatItCostsNothing(node) } : node,
      );
      const id = await room.submit();
      room.worker({
        nodes: { ...honest, nodes },
        pools: await localPools({ maxCostLamports: 1_000_000 }),
      });
      expect(await room.untilEnded(id)).toMatchObject({
        status: 'rejected',
        reason: 'resource_limit_exceeded',
      });
      expect(await room.attempts(id)).toEqual([]);
    },
  );

  it.each<[string, Liar]>([
    ['that the program refuses it', refusesAll],
    ['that it uses more units than the pool allows', saysUnits(1_400_000)],
    ['that it costs more than the pool allows', saysThatItCosts(1_000_000_000)],
    ['that others pay more than the pool allows', saysThatOthersPay(1_000_000_000_000)],
  ])('succeeds if only one provider reports %s, and the third one is slow', async (_, lie) => {
    const honest = room.nodes(3);
    const [first, second, third] = honest.nodes;
    const nodes = [first!, { ...second!, ...lie(second!) }, slowed(third!)];
    const id = await room.submit();
    room.worker({ nodes: { ...honest, nodes }, timing: { patienceMs: SLOW_MS / 3 } });
    expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
  });

  // An attempt after such a slot could never be shown to be dead.
  it('is not signed while the only other provider that simulates names a slot years ahead', async () => {
    const honest = room.nodes(3);
    const [first, second, third] = honest.nodes;
    let isSilent = true;
    const silent: LedgerNode = {
      ...second!,
      simulate: (...question) =>
        isSilent ? Promise.reject(new LedgerError('timeout', 'No answer.')) : second!.simulate(...question),
    };
    const nodes = [first!, silent, { ...third!, ...simulatesYearsAhead(third!) }];
    const id = await room.submit();
    room.worker({ nodes: { ...honest, nodes } });
    const { status } = await room.until(id, (relay) => isTerminal(relay.status) || relay.failedLooks > 3);
    expect({ status, signed: (await room.attempts(id)).length }).toEqual({ status: 'queued', signed: 0 });
    isSilent = false;
    expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
  });
});
