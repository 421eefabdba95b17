import { describe, expect, it } from '@jest/globals';
import { openLanes } from '../../../../src/domain/relays/evidence/gather.js';
import { interview, type InterviewTopics } from '../../../../src/domain/relays/evidence/interview.js';
import { expiryOf } from '../../../../src/domain/relays/evidence/believed-heights.js';
import { Interviews } from '../../../../src/domain/relays/evidence/interviews.js';
import type { RelayAttempt } from '../../../../src/domain/relays/relay.js';
import type { StartTimer } from '../../../../src/platform/kernel/clock.js';
import type { Id } from '../../../../src/platform/kernel/ids.js';
import {
  LedgerError,
  type Address,
  type LedgerHeight,
  type LedgerNode,
  type Signature,
  type TransactionFailure,
} from '../../../../src/platform/ledger/index.js';
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

describe('rounds with providers that are all slower than patience', () => {
  /** Each provider answers when the test lets it. One that is busy returns an error at once. */
  function slowDesk(providers: number) {
    const heights: AnswerHeight[][] = Array.from({ length: providers }, () => []);
    const busy = new Set<number>();
    const nodes = heights.map((waiting, at): Partial<LedgerNode> => {
      const node = waitingNode(`node#${at}`, waiting);
      const unlessBusy = <Answer>(answer: () => Promise<Answer>): Promise<Answer> =>
        busy.has(at) ? Promise.reject(new LedgerError('unreachable', 'Busy.')) : answer();
      return {
        ...node,
        finalizedHeight: () => unlessBusy(() => node.finalizedHeight!()),
        signatureStatuses: (signatures) => unlessBusy(() => node.signatureStatuses!(signatures)),
      };
    });
    const interviews = new Interviews(openLanes(nodes as LedgerNode[], { patienceMs: 1, startTimer }));
    const answer = async (node: number, slot: number) => {
      await eventually(() => heights[node]!.length > 0);
      heights[node]!.shift()!({ slot, blockHeight: slot });
      await new Promise((resolve) => setImmediate(resolve));
    };
    const begin = (relay = 'one') =>
      interviews
        .round(topics(relay, 1))
        .then((round) => round.map(({ testimony }) => testimony.height?.slot));
    /** The slots of a round during which only this provider answers. */
    const round = async (node: number, slot: number, relay?: string) => {
      const begun = begin(relay);
      await answer(node, slot);
      return begun;
    };
    return { interviews, busy, answer, begin, round };
  }

  it('have both answers of two, although each round waits for only one', async () => {
    const { answer, begin, round } = slowDesk(2);
    expect(await round(0, 8)).toEqual([8, undefined]);
    await answer(1, 9);
    // The second provider has answered, and the first one is asked again.
    expect(await begin()).toEqual([8, 9]);
    // An answer that was part of a majority counts no more.
    expect(await round(0, 10)).toEqual([10, undefined]);
  });

  it('become a majority of four, if one after the other answers', async () => {
    const { round } = slowDesk(4);
    const none = undefined;
    expect(await round(0, 8)).toEqual([8, none, none, none]);
    expect(await round(1, 9)).toEqual([8, 9, none, none]);
    expect(await round(2, 10)).toEqual([8, 9, 10, none]);
    expect(await round(3, 11)).toEqual([none, none, none, 11]);
  });

  it('have the earlier answer of a provider that is busy now', async () => {
    const { busy, round } = slowDesk(2);
    await round(0, 8);
    busy.add(0);
    expect(await round(1, 9)).toEqual([8, 9]);
  });

  it('say which answers an earlier round had, and how long ago they were asked for', async () => {
    const { interviews, answer, round } = slowDesk(2);
    await round(0, 8);
    await answer(1, 9);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const [kept, late] = await interviews.round(topics('one', 1));
    expect([kept!.isKept, late!.isKept]).toEqual([true, false]);
    for (const { agoMs } of [kept!, late!]) expect(agoMs).toBeGreaterThanOrEqual(15);
  });

  it('have answers that arrived after a thousand other relays were looked at', async () => {
    const { answer, round } = slowDesk(2);
    await round(0, 8);
    for (let relay = 0; relay < 1_000; relay += 1) await round(0, 20, `relay ${relay}`);
    // Few calls of a provider are under way at a time: the next question of the first relay waits for the others.
    for (let answers = 0; answers <= 1_000; answers += 1) await answer(1, 9);
    expect(await round(0, 30)).toEqual([30, 9]);
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

const FAILURE: TransactionFailure = { InstructionError: [0, { Custom: 1 }] };

describe('an interview about spent nullifiers', () => {
  /** Whether the provider is asked who spent them, if it shows these failures of finalized attempts; undefined: it shows none. */
  const isAskedForTheSpender = async (...failures: (TransactionFailure | null | undefined)[]) => {
    const [slot, asked] = [1_000, [] as string[]];
    const node: Partial<LedgerNode> = {
      label: 'node#0',
      finalizedHeight: () => Promise.resolve({ slot, blockHeight: 900 }),
      signatureStatuses: () =>
        Promise.resolve({
          slot,
          statuses: failures.map((failure) =>
            failure === undefined ? null : { slot, commitment: 'finalized', failure },
          ),
        }),
      finalizedOutcome: () => Promise.resolve(null),
      accountOwners: (addresses) =>
        Promise.resolve({ slot, owners: addresses.map(() => 'program' as Address) }),
      creatorOf: (account) => {
        asked.push(account);
        return Promise.resolve(null);
      },
    };
    const numbers = failures.map((_, at) => at + 1);
    await interview(node as LedgerNode, {
      ...topics('one', ...numbers),
      nullifiers: ['nullifier' as Address],
    });
    return asked.length > 0;
  };

  it('asks who spent them if none of our transactions did, and not all are known to have failed', async () => {
    expect(await isAskedForTheSpender(undefined)).toBe(true);
    expect(await isAskedForTheSpender(undefined, FAILURE)).toBe(true);
    expect(await isAskedForTheSpender(FAILURE, undefined)).toBe(true);
    expect(await isAskedForTheSpender(FAILURE, FAILURE)).toBe(false);
    expect(await isAskedForTheSpender(null)).toBe(false);
    expect(await isAskedForTheSpender(null, undefined)).toBe(false);
    expect(await isAskedForTheSpender(FAILURE, null)).toBe(false);
  });
});
