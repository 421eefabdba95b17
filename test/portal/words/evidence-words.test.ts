import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Lie } from '../../../src/domain/relays/evidence/decide-end.js';
import { evidenceInWords } from '../../../portal/src/screens/relays/evidence-words.ts';
import { CAUSES, LIES } from '../../../portal/src/screens/relays/evidence-texts.ts';

const sentencesOf = (evidence: Record<string, unknown>) => {
  const { sentences, groups } = evidenceInWords(evidence);
  return [
    ...sentences,
    ...groups.flatMap(({ statements }) => statements.flatMap((statement) => statement.sentences)),
  ];
};

const SIGNATURE = '3VEZdsfbdGp1ucMkSVSkiRVPpa3uv65FMak5PSmVZX64Sx2mshiY7NoDihaBAgqsopvx4xZZ7d3iVN4ARffNHLUh';

describe('the texts for the evidence of a relay', () => {
  it('describe what was checked before anything was sent', () => {
    const { sentences, facts, groups, rest } = evidenceInWords({
      checks: [],
      leftOut: [],
      validated: true,
      nullifiers: [
        { node: 'a#0', slot: 1_830, spent: [false, false] },
        { node: 'b#1', slot: 1_831, spent: [false, false] },
      ],
    });
    expect(sentences).toEqual(['The package is valid.']);
    expect(facts).toEqual([{ name: 'Address checks', value: 'no address had to be checked', isCode: false }]);
    expect(groups).toHaveLength(1);
    expect(groups[0]).toMatchObject({
      title: 'Are the nullifiers of the package spent?',
      differ: false,
      statements: [
        { node: 'a#0', sentences: ['None of 2 nullifiers is spent as of slot 1,830.'] },
        { node: 'b#1', sentences: ['None of 2 nullifiers is spent as of slot 1,831.'] },
      ],
    });
    expect(rest).toEqual({});
  });

  it('mark nodes that contradict each other, but not a node that lags or fails', () => {
    const differ = (...nullifiers: object[]) => evidenceInWords({ nullifiers }).groups[0]?.differ;
    const free = { node: 'a#0', slot: 10, spent: [false] };
    expect(differ(free, { node: 'b#1', slot: 12, spent: [false] })).toBe(false);
    expect(differ(free, { node: 'b#1', error: 'timeout' })).toBe(false);
    expect(differ(free, { node: 'b#1', slot: 10, spent: [true] })).toBe(true);
    expect(sentencesOf({ nullifiers: [{ node: 'b#1', error: 'timeout' }] })).toEqual([
      'It did not answer in time.',
    ]);
  });

  it('compare nodes by answers that two of them gave, not by an answer of only one', () => {
    const differ = (...providers: object[]) => evidenceInWords({ providers }).groups[0]?.differ;
    const status = (slot: number, commitment: string) => ({
      slot: 182 + slot,
      statuses: [{ signature: SIGNATURE, status: { slot, commitment, failure: null } }],
    });
    const whole = {
      node: 'a#0',
      height: { slot: 315, blockHeight: 161 },
      statuses: status(180, 'finalized'),
      nullifiers: { slot: 315, spent: [true] },
      transactions: [{ slot: 180, fee: 5_000, isFeePaid: true, failure: null }],
    };
    const secondNode = (members: object) => ({ node: 'b#1', ...members });
    expect(differ(whole, secondNode({ errors: { interview: 'unfinished' } }))).toBe(false);
    expect(differ(whole, secondNode({ errors: { nullifiers: 'timeout' }, statuses: whole.statuses }))).toBe(
      false,
    );
    expect(differ(whole, secondNode({ errors: { transaction: 'timeout' }, transactions: [null] }))).toBe(
      false,
    );
    expect(differ(whole, secondNode({ statuses: { ...whole.statuses, slot: 7 } }))).toBe(false);
    expect(differ(whole, secondNode({ statuses: status(180, 'confirmed') }))).toBe(false);
    expect(differ(whole, secondNode({ nullifiers: { slot: 300, spent: [true] } }))).toBe(false);
    expect(differ(whole, secondNode({ statuses: status(181, 'finalized') }))).toBe(true);
    expect(
      differ(
        whole,
        secondNode({ statuses: { slot: 315, statuses: [{ signature: SIGNATURE, status: null }] } }),
      ),
    ).toBe(true);
    expect(differ(whole, secondNode({ transactions: [{ ...whole.transactions[0], slot: 181 }] }))).toBe(true);
    expect(
      differ(whole, secondNode({ transactions: [{ ...whole.transactions[0], failure: 'AccountInUse' }] })),
    ).toBe(true);
    expect(
      differ(
        secondNode({}),
        whole,
        secondNode({ errors: { height: 'timeout' }, nullifiers: { slot: 1, spent: [false] } }),
      ),
    ).toBe(true);
    const failed = (failure: object) => secondNode({ transactions: [{ slot: 180, failure }] });
    expect(differ(failed({ One: 1 }), failed({ Other: 1 }))).toBe(true);
  });

  it('name the attempt if there are several, and spell out the number of nullifiers', () => {
    const other = `4${SIGNATURE.slice(1)}`;
    const provider = {
      node: 'a#0',
      statuses: { slot: 9, statuses: [SIGNATURE, other].map((signature) => ({ signature, status: null })) },
      blockhashes: { slot: 9, valid: [false, false] },
      nullifiers: { slot: 9, spent: [true, false] },
    };
    expect(sentencesOf({ providers: [provider] }).slice(2)).toEqual([
      '1 of 2 nullifiers is spent as of slot 9.',
      '3VEZds…fNHLUh: The blockhash has expired as of slot 9.',
      '4VEZds…fNHLUh: The blockhash has expired as of slot 9.',
    ]);
    const spent = (...one: boolean[]) =>
      sentencesOf({ nullifiers: [{ node: 'a#0', slot: 9, spent: one }] })[0];
    expect(spent(true)).toBe('The nullifier is spent as of slot 9.');
    expect(spent(false)).toBe('The nullifier is not spent as of slot 9.');
  });

  it('describe what was signed, value by value', () => {
    const { facts, rest } = evidenceInWords({
      ...{ signature: SIGNATURE, blockhash: SIGNATURE, lastValidBlockHeight: 178, contextSlot: 181 },
      ...{ computeUnits: 123_169, microLamportsPerUnit: 0, feeLamports: 5_000, costLamports: 1_791_760 },
      blockhashOf: 'a#0',
    });
    expect(facts.map(({ name, value }) => `${name}: ${value}`)).toEqual([
      `Transaction: ${SIGNATURE}`,
      `Blockhash: ${SIGNATURE}`,
      'Last valid block height: 178',
      'As of slot: 181',
      'Compute units: 123,169',
      'Price per compute unit, in micro-lamports: 0',
      'Fee, in lamports: 5,000',
      'Cost including the new accounts, in lamports: 1,791,760',
      'Node that returned the blockhash: a#0',
    ]);
    expect(rest).toEqual({});
  });

  it('describe the proof that a transaction can never land', () => {
    const provider = {
      node: 'a#0',
      height: { slot: 315, blockHeight: 161 },
      statuses: { slot: 315, statuses: [{ signature: SIGNATURE, status: null }] },
      nullifiers: { slot: 315, spent: [false, false] },
      blockhashes: { slot: 315, valid: [false] },
    };
    expect(
      sentencesOf({ leftOut: [], providers: [provider], finalizedAtSlot: 315, lastValidBlockHeight: 159 }),
    ).toEqual([
      'The transactions of this relay are valid up to block height 159. Finalized state at slot 315 is past that height and contains none of them.',
      'Its finalized state is at slot 315 and block height 161.',
      'It does not know transaction 3VEZds…fNHLUh as of slot 315.',
      'None of 2 nullifiers is spent as of slot 315.',
      'The blockhash has expired as of slot 315.',
    ]);
  });

  it('describe the transaction that landed or failed, and what each node did not answer', () => {
    const known = { slot: 182, failure: null, commitment: 'finalized' };
    const landed = {
      node: 'a#0',
      statuses: { slot: 182, statuses: [{ signature: SIGNATURE, status: known }] },
      nullifiers: { slot: 182, spent: [true, true] },
      transactions: [{ fee: 5_000, slot: 182, failure: null, isFeePaid: true }],
    };
    const silent = { node: 'b#1', errors: { height: 'timeout', statuses: 'rpc -32005' } };
    const slow = { node: 'c#2', errors: { interview: 'unfinished' } };
    expect(sentencesOf({ by: 'transaction', slot: 182, providers: [landed, silent, slow] })).toEqual([
      'A majority of the nodes shows that the transaction is finalized.',
      'It knows transaction 3VEZds…fNHLUh, finalized at slot 182.',
      'It shows that the transaction succeeded, finalized at slot 182.',
      'The fee was 5,000 lamports.',
      '2 of 2 nullifiers are spent as of slot 182.',
      'It did not answer the question about its block height. It did not answer in time.',
      'It did not answer the question about the transaction. It answered with the error rpc -32005.',
      'It was slow, and the answers of the other nodes were enough.',
    ]);
    const failure = { InstructionError: [2, { Custom: 10 }] };
    expect(sentencesOf({ providers: [{ node: 'a#0', transactions: [{ slot: 7, failure }] }] })).toEqual([
      'It shows that the transaction failed, finalized at slot 7: {"InstructionError":[2,{"Custom":10}]}',
    ]);
  });

  it('show unknown members as they are stored, even if their name is a property of JavaScript objects', () => {
    const odd = { toString: 'x', constructor: [{ node: 'a' }], cause: 'of tomorrow', slot: ['x'] };
    expect(evidenceInWords(odd).rest).toEqual(odd);
  });

  it('cover every reason not to trust a node', () => {
    const lies: Record<Lie, true> = { impossible_slot: true, impossible_height: true, contradicted: true };
    expect(Object.keys(LIES).sort()).toEqual(Object.keys(lies).sort());
  });

  it('cover every cause of doubt', () => {
    const folder = path.resolve(import.meta.dirname, '../../../src/domain/relays');
    const text = [
      'execution/look-at-attempts.ts',
      'execution/advance-relay.ts',
      'execution/validate-relay.ts',
    ]
      .map((file) => readFileSync(path.join(folder, file), 'utf8'))
      .join('\n');
    const causes = [...text.matchAll(/reconciling\('(\w+)'/g)].map(([, cause]) => cause);
    expect(causes.length).toBeGreaterThan(3);
    for (const cause of causes) expect(Object.keys(CAUSES)).toContain(cause);
  });
});
