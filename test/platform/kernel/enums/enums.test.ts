import { describe, expect, it } from '@jest/globals';
import { fc } from '../../../kit/properties.js';
import { isOneOf, parseOneOf, parseOptionalOneOf } from '../../../../src/platform/kernel/enums/enums.js';
import { isLucarneError } from '../../../../src/platform/kernel/errors.js';

const FORMATS = ['csv', 'json', 'pdf'] as const;

describe('a closed list of values', () => {
  it('accepts each of its values as it is written', () => {
    for (const format of FORMATS) expect(parseOneOf('format', FORMATS, format)).toBe(format);
  });

  it('refuses every other value, names the member and lists the valid ones', () => {
    const other = fc.anything().filter((value) => !(FORMATS as readonly unknown[]).includes(value));
    fc.assert(
      fc.property(other, (value) => {
        expect(isOneOf(FORMATS, value)).toBe(false);
        expect(() => parseOneOf('format', FORMATS, value)).toThrow('format must be one of csv, json, pdf.');
      }),
    );
  });

  it.each(['CSV', ' csv', 'constructor', 'length', '0', ['csv']])('does not accept %j', (value) => {
    expect(isOneOf(FORMATS, value)).toBe(false);
  });

  it('may be omitted or null if it is optional', () => {
    expect(parseOptionalOneOf('format', FORMATS, undefined)).toBeUndefined();
    expect(parseOptionalOneOf('format', FORMATS, null)).toBeUndefined();
    expect(parseOptionalOneOf('format', FORMATS, 'pdf')).toBe('pdf');
    expect(() => parseOptionalOneOf('format', FORMATS, '')).toThrow('format must be one of');
  });

  it('keeps the reason of an error', () => {
    try {
      parseOneOf('network', ['solana'], 'nowhere', { reason: 'invalid_network' });
      throw new Error('Not refused.');
    } catch (thrown) {
      expect(isLucarneError(thrown) && [thrown.code, thrown.reason, thrown.members]).toEqual([
        'BAD_USER_INPUT',
        'invalid_network',
        [{ member: 'network', problem: 'must be one of solana' }],
      ]);
    }
  });
});
