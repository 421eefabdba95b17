import { describe, expect, it } from '@jest/globals';
import { fc } from '../../kit/properties.js';
import { Check } from 'typebox/value';
import { explainViolation, invalidMembersOf } from '../../../src/platform/kernel/explain-violation.js';
import { CreateAssetSchema } from '../../../src/edge/rest/schemas/asset.js';
import { RequestDisclosureSchema } from '../../../src/edge/rest/schemas/disclosure.js';

const asset = { name: 'Euro', symbol: 'EUR', decimals: 6 };
const disclosure = (scope: unknown) => ({ assetId: 'ast_x', purpose: 'Audit', scope, format: 'json' });
const explainAsset = (value: unknown) => explainViolation(CreateAssetSchema, value);
const explainScope = (scope: unknown) => explainViolation(RequestDisclosureSchema, disclosure(scope));

describe('the explanation of an invalid request', () => {
  it.each([
    ['a missing member', { name: 'Euro', symbol: 'EUR' }, 'decimals is required.'],
    ['an unknown member', { ...asset, color: 'red' }, 'color is not a known member.'],
    ['a member of the wrong type', { ...asset, decimals: '6' }, 'decimals must be an integer from 0 to 255.'],
    ['a number out of range', { ...asset, decimals: 256 }, 'decimals must be an integer from 0 to 255.'],
    [
      'text that is too long',
      { ...asset, symbol: 'X'.repeat(17) },
      'symbol must be a string of 1 to 16 characters.',
    ],
    ['a null', { ...asset, workspaceId: null }, 'workspaceId must be a string of 1 to 256 characters.'],
    [
      'a member that JavaScript treats apart',
      JSON.parse('{"__proto__":{},"name":"a","symbol":"b","decimals":1}'),
      '__proto__ is not a known member.',
    ],
    ['a body that is no object', [asset], 'The body must be a JSON object.'],
    ['no body', undefined, 'The body must be a JSON object.'],
  ])('names %s', (_, value, message) => {
    expect(explainAsset(value)).toBe(message);
  });

  it.each([
    ['neither form', { fields: ['amount'] }, 'scope must have transactionIds or account.'],
    [
      'both forms',
      { transactionIds: ['a'], account: 'b', fields: ['amount'] },
      'scope.account is not a known member.',
    ],
    [
      'a misspelt bound',
      { account: 'b', form: '2026-01-01T00:00:00Z', fields: ['amount'] },
      'scope.form is not a known member.',
    ],
    [
      'a bound of the other form',
      { transactionIds: ['a'], from: '2026-01-01T00:00:00Z', fields: ['amount'] },
      'scope.from is not a known member.',
    ],
    [
      'no records',
      { transactionIds: [], fields: ['amount'] },
      'scope.transactionIds must be an array of 1 to 10000 items.',
    ],
    [
      'a record twice',
      { transactionIds: ['a', 'a'], fields: ['amount'] },
      'scope.transactionIds must not contain duplicates.',
    ],
    [
      'a record that is no text',
      { transactionIds: [5], fields: ['amount'] },
      'scope.transactionIds[0] must be a string of 1 to 128 characters.',
    ],
    ['no fields', { account: 'b' }, 'scope.fields is required.'],
    ['an unknown field', { account: 'b', fields: ['memo'] }, 'scope.fields[0] must be one of amount, fee.'],
    [
      'a date for a time',
      { account: 'b', from: '2026-01-01', fields: ['amount'] },
      'scope.from must be an ISO 8601 date-time, such as 2026-01-31T09:30:00Z.',
    ],
    ['no scope at all', 'all', 'scope must be a JSON object.'],
  ])('says of a scope with %s which member it is', (_, scope, message) => {
    expect(explainScope(scope)).toBe(message);
  });

  it('reports every invalid member, each once', () => {
    expect(invalidMembersOf(CreateAssetSchema, { name: 5, decimals: 300, color: 'red' })).toEqual([
      { member: 'symbol', problem: 'is required' },
      { member: 'color', problem: 'is not a known member' },
      { member: 'name', problem: 'must be a string of 1 to 128 characters' },
      { member: 'decimals', problem: 'must be an integer from 0 to 255' },
    ]);
    expect(
      invalidMembersOf(RequestDisclosureSchema, {
        ...disclosure({ transactionIds: [], form: 'x', fields: ['memo'] }),
        purpose: '',
      }).map(({ member }) => member),
    ).toEqual(['purpose', 'scope.form', 'scope.transactionIds', 'scope.fields[0]']);
  });

  it('stays short for thousands of unknown members', () => {
    const unknown = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`member${index}`, 1]));
    expect(invalidMembersOf(CreateAssetSchema, { ...asset, ...unknown }).length).toBeLessThan(20);
  });

  it('is a few short sentences for any invalid value', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.jsonValue().map(disclosure)), (value) => {
        fc.pre(!Check(RequestDisclosureSchema, value));
        const members = invalidMembersOf(RequestDisclosureSchema, value);
        expect(members.length).toBeGreaterThan(0);
        for (const { member, problem } of members) {
          expect(problem).toMatch(/^(is|must) [^.]*[^. ]$/);
          expect(`${member} ${problem}`).not.toContain('undefined');
          expect(`${member} ${problem}`.length).toBeLessThan(300);
        }
      }),
    );
  });
});
