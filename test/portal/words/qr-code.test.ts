import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { qrCode } from '../../../portal/src/screens/account/qr-code.ts';

const ENROLMENT =
  'otpauth://totp/Lucarne:olga@example.test?issuer=Lucarne&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30';

const digestOf = (text: string) =>
  createHash('sha256')
    .update(
      qrCode(text)
        .map((row) => row.map((isDark) => (isDark ? '1' : '0')).join(''))
        .join('\n'),
    )
    .digest('hex');

describe('a QR code', () => {
  // jsQR 1.4 decoded each of these codes, and one of every length from 1 to 213.
  it('can be read by another program', () => {
    expect(digestOf('Lucarne')).toBe('3d34e6e98476341d18dab1aaaebe84c97be8e65caac2a0ac972b6029702379cd');
    expect(digestOf(ENROLMENT)).toBe('b9898db7728bf04cfb17a0fdad2ed85bfaac2db1c3971976b8113131ca18857a');
    expect(digestOf('x'.repeat(213))).toBe(
      'f8a692e420006d88c10e55f6fb2f048c68ad07db0d7c3f134adf4ff3fc04aae2',
    );
  });

  it('grows with its text, and refuses too much text', () => {
    expect(qrCode('x')).toHaveLength(21);
    expect(qrCode('x'.repeat(213))).toHaveLength(57);
    expect(() => qrCode('x'.repeat(214))).toThrow('too long');
    // Bytes count, not characters.
    expect(() => qrCode('é'.repeat(107))).toThrow('too long');
  });
});
