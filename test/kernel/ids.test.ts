import { describe, expect, it } from '@jest/globals';
import { fc } from '../kit/properties.js';
import { isId, locateId, newId, parseId } from '../../src/kernel/ids.js';

describe('ids', () => {
  it('are TypeIDs: a prefix and 26 characters of a UUIDv7', () => {
    expect(newId('ast')).toMatch(/^ast_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
  });

  it('sort by the time they were made', () => {
    const made = Array.from({ length: 1000 }, () => newId('txn'));
    expect([...made].sort()).toEqual(made);
  });

  it('of another kind are refused, naming the member', () => {
    expect(() => parseId('ast', 'assetId', newId('txn'))).toThrow('assetId must be the id of an asset');
  });

  it('that cannot exist name nothing in a path', () => {
    expect(() => locateId('dsc', 'dsc_not-an-id')).toThrow('No such disclosure.');
  });

  it('are not to be found in arbitrary text', () => {
    fc.assert(fc.property(fc.string(), (text) => !isId('org', text)));
  });
});
