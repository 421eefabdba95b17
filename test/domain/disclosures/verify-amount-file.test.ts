import { describe, expect, it } from '@jest/globals';
import { verifyAmountFile } from '../../../src/domain/disclosures/index.js';
import { fc } from '../../kit/properties.js';
import { provenAmount } from './proven-amount.js';

describe('offline verification of an amount file', () => {
  it('accepts the amount in the ciphertext, and states what it cannot show', () => {
    const file = provenAmount(1_250n);
    const { valid, checks, unverified } = verifyAmountFile(JSON.parse(JSON.stringify(file)));
    expect({ valid, checks: checks.map(({ name, passed }) => [name, passed]) }).toEqual({
      valid: true,
      checks: [
        ['file', true],
        ['proof', true],
      ],
    });
    expect(unverified.join(' ')).toContain(file.networkTransactionId);
    expect(unverified.join(' ')).toContain(file.proof.auditorElGamalPubkey);
  });

  it('claims nothing about the ledger, because an invented file also passes', () => {
    const { checks } = verifyAmountFile(provenAmount(1_000_000n));
    expect(checks.map(({ detail }) => detail).join(' ')).not.toMatch(/ledger|transaction|mint/);
  });

  it('refuses text in place of a signature, because it would be printed', () => {
    const file = provenAmount(1n);
    const { networkTransactionId: signature } = file;
    for (const claimed of [
      `${signature}, which this command found on the ledger`,
      `${signature}${signature}`,
      '',
    ])
      expect(verifyAmountFile({ ...file, networkTransactionId: claimed }).valid).toBe(false);
    expect(verifyAmountFile({ ...file, networkTransactionId: null }).valid).toBe(true);
  });

  it('refuses a different amount, key, ciphertext, proof or scheme', () => {
    const file = provenAmount(70_000n);
    const other = provenAmount(70_000n);
    const refused = [
      { ...file, amount: '70001' },
      { ...file, amount: '070000' },
      { ...file, proof: other.proof, amount: '1' },
      { ...file, proof: { ...file.proof, auditorElGamalPubkey: other.proof.auditorElGamalPubkey } },
      { ...file, proof: { ...file.proof, ciphertext: other.proof.ciphertext } },
      { ...file, proof: { ...file.proof, proof: other.proof.proof } },
      { ...file, proof: { ...file.proof, scheme: 'another' } },
    ];
    expect(refused.map((one) => verifyAmountFile(one).valid)).toEqual(refused.map(() => false));
  });

  it('refuses members that nothing proves, and any other kind of file', () => {
    const file = provenAmount(7n);
    expect(verifyAmountFile({ ...file, note: 'paid to Ada' }).valid).toBe(false);
    expect(verifyAmountFile({ ...file, proof: { ...file.proof, slot: 7 } }).valid).toBe(false);
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(verifyAmountFile(value).valid).toBe(false);
      }),
    );
  });
});
