import { describe, expect, it } from '@jest/globals';
import { fc } from '../../../kit/properties.js';
import type { LucarneError } from '../../../../src/platform/kernel/errors.js';
import { SCALAR_FIELD_ORDER } from '../../../../src/platform/crypto/index.js';
import { relaySignals } from '../../../../src/domain/relays/packages/relay-identity.js';
import {
  canonicalPackage,
  packageDigest,
  parseRelayPackage,
} from '../../../../src/domain/relays/packages/relay-package.js';

const RECIPIENT = 'HUwk5maVn86j1eheSddwdtkekkxsygiU72Yv29tfdkFp';
const word = (value: bigint) => value.toString(16).padStart(64, '0');
const TWO_BY_TWO = { inputs: 2, outputs: 2 };

const good = {
  version: 1,
  poolSelector: 'local-test-pool',
  zkConfigNonce: '3',
  proofBytes: 'ab'.repeat(256),
  publicSignals: [1n, 0n, 3n, 4n, 5n, 6n, 7n].map(word),
  applicationIdHints: ['app-1'],
};

const digest = (value: unknown) => Buffer.from(packageDigest(parseRelayPackage(value))).toString('hex');
const reasonOf = (work: () => unknown): string | undefined => {
  try {
    work();
    return undefined;
  } catch (thrown) {
    return (thrown as { reason?: string }).reason;
  }
};

