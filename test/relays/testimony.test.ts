import { describe, expect, it } from '@jest/globals';
import { LedgerError, type LedgerHeight, type SignatureStatus } from '../../src/ledger/index.js';
import { believeHeights, heightOfBlockhash } from '../../src/relays/believed-heights.js';
import { isUnknownToAll, judgeOutcome, slotPastExpiry } from '../../src/relays/judge-attempts.js';
import { agreementOf, answered, type Testimony } from '../../src/relays/testimony.js';
import { computeLimit, priorityFee } from '../../src/relays/transaction-terms.js';
import { fc } from '../kit/properties.js';

const said = <Answer>(...answers: readonly (Answer | 'silent')[]): Testimony<Answer>[] =>
  answers.map((answer, at) =>
    answer === 'silent'
      ? { node: `node ${at}`, error: new LedgerError('timeout', 'No answer.') }
      : { node: `node ${at}`, answer },
  );

/** A finalized chain: of each slot, whether it has a block. */
const anyChain = fc.array(fc.boolean(), { minLength: 2, maxLength: 300 }).map((blocks) =>
  blocks.map((_, slot): LedgerHeight => {
    const blockHeight = blocks.slice(0, slot + 1).filter(Boolean).length;
    return { slot: slot + 1, blockHeight };
  }),
);

describe('finalized heights', () => {
  it('are all believed when all are of one chain, however far apart the providers are', () => {
    fc.assert(
      fc.property(anyChain, fc.array(fc.nat(), { minLength: 1, maxLength: 5 }), (chain, picks) => {
        const heights = picks.map((pick) => chain[pick % chain.length]!);
        expect(believeHeights(said(...heights)).lying).toEqual([]);
      }),
    );
  });

  it('leave out the one that contradicts the others', () => {
    const heights = said(
      { slot: 1_000, blockHeight: 900 },
      { slot: 1_003, blockHeight: 1_003 },
      {
        slot: 1_002,
        blockHeight: 901,
      },
    );
    expect(believeHeights(heights).lying).toEqual(['node 1']);
  });

  it('are both doubted when one of two lies', () => {
    const heights = said({ slot: 1_000, blockHeight: 900 }, { slot: 1_000, blockHeight: 1_000 });
    expect(believeHeights(heights)).toEqual({ believed: [], lying: ['node 0', 'node 1'] });
  });

  it('cannot have run faster than the slots since the blockhash was made', () => {
    const known = heightOfBlockhash(1_000, 900 + 150);
    const at = (slot: number, blockHeight: number) =>
      believeHeights(said({ slot, blockHeight }), known).lying;
    expect(at(1_200, 1_100)).toEqual([]);
    expect(at(1_200, 1_101)).toEqual(['node 0']);
    expect(at(900, 850)).toEqual([]);
  });

  it('prove an expiry only by the word of every provider', () => {
    const past = { slot: 1_300, blockHeight: 1_051 };
    const before = { slot: 1_299, blockHeight: 1_050 };
    const proof = (...heights: (LedgerHeight | 'silent')[]) =>
      slotPastExpiry(answered(said(...heights)), heights.length, 1_050);
    expect(proof(past, { ...past, slot: 1_301 })).toBe(1_301);
    expect(proof(past, before)).toBeUndefined();
    expect(proof(past, 'silent')).toBeUndefined();
  });
});

describe('statuses', () => {
  const landed: SignatureStatus = { slot: 10, commitment: 'finalized', failure: null };
  const outcome = { slot: 10, failure: null, fee: 5_000 };
  const statuses = (...each: readonly ([number, SignatureStatus | null] | 'silent')[]) =>
    said(...each.map((one) => (one === 'silent' ? one : { slot: one[0], statuses: [one[1]] })));
  const judge = (given: ReturnType<typeof statuses>, ...outcomes: (typeof outcome | null | 'silent')[]) =>
    judgeOutcome(0, given, said(...outcomes)).kind;

  it('are an outcome when status and transaction of half of the providers say so', () => {
    expect(judge(statuses([12, landed]), outcome)).toBe('finalized');
    expect(judge(statuses([12, landed], 'silent'), outcome, 'silent')).toBe('finalized');
    expect(judge(statuses([12, landed], 'silent', 'silent'), outcome, 'silent', 'silent')).toBe('unknown');
    expect(judge(statuses([12, landed]), null)).toBe('unknown');
  });

  it('are none while they are only confirmed, whatever was there before', () => {
    expect(judge(statuses([12, { ...landed, commitment: 'confirmed' }]), outcome)).toBe('unknown');
  });

  it('disagree when somebody says otherwise, and not when somebody is behind', () => {
    expect(judge(statuses([12, landed], [12, null]), outcome, null)).toBe('disagreement');
    expect(judge(statuses([12, landed], [9, null]), outcome, null)).toBe('finalized');
    const failed = { ...landed, failure: 'AccountNotFound' };
    expect(judge(statuses([12, landed], [12, failed]), outcome, outcome)).toBe('disagreement');
  });

  it('prove an absence only when every provider has searched late enough', () => {
    expect(isUnknownToAll(0, statuses([20, null], [21, null]), 20)).toBe(true);
    expect(isUnknownToAll(0, statuses([20, null], [19, null]), 20)).toBe(false);
    expect(isUnknownToAll(0, statuses([20, null], 'silent'), 20)).toBe(false);
    expect(isUnknownToAll(0, statuses([20, null], [20, landed]), 20)).toBe(false);
  });
});

describe('what providers say', () => {
  it('is a fact by half of them, when none says otherwise', () => {
    const kind = (...answers: (boolean | 'silent')[]) =>
      agreementOf<boolean, boolean>(said<boolean>(...answers), (answer) => answer).kind;
    expect(kind(true)).toBe('agreed');
    expect(kind(true, 'silent')).toBe('agreed');
    expect(kind(true, 'silent', 'silent')).toBe('unknown');
    expect(kind('silent')).toBe('unknown');
    expect(kind(true, true, false)).toBe('disagreement');
  });

  it('of units is taken with a margin, and never above what the pool allows', () => {
    expect(computeLimit(100_000, 200_000)).toBeGreaterThan(105_000);
    expect(computeLimit(100_000, 105_000)).toBe(105_000);
  });

  it('of fees is taken at its 90th percentile, from the cheapest of them', () => {
    const paid = Array.from({ length: 10 }, (_, at) => at + 1);
    expect(priorityFee([paid])).toBe(9);
    expect(priorityFee([paid, [1_000_000]])).toBe(9);
    expect(priorityFee([[], paid])).toBe(0);
  });
});
