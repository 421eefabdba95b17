import { describe, expect, it } from '@jest/globals';
import { openLanes } from '../../../../src/domain/relays/evidence/gather.js';
import {
  interview,
  type Interview,
  type InterviewTopics,
} from '../../../../src/domain/relays/evidence/interview.js';
import { expiryOf } from '../../../../src/domain/relays/evidence/believed-heights.js';
import { Interviews } from '../../../../src/domain/relays/evidence/interviews.js';
import type { RelayAttempt } from '../../../../src/domain/relays/relay.js';
import type { StartTimer } from '../../../../src/platform/kernel/clock.js';
import type { Id } from '../../../../src/platform/kernel/ids.js';
import type { Address, LedgerHeight, LedgerNode, Signature } from '../../../../src/platform/ledger/index.js';
import { eventually } from '../../../kit/eventually.js';

/** Patience ends as soon as every immediate answer has arrived. */
const startTimer: StartTimer = (_, callback) => {
  const timer = setImmediate(callback);
  return () => clearImmediate(timer);
};

type AnswerHeight = (height: LedgerHeight) => void;

/** Returns a height only when the test lets it. */
const waitingNode = (label: string, heights: AnswerHeight[]): Partial<LedgerNode> => ({
  label,
  finalizedHeight: () => new Promise((resolve) => void heights.push(resolve)),
  signatureStatuses: (signatures) => Promise.resolve({ slot: 9, statuses: signatures.map(() => null) }),
});

/** Opens this number of providers. The first one waits for the test. */
function desk(providers = 3) {
  const heights: AnswerHeight[] = [];
  const node = waitingNode('node#0', heights);
  const quick: Partial<LedgerNode> = {
    ...node,
    finalizedHeight: () => Promise.resolve({ slot: 9, blockHeight: 9 }),
  };
  const others = Array.from({ length: providers - 1 }, (_, at) => ({ ...quick, label: `node#${at + 1}` }));
  const lanes = openLanes([node, ...others] as LedgerNode[], { patienceMs: 1, startTimer });
  return { heights, interviews: new Interviews(lanes) };
}

const attempt = (number: number) =>
  ({
    ...{ number, signature: `signature ${number}` as Signature, contextSlot: 9, lastValidBlockHeight: 159 },
  }) as RelayAttempt;

const topics = (relay: string, ...numbers: number[]): InterviewTopics => {
  const attempts = numbers.map(attempt);
  return {
    ...{ relayId: relay as Id<'rly'>, attempts, isPast: expiryOf(attempts, [], false) },
    ...{ nullifiers: [], outputs: [], programId: 'program' as Address, suspectsSpending: false },
  };
};

describe('an interview that a round does not wait for', () => {
  it('counts in the round after its end, and is not repeated before', async () => {
    const { heights, interviews } = desk();
    expect((await interviews.round(topics('one', 1)))[0]!.testimony).toEqual({ node: 'node#0' });
    await interviews.round(topics('one', 1));
    expect(heights).toHaveLength(1);
    heights[0]!({ slot: 8, blockHeight: 8 });
    await new Promise((resolve) => setImmediate(resolve));
    expect((await interviews.round(topics('one', 1)))[0]!.testimony).toMatchObject({ height: { slot: 8 } });
  });

  it('does not count for an attempt that was signed later', async () => {
    const { heights, interviews } = desk();
    await interviews.round(topics('one', 1));
    heights[0]!({ slot: 8, blockHeight: 8 });
    await new Promise((resolve) => setImmediate(resolve));
    const [first] = await interviews.round(topics('one', 1, 2));
    expect(first!.testimony).toEqual({ node: 'node#0' });
    expect(heights).toHaveLength(2);
  });

  it('is forgotten when a thousand others began after it, so that a provider that hangs uses no more memory', async () => {
    // With two providers, both are needed for a majority, so that the calls of a slow one wait for places.
    const { heights, interviews } = desk(2);
    for (let relay = 0; relay <= 1_000; relay += 1) await interviews.round(topics(`relay ${relay}`, 1));
    for (let at = 0; at < heights.length; at += 1) {
      heights[at]!({ slot: 8, blockHeight: 8 });
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(heights).toHaveLength(1_001);
    await interviews.round(topics('relay 1000', 1));
    expect(heights).toHaveLength(1_001);
    await interviews.round(topics('relay 0', 1));
    expect(heights).toHaveLength(1_002);
  });
});

describe('rounds with two providers that are both slower than patience', () => {
  it('have both answers, although each round waits for only one', async () => {
    const heights: AnswerHeight[][] = [[], []];
    const nodes = heights.map((waiting, at) => waitingNode(`node#${at}`, waiting));
    const interviews = new Interviews(openLanes(nodes as LedgerNode[], { patienceMs: 1, startTimer }));
    const answer = async (node: number, slot: number) => {
      await eventually(() => heights[node]!.length > 0);
      heights[node]!.shift()!({ slot, blockHeight: slot });
      await new Promise((resolve) => setImmediate(resolve));
    };
    const slotsOf = async (round: Promise<Interview[]>) =>
      (await round).map(({ testimony }) => testimony.height?.slot);

    const first = interviews.round(topics('one', 1));
    await answer(0, 8);
    expect(await slotsOf(first)).toEqual([8, undefined]);
    await answer(1, 9);
    // The second provider has answered, and the first one is asked again.
    expect(await slotsOf(interviews.round(topics('one', 1)))).toEqual([8, 9]);
    // An answer that was part of a majority counts no more.
    const third = interviews.round(topics('one', 1));
    await answer(0, 10);
    expect(await slotsOf(third)).toEqual([10, undefined]);
  });
});

describe('an interview', () => {
  it('asks for the height before it searches, and then for accounts and blockhashes as of that height', async () => {
    const asked: string[] = [];
    const slot = 1_000;
    const noted = <Answer>(question: string, answer: Answer) => {
      asked.push(question);
      return Promise.resolve(answer);
    };
    const node: Partial<LedgerNode> = {
      label: 'node#0',
      finalizedHeight: () => noted('height', { slot, blockHeight: 900 }),
      signatureStatuses: () => noted('statuses', { slot, statuses: [null] }),
      accountOwners: (addresses, { commitment, minContextSlot }) =>
        noted(`accounts ${commitment} ${minContextSlot}`, { slot, owners: addresses.map(() => null) }),
      blockhashValidity: (_, { minContextSlot } = {}) =>
        noted(`blockhash ${minContextSlot}`, { slot, valid: false }),
    };
    const nullifiers = ['nullifier' as Address];
    await interview(node as LedgerNode, { ...topics('one', 1), nullifiers });
    expect(asked).toEqual(['height', 'statuses', 'accounts finalized 1000', 'blockhash 1000']);
  });
});
