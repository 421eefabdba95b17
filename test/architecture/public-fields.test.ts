import { describe, expect, it } from '@jest/globals';
import { CALLER_ROOT_FIELDS, PUBLIC_ROOT_FIELDS } from '../../src/edge/graphql/public-fields.js';
import { FIELDS } from './authorization/table.js';

const nameOf = ({ field }: { readonly field: string }) => field.split(' ')[1] ?? '';

describe('the root fields that callers without credentials may request', () => {
  it('are exactly those that the authorization table allows to anyone', () => {
    const anyone = FIELDS.filter(({ may }) => may.includes('anyone')).map(nameOf);
    const declared = [...PUBLIC_ROOT_FIELDS].filter((name) => !name.startsWith('__'));
    expect(declared.sort()).toEqual([...new Set(anyone)].sort());
  });

  it('include, for callers with credentials, exactly those that the table allows to any credentials', () => {
    const caller = FIELDS.filter(({ may }) => may.includes('caller')).map(nameOf);
    expect([...CALLER_ROOT_FIELDS].sort()).toEqual([...new Set(caller)].sort());
  });

  it('have no second row that requires credentials', () => {
    const demanding = FIELDS.filter(({ may }) => !may.includes('anyone')).map(nameOf);
    expect(demanding.filter((name) => PUBLIC_ROOT_FIELDS.has(name))).toEqual([]);
  });
});
