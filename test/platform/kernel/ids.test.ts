import { describe, expect, it } from '@jest/globals';
import { fc } from '../../kit/properties.js';
import {
  derivedId,
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

  it('that are derived are always the same for a time and a digest, and different for others', () => {
    const at = new Date('2026-01-02T03:04:05.006Z');
    const digest = (first: number) => new Uint8Array(32).fill(first, 0, 16);
    const derived = derivedId('prp', at, digest(1));
    expect(isId('prp', derived)).toBe(true);
    expect(derivedId('prp', at, digest(1))).toBe(derived);
    const others = [derivedId('prp', at, digest(2)), derivedId('prp', new Date(+at + 1), digest(1))];
    expect(new Set([derived, ...others]).size).toBe(3);
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
