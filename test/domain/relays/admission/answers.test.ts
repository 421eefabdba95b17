import { describe, expect, it } from '@jest/globals';
import { LedgerError, type LedgerHeight } from '../../../../src/platform/ledger/index.js';
import { believeHeights } from '../../../../src/domain/relays/evidence/believed-heights.js';
import { agreementOf, type Answer } from '../../../../src/domain/relays/evidence/answers.js';
import { computeLimit, priorityFee } from '../../../../src/domain/relays/execution/transaction-terms.js';
import { fc } from '../../../kit/properties.js';

const answersOf = <Value>(...answers: readonly (Value | 'silent')[]): Answer<Value>[] =>
  answers.map((answer, at) =>
    answer === 'silent'
      ? { node: `node ${at}`, error: new LedgerError('timeout', 'No answer.') }
      : { node: `node ${at}`, answer },
  );

/** A finalized chain: for each slot, whether it has a block. */
const anyChain = fc.array(fc.boolean(), { minLength: 2, maxLength: 300 }).map((blocks) =>
  blocks.map((_, slot): LedgerHeight => {
    const blockHeight = blocks.slice(0, slot + 1).filter(Boolean).length;
    return { slot: slot + 1, blockHeight };
  }),
);

describe('finalized heights', () => {
  it('are all believed if all are of one chain, even if the providers are far apart', () => {
    fc.assert(
      fc.property(anyChain, fc.array(fc.nat(), { minLength: 1, maxLength: 5 }), (chain, picks) => {
        const heights = picks.map((pick) => chain[pick % chain.length]!);
        expect(believeHeights(answersOf(...heights)).lying).toEqual([]);
      }),
    );
  });

  it('leave out a provider that contradicts the others', () => {
    const heights = answersOf(
      { slot: 1_000, blockHeight: 900 },
      { slot: 1_003, blockHeight: 1_003 },
      {
        slot: 1_002,
        blockHeight: 901,
      },
    );
    expect(believeHeights(heights).lying).toEqual(['node 1']);
  });

  it('are both doubted if one of two providers lies, and neither is blamed', () => {
    const heights = answersOf({ slot: 1_000, blockHeight: 900 }, { slot: 1_000, blockHeight: 1_000 });
    expect(believeHeights(heights)).toEqual({ believed: [], lying: [] });
  });

  it('blame nobody if two of five contradict two others, and the last one is silent', () => {
    const [honest, wrong] = [
      { slot: 1_000, blockHeight: 900 },
      { slot: 1_000, blockHeight: 700 },
    ];
    const heights = answersOf<LedgerHeight>(honest, honest, wrong, wrong, 'silent');
    expect(believeHeights(heights)).toEqual({ believed: [], lying: [] });
    const { lying } = believeHeights(answersOf<LedgerHeight>(honest, honest, wrong, wrong, honest));
    expect(lying).toEqual(['node 2', 'node 3']);
  });

  it('never blame an honest provider if fewer than half lie, even if honest ones are silent or lag', () => {
    const anyHeight = fc.record({ slot: fc.nat({ max: 400 }), blockHeight: fc.nat({ max: 400 }) });
    const anyRound = fc.integer({ min: 1, max: 7 }).chain((providers) =>
      fc.record({
        chain: anyChain,
        honest: fc.array(fc.option(fc.nat()), { minLength: providers, maxLength: providers }),
        lies: fc.array(anyHeight, { maxLength: Math.ceil(providers / 2) - 1 }),
      }),
    );
    fc.assert(
      fc.property(anyRound, ({ chain, honest, lies }) => {
        const heights = honest.map(
          (pick, at) => lies[at] ?? (pick === null ? 'silent' : chain[pick % chain.length]!),
        );
        const liars = lies.map((_, at) => `node ${at}`);
        expect(liars).toEqual(expect.arrayContaining([...believeHeights(answersOf(...heights)).lying]));
      }),
    );
  });
});

describe('the answers of providers', () => {
  it('agree if more than half of the configured providers return the same value', () => {
    const kind = (...answers: (boolean | 'silent')[]) =>
      agreementOf<boolean, boolean>(answersOf<boolean>(...answers), (answer) => answer).kind;
    expect(kind(true)).toBe('agreed');
    expect(kind(true, 'silent')).toBe('unknown');
    expect(kind(true, true, 'silent')).toBe('agreed');
    expect(kind(true, 'silent', 'silent')).toBe('unknown');
    expect(kind('silent')).toBe('unknown');
    expect(kind(true, false)).toBe('disagreement');
    expect(kind(true, true, false)).toBe('agreed');
    expect(kind(true, true, false, false, 'silent')).toBe('disagreement');
  });

  it('set a compute limit with a margin, at most the limit of the pool', () => {
    expect(computeLimit(100_000, 200_000)).toBeGreaterThan(105_000);
    expect(computeLimit(100_000, 105_000)).toBe(105_000);
  });

  it('set a fee: the 90th percentile of the cheaper provider', () => {
    const paid = Array.from({ length: 10 }, (_, at) => at + 1);
    expect(priorityFee([paid])).toBe(9);
    expect(priorityFee([paid, [1_000_000]])).toBe(9);
    expect(priorityFee([[], paid])).toBe(0);
  });
});
