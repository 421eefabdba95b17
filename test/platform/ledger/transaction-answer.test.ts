import { describe, expect, it } from '@jest/globals';
import { fc } from '../../kit/properties.js';
import { LedgerError } from '../../../src/platform/ledger/index.js';
import { parseTransaction } from '../../../src/platform/ledger/transaction-answer.js';
import { anAddress, aSignature, transactionAnswer } from './answers.js';

const name = aSignature(1);
const parse = (
  ...changes: Parameters<typeof transactionAnswer> extends [unknown, ...infer Rest] ? Rest : never
) => parseTransaction(name, transactionAnswer(name, ...changes));

describe('the response to getTransaction', () => {
  it('is parsed to a transaction with resolved indexes', () => {
    expect(parse()).toEqual({
      signature: name,
      slot: 9,
      blockTime: 1_700_000_009,
      version: 0,
      failed: false,
      signer: anAddress(1),
      accountKeys: [anAddress(1), anAddress(2)],
      instructions: [
        { programId: anAddress(2), accounts: [anAddress(1)], data: Uint8Array.of(1, 2, 3), inner: [] },
      ],
    });
  });

  it('numbers loaded accounts after those of the message: writable, then read-only', () => {
    const transaction = parse({
      meta: { loadedAddresses: { writable: [anAddress(8)], readonly: [anAddress(9)] } },
      message: { instructions: [{ programIdIndex: 3, accounts: [2, 0], data: '' }] },
    });
    expect(transaction?.instructions).toMatchObject([
      { programId: anAddress(9), accounts: [anAddress(8), anAddress(1)] },
    ]);
  });

  it('puts inner instructions under their outer instruction', () => {
    const instruction = { programIdIndex: 1, accounts: [], data: '' };
    const transaction = parse({
      message: { instructions: [instruction, instruction] },
      meta: {
        innerInstructions: [{ index: 1, instructions: [{ ...instruction, data: '2', stackHeight: 2 }] }],
      },
    });
    expect(transaction?.instructions.map(({ inner }) => inner.map(({ data }) => [...data]))).toEqual([
      [],
      [[1]],
    ]);
  });

  it.each([
    ['legacy', 'legacy'],
    [undefined, 'legacy'],
    [0, 0],
    [1, 1],
  ] as const)('returns version %s as %s', (version, expected) => {
    expect(parse({ version })?.version).toBe(expected);
  });

  it('is a failed transaction if it has an error', () => {
    expect(parse({ meta: { err: 'AccountNotFound' } })?.failed).toBe(true);
  });

  it('gives null if it has no time', () => {
    expect(parse({ blockTime: null })?.blockTime).toBeNull();
  });

  it.each([
    ['is of another transaction', transactionAnswer(aSignature(2))],
    ['does not have the inner instructions', transactionAnswer(name, { meta: { innerInstructions: null } })],
    ['does not state whether it failed', transactionAnswer(name, { meta: { err: undefined } })],
    ['has no meta', { ...transactionAnswer(name), meta: null }],
    ['has an unknown version', transactionAnswer(name, { version: 2 })],
    ['has no accounts', transactionAnswer(name, { message: { accountKeys: [], instructions: [] } })],
    ['has invalid accounts', transactionAnswer(name, { message: { accountKeys: ['abc', 'def'] } })],
    [
      'names an account that does not exist',
      transactionAnswer(name, {
        message: { instructions: [{ programIdIndex: 1, accounts: [2], data: '' }] },
      }),
    ],
    [
      'names a program that does not exist',
      transactionAnswer(name, { message: { instructions: [{ programIdIndex: 2, accounts: [], data: '' }] } }),
    ],
    [
      'has data that is not base58',
      transactionAnswer(name, {
        message: { instructions: [{ programIdIndex: 1, accounts: [], data: '0OIl' }] },
      }),
    ],
    [
      'has inner instructions without an outer one',
      transactionAnswer(name, { meta: { innerInstructions: [{ index: 1, instructions: [] }] } }),
    ],
    ['has an invalid slot', transactionAnswer(name, { slot: 1.5 })],
  ])('is nonsense if it %s', (_, answer) => {
    expect(() => parseTransaction(name, answer)).toThrow(LedgerError);
  });

  it('is null if the node does not have it', () => {
    expect(parseTransaction(name, null)).toBeNull();
  });

  it('may be any JSON: it is a transaction or invalid', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (answer) => {
        fc.pre(answer !== null);
        expect(() => parseTransaction(name, answer)).toThrow(LedgerError);
      }),
    );
  });

  it('is a transaction or invalid after any mutation, and nothing else is thrown', () => {
    const place = fc.constantFrom('slot', 'blockTime', 'version', 'meta', 'transaction');
    const member = fc.constantFrom(
      'err',
      'innerInstructions',
      'loadedAddresses',
      'accountKeys',
      'instructions',
    );
    fc.assert(
      fc.property(place, member, fc.jsonValue(), (outer, inner, value) => {
        const answers = [
          transactionAnswer(name, { [outer === 'meta' ? 'slot' : outer]: value }),
          transactionAnswer(name, { meta: { [inner]: value }, message: { [inner]: value } }),
        ];
        for (const answer of answers) {
          try {
            expect(parseTransaction(name, answer)?.signature).toBe(name);
          } catch (thrown) {
            expect(thrown).toMatchObject({ name: 'LedgerError', kind: 'nonsense' });
          }
        }
      }),
    );
  });
});