describe('a relay package', () => {
  it('is decoded', () => {
    const parsed = parseRelayPackage({ ...good, recipient: RECIPIENT, keyVersionHints: [1, null] });
    expect(parsed).toMatchObject({
      zkConfigNonce: '3',
      signals: [1n, 0n, 3n, 4n, 5n, 6n, 7n],
      recipient: RECIPIENT,
      keyVersionHints: [1, null],
      ciphertext: null,
    });
    expect(parsed.proof).toHaveLength(256);
  });

  it('is the same in every spelling', () => {
    const same = [
      { ...good, zkConfigNonce: 3 },
      { ...good, proofBytes: `0x${good.proofBytes.toUpperCase()}` },
      { ...good, publicSignals: good.publicSignals.map((signal) => `0x${signal}`) },
      { ...good, publicSignals: good.publicSignals.join('') },
      { ...good, outputNoteEphemeralScalars: [], keyVersionHints: [], ciphertextBytes: null },
      Object.fromEntries(Object.entries(good).reverse()),
    ];
    for (const variant of same) expect(digest(variant)).toBe(digest(good));
    const older = { ...good, escrowRecipient: RECIPIENT };
    expect(digest(older)).toBe(digest({ ...good, recipient: RECIPIENT }));
    expect(digest(older)).not.toBe(digest(good));
  });

  it('has the same scalars in decimal digits and in hex, with and without 0x', () => {
    const scalars = [1n, 255n, SCALAR_FIELD_ORDER - 1n];
    const forms = [
      scalars.map(String),
      scalars.map((scalar) => `0x${scalar.toString(16)}`),
      scalars.map((scalar) => `0X${word(scalar).toUpperCase()}`),
      scalars.map(word),
    ];
    const digests = forms.map((outputNoteEphemeralScalars) =>
      digest({ ...good, outputNoteEphemeralScalars }),
    );
    expect(new Set(digests).size).toBe(1);
    expect(digests[0]).not.toBe(digest(good));
    const withNull = { ...good, outputNoteEphemeralScalars: ['1', null] };
    expect(parseRelayPackage(withNull).outputNoteEphemeralScalars[1]).toBeNull();
    expect(digest({ ...good, outputNoteEphemeralScalars: null })).toBe(digest(good));
  });

  it('has the same scalar again when its canonical form is parsed', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }), (scalar) => {
        const read = parseRelayPackage({ ...good, outputNoteEphemeralScalars: [scalar.toString()] });
        // 64 decimal digits without 0x are read as hex.
        if (scalar.toString().length === 64) return;
        expect(Buffer.from(read.outputNoteEphemeralScalars[0]!).toString('hex')).toBe(word(scalar));
        expect(parseRelayPackage(canonicalPackage(read))).toEqual(read);
      }),
    );
  });

  it('names every invalid member', () => {
    const broken = {
      ...good,
      proofBytes: 'zz',
      outputNoteEphemeralScalars: ['1', 'one'],
      recipient: 'nobody',
    };
    const thrown = (() => {
      try {
        parseRelayPackage(broken);
      } catch (error) {
        return error as LucarneError;
      }
      return undefined;
    })();
    expect(thrown?.members.map(({ member }) => member)).toEqual([
      'proofBytes',
      'outputNoteEphemeralScalars[1]',
      'recipient',
    ]);
  });

  it('does not change with unknown members', () => {
    const known = new Set([
      ...Object.keys(good),
      ...['ciphertextBytes', 'outputNoteEphemeralScalars', 'escrowAuthorization', 'keyVersionHints'],
      ...['recipient', 'escrowRecipient'],
    ]);
    const unknown = fc.dictionary(
      fc.string().filter((name) => !known.has(name) && name !== '__proto__'),
      fc.jsonValue(),
    );
    fc.assert(fc.property(unknown, (members) => expect(digest({ ...members, ...good })).toBe(digest(good))));
  });

  it('differs if any value differs', () => {
    const others = [
      { poolSelector: 'other' },
      { zkConfigNonce: '7' },
      { proofBytes: 'ac'.repeat(256) },
      { publicSignals: good.publicSignals.with(6, word(8n)) },
      { applicationIdHints: [] },
      { applicationIdHints: ['app-1', 'app-2'] },
      { ciphertextBytes: '00' },
      { outputNoteEphemeralScalars: [word(1n)] },
      { escrowAuthorization: { signature: 'x' } },
      { keyVersionHints: [null] },
      { recipient: RECIPIENT },
    ];
    const digests = [good, ...others.map((change) => ({ ...good, ...change }))].map(digest);
    expect(new Set(digests).size).toBe(digests.length);
  });

  it.each([
    ['no object', []],
    ['another version', { ...good, version: 2 }],
    ['no version', { ...good, version: undefined }],
    ['a pool that is not text', { ...good, poolSelector: 1 }],
    ['an empty pool', { ...good, poolSelector: '' }],
    ['half a surrogate pair', { ...good, poolSelector: '\ud800' }],
    ['a hint that the database cannot store', { ...good, applicationIdHints: ['app\0'] }],
    ['a nonce with a leading zero', { ...good, zkConfigNonce: '03' }],
    ['a fractional nonce', { ...good, zkConfigNonce: 3.5 }],
    ['a short proof', { ...good, proofBytes: 'ab'.repeat(255) }],
    ['a proof that is not hex', { ...good, proofBytes: 'zz'.repeat(256) }],
    ['half a byte of ciphertext', { ...good, ciphertextBytes: 'abc' }],
    ['a ciphertext that is a number', { ...good, ciphertextBytes: 12 }],
    ['no signals', { ...good, publicSignals: [] }],
    ['truncated signals in one text', { ...good, publicSignals: 'ab' }],
    ['a signal of 31 bytes', { ...good, publicSignals: ['ab'.repeat(31)] }],
    ['no hints', { ...good, applicationIdHints: undefined }],
    ['a hint that is not text', { ...good, applicationIdHints: [1] }],
    ['too many hints', { ...good, applicationIdHints: Array.from({ length: 65 }, () => 'a') }],
    ['a negative key version', { ...good, keyVersionHints: [-1] }],
    ['a scalar that is too long', { ...good, outputNoteEphemeralScalars: ['ab'.repeat(33)] }],
    ['a scalar of 2^256', { ...good, outputNoteEphemeralScalars: [String(1n << 256n)] }],
    ['a scalar that is a number', { ...good, outputNoteEphemeralScalars: [1] }],
    ['a negative scalar', { ...good, outputNoteEphemeralScalars: ['-1'] }],
    ['a recipient that is not an address', { ...good, recipient: 'nobody' }],
    ['half a surrogate pair in a member', { ...good, escrowAuthorization: { note: '\ud800' } }],
    ['endless nesting', { ...good, escrowAuthorization: nested(30_000) }],
    ['one level of nesting too many', { ...good, escrowAuthorization: nested(65) }],
    ['two recipients', { ...good, recipient: RECIPIENT, escrowRecipient: `${RECIPIENT}1` }],
  ])('is refused as invalid with %s', (_, value) => {
    expect(reasonOf(() => parseRelayPackage(value))).toBe('invalid_package');
  });

  it('is refused if a signal is not reduced', () => {
    const above = fc.bigInt({ min: SCALAR_FIELD_ORDER, max: (1n << 256n) - 1n });
    fc.assert(
      fc.property(fc.nat(6), above, (at, signal) => {
        const value = { ...good, publicSignals: good.publicSignals.with(at, word(signal)) };
        expect(reasonOf(() => parseRelayPackage(value))).toBe('unsupported_signal_shape');
      }),
    );
  });

  it('is parsed or refused in any form, and causes no other error', () => {
    const members = fc.record(
      Object.fromEntries(
        Object.entries(good).map(([member, value]) => [member, fc.oneof(fc.constant(value), fc.jsonValue())]),
      ),
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(members, (value) => {
        const reason = reasonOf(() => packageDigest(parseRelayPackage(value)));
        expect([undefined, 'invalid_package', 'unsupported_signal_shape']).toContain(reason);
      }),
    );
  });
});

describe('the signals of a package', () => {
  const signalsOf = (changes: object, shape = TWO_BY_TWO) =>
    relaySignals(parseRelayPackage({ ...good, ...changes }), shape);

  it('are root, amount, hash, nullifiers and commitments', () => {
    expect(signalsOf({})).toEqual({
      root: 1n,
      publicAmount: 0n,
      extDataHash: 3n,
      nullifiers: [4n, 5n],
      commitments: [6n, 7n],
    });
  });

  it('must have the number of the circuit, with no nullifier twice', () => {
    expect(reasonOf(() => signalsOf({}, { inputs: 6, outputs: 6 }))).toBe('unsupported_signal_shape');
    const twice = { publicSignals: good.publicSignals.with(4, word(4n)) };
    expect(reasonOf(() => signalsOf(twice))).toBe('unsupported_signal_shape');
  });

  it('require a recipient for a public amount', () => {
    const publicSignals = good.publicSignals.with(1, word(10n));
    expect(reasonOf(() => signalsOf({ publicSignals }))).toBe('invalid_package');
    expect(signalsOf({ publicSignals, recipient: RECIPIENT }).publicAmount).toBe(10n);
  });
});

function nested(depth: number): unknown {
  return JSON.parse('['.repeat(depth) + ']'.repeat(depth));
}
