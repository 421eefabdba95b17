import { describe, expect, it } from '@jest/globals';
import { fc } from '../../kit/properties.js';
import {
  isId,
  parseIdOrNotFound,
  newCapabilityId,
  newId,
  parseId,
  withoutCapabilities,
} from '../../../src/platform/kernel/ids.js';

describe('ids', () => {
  it('are TypeIDs: a prefix and 26 characters of a UUIDv7', () => {
    expect(newId('ast')).toMatch(/^ast_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
  });

  it('sort by creation time', () => {
    const made = Array.from({ length: 1000 }, () => newId('txn'));
    expect([...made].sort()).toEqual(made);
  });

  it('are refused if they are of another kind, and the error names the member', () => {
    expect(() => parseId('ast', 'assetId', newId('txn'))).toThrow('assetId must be the id of an asset');
  });

  it('give 404 in a path if they are invalid', () => {
    expect(() => parseIdOrNotFound('dsc', 'dsc_not-an-id')).toThrow('No such disclosure.');
  });

  it('are not recognized in arbitrary text', () => {
    fc.assert(fc.property(fc.string(), (text) => !isId('org', text)));
  });

  it('are fully random if they grant access, and are removed from logs', () => {
    const ids = Array.from({ length: 100 }, () => newCapabilityId('rly'));
    for (const id of ids) expect(isId('rly', id)).toBe(true);
    // A UUIDv7 would begin with the time, so all of them would be equal there.
    expect(new Set(ids.map((id) => id.slice(4, 12))).size).toBe(100);
    const path = `/api/relay-requests/${ids[0]}/attempts`;
    expect(withoutCapabilities(path)).toMatch(/^\/api\/relay-requests\/rly:[0-9a-f]{16}\/attempts$/);
    const other = `/v1/assets/${newId('ast')}`;
    expect(withoutCapabilities(other)).toBe(other);
  });
});
