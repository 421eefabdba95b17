import { describe, expect, it } from '@jest/globals';
import { fc } from '../../kit/properties.js';
import type { Address } from '../../../src/platform/ledger/index.js';
import {
  DISCLOSURE_FORMATS,
  judge,
  POLICY_OUTCOMES,
  type DisclosureFacts,
  type DisclosureRules,
} from '../../../src/domain/disclosures/policies/disclosure-rules.js';
import { DISCLOSURE_FIELDS } from '../../../src/domain/disclosures/disclosure-scope.js';
import {
  DISCLOSURE_DECISIONS,
  DISCLOSURE_STATUSES,
  DISCLOSURE_TRANSITIONS,
  mayBecome,
  STATUS_AFTER_DECISION,
} from '../../../src/domain/disclosures/disclosure-state.js';

const accounts = ['a', 'b', 'c', 'd'] as Address[];
const some = <T>(values: readonly T[]) => fc.subarray([...values], { minLength: 1 });
const bound = fc.option(fc.nat(100));

const rulesArbitrary: fc.Arbitrary<DisclosureRules> = fc.record({
  allowedFields: some(DISCLOSURE_FIELDS),
  allowedFormats: some(DISCLOSURE_FORMATS),
  maximumSpanSeconds: bound,
  maximumRecords: bound,
  allowedAccounts: fc.option(fc.subarray(accounts)),
  inside: fc.constantFrom(...POLICY_OUTCOMES),
  outside: fc.constantFrom(...POLICY_OUTCOMES),
});
const factsArbitrary: fc.Arbitrary<DisclosureFacts> = fc.record({
  fields: some(DISCLOSURE_FIELDS),
  format: fc.constantFrom(...DISCLOSURE_FORMATS),
  recordCount: fc.nat(120),
  spanSeconds: fc.option(fc.nat(120)),
  accountSets: fc.array(fc.subarray(accounts), { maxLength: 4 }),
});

const OPEN: DisclosureRules = {
  allowedFields: DISCLOSURE_FIELDS,
  allowedFormats: DISCLOSURE_FORMATS,
  maximumSpanSeconds: null,
  maximumRecords: null,
  allowedAccounts: null,
  inside: 'authorize',
  outside: 'reject',
};
const FACTS: DisclosureFacts = {
  fields: ['amount'],
  format: 'json',
  recordCount: 10,
  spanSeconds: 60,
  accountSets: [[accounts[0]!]],
};

describe('the rules of a disclosure policy', () => {
  it('apply `inside` if no bound is exceeded, and `outside` otherwise', () => {
    fc.assert(
      fc.property(rulesArbitrary, factsArbitrary, (rules, facts) => {
        const { outcome, exceeded } = judge(rules, facts);
        expect(outcome).toBe(exceeded.length === 0 ? rules.inside : rules.outside);
      }),
    );
  });

  it('never accept less when the request is narrowed', () => {
    fc.assert(
      fc.property(rulesArbitrary, factsArbitrary, (rules, facts) => {
        const narrower: DisclosureFacts = {
          ...facts,
          fields: facts.fields.slice(0, 1),
          recordCount: Math.floor(facts.recordCount / 2),
          spanSeconds: facts.spanSeconds === null ? 0 : Math.floor(facts.spanSeconds / 2),
          accountSets: facts.accountSets.slice(1),
        };
        const wide = judge(rules, facts).exceeded;
        for (const bound of judge(rules, narrower).exceeded) expect(wide).toContain(bound);
      }),
    );
  });

  it('accept every request if there are no bounds', () => {
    fc.assert(fc.property(factsArbitrary, (facts) => judge(OPEN, facts).outcome === 'authorize'));
  });

  it.each([
    ['fields', { allowedFields: ['fee'] }, {}],
    ['format', { allowedFormats: ['csv'] }, {}],
    ['span', { maximumSpanSeconds: 59 }, {}],
    ['span', { maximumSpanSeconds: Number.MAX_SAFE_INTEGER }, { spanSeconds: null }],
    ['records', { maximumRecords: 9 }, {}],
    ['accounts', { allowedAccounts: [accounts[1]!] }, {}],
    ['accounts', { allowedAccounts: accounts }, { accountSets: [[]] }],
    ['accounts', { allowedAccounts: [] }, {}],
  ] as const)('name the bound that is passed: %s', (bound, rules, facts) => {
    const judgement = judge({ ...OPEN, ...rules }, { ...FACTS, ...facts });
    expect(judgement).toEqual({ outcome: 'reject', exceeded: [bound] });
  });

  it('treat a value equal to a bound as inside', () => {
    expect(judge({ ...OPEN, maximumSpanSeconds: 60, maximumRecords: 10 }, FACTS).exceeded).toEqual([]);
  });
});

describe('the states of a disclosure', () => {
  it('end in available and rejected', () => {
    for (const from of DISCLOSURE_STATUSES) {
      for (const to of DISCLOSURE_STATUSES) {
        expect(mayBecome(from, to)).toBe(from === 'pending' && to !== 'pending');
      }
    }
    expect(Object.keys(DISCLOSURE_TRANSITIONS)).toEqual([...DISCLOSURE_STATUSES]);
  });

  it('do not become `available` by a decision alone', () => {
    for (const decision of DISCLOSURE_DECISIONS)
      expect(STATUS_AFTER_DECISION[decision]).not.toBe('available');
  });
});
