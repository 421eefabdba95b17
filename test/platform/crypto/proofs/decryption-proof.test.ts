import { describe, expect, it } from '@jest/globals';
import { ristretto255 } from '@noble/curves/ed25519.js';
import {
  ElGamalCiphertext,
  ElGamalKeypair,
  ElGamalSecretKey,
  ZeroCiphertextProofData,
} from '@solana/zk-sdk/node';
import { fc } from '../../../kit/properties.js';
import {
  createDecryptionProver,
  DECRYPTION_PROOF_LENGTH,
  verifyDecryption,
} from '../../../../src/platform/crypto/proofs/decryption-proof.js';
import { zeroCiphertextProofData } from '../zero-ciphertext.js';
import {
  generateElGamalKeypair,
  parsePoint,
  parseSecret,
  publicKeyOf,
  reduceWide,
} from '../../../../src/platform/crypto/decryption/elgamal.js';
import { encrypt } from '../../../kit/ledger/encrypt.js';
import { proveDecryption } from '../../../kit/ledger/prove-decryption.js';
import { MerlinTranscript } from '../../../../src/platform/crypto/proofs/merlin.js';
import { encryptAmount, encryptWithCancellingOpenings } from '../encrypt-amount.js';

const Scalar = ristretto255.Point.Fn;
const IDENTITY = new Uint8Array(32);
const NO_PROOF = new Uint8Array(DECRYPTION_PROOF_LENGTH);
const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

const amount = () => fc.bigInt({ min: 0n, max: 2n ** 48n - 1n });
const secret = () => fc.bigInt({ min: 1n, max: Scalar.ORDER - 1n }).map((value) => Scalar.toBytes(value));

function provenStatement(value: bigint) {
  const pair = generateElGamalKeypair();
  const ciphertext = encryptAmount(pair.publicKey, value);
  return { ...pair, ciphertext, value, proof: proveDecryption({ ...pair, ciphertext, value }) };
}

/** The combined ciphertext minus the value, which Solana's tools prove to be zero. */
const zeroCiphertext = (statement: Parameters<typeof zeroCiphertextProofData>[0]) =>
  ElGamalCiphertext.fromBytes(zeroCiphertextProofData(statement).slice(32, 96))!;

describe('a decryption proof', () => {
  it('verifies, for any key and amount', () => {
    fc.assert(
      fc.property(secret(), amount(), (key, value) => {
        const publicKey = publicKeyOf(key);
        const ciphertext = encryptAmount(publicKey, value);
        const proof = proveDecryption({ secret: key, publicKey, ciphertext, value });
        expect(proof.length).toBe(DECRYPTION_PROOF_LENGTH);
        expect(verifyDecryption({ publicKey, ciphertext, value, proof })).toBe(true);
      }),
      { numRuns: 15 },
    );
  });

  it('has the same bytes as one of many, for which a table of the key is made', () => {
    const random = (length: number) => new Uint8Array(length).fill(7);
    fc.assert(
      fc.property(secret(), amount(), (key, value) => {
        const pair = { secret: key, publicKey: publicKeyOf(key) };
        const ciphertext = encryptAmount(pair.publicKey, value);
        const prove = createDecryptionProver({ ...pair, random, proofs: 200 });
        expect(prove(ciphertext, value)).toEqual(proveDecryption({ ...pair, random, ciphertext, value }));
      }),
      { numRuns: 5 },
    );
  });

  it.each([0n, 1n, 65_535n, 65_536n, 2n ** 40n - 1n, 2n ** 48n - 1n])(
    'verifies in zk-sdk, for %s',
    (value) => {
      const statement = provenStatement(value);
      expect(() =>
        ZeroCiphertextProofData.fromBytes(zeroCiphertextProofData(statement)).verify(),
      ).not.toThrow();
    },
  );

  it('verifies here if zk-sdk made it', () => {
    const theirs = new ElGamalKeypair();
    const publicKey = theirs.pubkey().toBytes();
    for (const value of [0n, 77n, 2n ** 48n - 1n]) {
      const statement = { publicKey, ciphertext: encryptAmount(publicKey, value), value };
      const made = new ZeroCiphertextProofData(theirs, zeroCiphertext({ ...statement, proof: NO_PROOF }));
      const proof = made.toBytes().slice(96);
      expect(verifyDecryption({ ...statement, proof })).toBe(true);
      expect(verifyDecryption({ ...statement, value: value ^ 1n, proof })).toBe(false);
    }
  });

  it('fails for another amount, here and in zk-sdk', () => {
    const statement = provenStatement(1000n);
    for (const value of [0n, 999n, 1001n, 1000n + 2n ** 16n]) {
      const other = { ...statement, value };
      expect(verifyDecryption(other)).toBe(false);
      expect(() => ZeroCiphertextProofData.fromBytes(zeroCiphertextProofData(other)).verify()).toThrow();
    }
  });

  it('fails after a change of any byte', () => {
    const statement = provenStatement(424_242n);
    for (let index = 0; index < DECRYPTION_PROOF_LENGTH; index += 1) {
      const proof = Uint8Array.from(statement.proof);
      proof[index]! ^= 0x02;
      expect(verifyDecryption({ ...statement, proof })).toBe(false);
    }
  });

  it('fails for another ciphertext of the same amount', () => {
    const statement = provenStatement(5n);
    const ciphertext = encryptAmount(statement.publicKey, 5n);
    expect(verifyDecryption({ ...statement, ciphertext })).toBe(false);
  });

  it('fails with lo and hi exchanged', () => {
    const statement = provenStatement(5n + (7n << 16n));
    const { lo, hi } = statement.ciphertext;
    const ciphertext = { ...statement.ciphertext, lo: hi, hi: lo };
    expect(verifyDecryption({ ...statement, ciphertext, value: 7n + (5n << 16n) })).toBe(false);
  });

  it('fails for another public key', () => {
    const statement = provenStatement(5n);
    const { publicKey } = generateElGamalKeypair();
    expect(verifyDecryption({ ...statement, publicKey })).toBe(false);
  });

  it('is not created for an amount that the ciphertext does not contain', () => {
    const { value, ...statement } = provenStatement(5n);
    expect(() => proveDecryption({ ...statement, value: value + 1n })).toThrow(
      'The ciphertext does not decrypt to the value.',
    );
  });

  it('is not created with the secret of another public key', () => {
    const statement = provenStatement(5n);
    const other = generateElGamalKeypair();
    expect(() => proveDecryption({ ...statement, secret: other.secret })).toThrow(
      'The secret is not that of the public key.',
    );
  });

  it('can be created if a sender cancelled the openings, which zk-sdk refuses', () => {
    const pair = generateElGamalKeypair();
    const value = 3n + (9n << 16n);
    const ciphertext = encryptWithCancellingOpenings(pair.publicKey, value);
    const proof = proveDecryption({ ...pair, ciphertext, value });
    const statement = { publicKey: pair.publicKey, ciphertext, value, proof };
    expect(verifyDecryption(statement)).toBe(true);
    expect(verifyDecryption({ ...statement, value: value + 1n })).toBe(false);
    expect(() => ZeroCiphertextProofData.fromBytes(zeroCiphertextProofData(statement)).verify()).toThrow();
  });

  it('does not depend on good randomness: equal randomness gives different nonces for different statements', () => {
    const pair = generateElGamalKeypair();
    const random = (length: number) => new Uint8Array(length);
    const proofs = [1n, 2n].map((value) =>
      proveDecryption({ ...pair, ciphertext: encryptAmount(pair.publicKey, value), value, random }),
    );
    // Y_P = y·P: equal only for equal nonces y, which would reveal the secret.
    expect(toHex(proofs[0]!.subarray(0, 32))).not.toBe(toHex(proofs[1]!.subarray(0, 32)));
  });

  it('is a different one each time', () => {
    const statement = provenStatement(5n);
    expect(proveDecryption(statement)).not.toEqual(proveDecryption(statement));
  });

  it('verifies for other splits than 16 and 32 bits', () => {
    const pair = generateElGamalKeypair();
    const ciphertext = {
      lo: encrypt(pair.publicKey, 200n),
      hi: encrypt(pair.publicKey, 3n),
      loBits: 8,
      hiBits: 4,
    };
    const value = 200n + (3n << 8n);
    const proof = proveDecryption({ ...pair, ciphertext, value });
    expect(verifyDecryption({ publicKey: pair.publicKey, ciphertext, value, proof })).toBe(true);
  });
});

/** A proof by a prover who follows the protocol with a chosen secret and nonce, for any claim. */
function forgedProof(
  statement: { publicKey: Uint8Array; ciphertext: ReturnType<typeof encryptAmount>; value: bigint },
  secretScalar: bigint,
  nonce: bigint,
): Uint8Array {
  const data = zeroCiphertextProofData({ ...statement, proof: NO_PROOF });
  const times = (encoding: Uint8Array) => parsePoint(encoding)!.multiplyUnsafe(nonce).toBytes();
  const yP = times(statement.publicKey);
  const yD = times(data.slice(64, 96));
  const transcript = new MerlinTranscript('solana-zk-elgamal-proof-program-v1');
  transcript.append('dom-sep', 'zero-ciphertext-instruction');
  transcript.append('pubkey', statement.publicKey);
  transcript.append('ciphertext', data.slice(32, 96));
  transcript.append('dom-sep', 'zero-ciphertext-proof');
  transcript.append('Y_P', yP);
  transcript.append('Y_D', yD);
  const c = reduceWide(transcript.challenge('c', 64));
  const z = Scalar.add(Scalar.mul(c, secretScalar), nonce);
  return Uint8Array.of(...yP, ...yD, ...Scalar.toBytes(z));
}

describe('a forged decryption proof', () => {
  const pair = generateElGamalKeypair();
  const value = 1000n;
  const ciphertext = encryptAmount(pair.publicKey, value);
  const nonce = 2n ** 200n + 12_345n;

  it('verifies if it is created honestly', () => {
    const statement = { publicKey: pair.publicKey, ciphertext, value };
    const proof = forgedProof(statement, parseSecret(pair.secret), nonce);
    expect(verifyDecryption({ ...statement, proof })).toBe(true);
  });

  it('fails when the ciphertext is not of the claimed public key', () => {
    const claimed = generateElGamalKeypair();
    const statement = { publicKey: claimed.publicKey, ciphertext, value };
    const proof = forgedProof(statement, parseSecret(pair.secret), nonce);
    expect(verifyDecryption({ ...statement, proof })).toBe(false);
  });

  it('fails when the ciphertext holds another value', () => {
    const statement = { publicKey: pair.publicKey, ciphertext, value: value + 1n };
    const proof = forgedProof(statement, parseSecret(pair.secret), nonce);
    expect(verifyDecryption({ ...statement, proof })).toBe(false);
  });

  it('fails if its nonce is zero, as in Solana, because it would reveal the secret', () => {
    const statement = { publicKey: pair.publicKey, ciphertext, value };
    const proof = forgedProof(statement, parseSecret(pair.secret), 0n);
    expect(verifyDecryption({ ...statement, proof })).toBe(false);
  });
});

describe('a decryption proof with malformed parts', () => {
  const statement = provenStatement(5n);

  it('fails for a value out of range, even where the group would wrap around', () => {
    expect(verifyDecryption({ ...statement, value: -1n })).toBe(false);
    expect(verifyDecryption({ ...statement, value: 2n ** 48n })).toBe(false);
    expect(verifyDecryption({ ...statement, value: statement.value + Scalar.ORDER })).toBe(false);
    expect(verifyDecryption({ ...statement, value: statement.value - Scalar.ORDER })).toBe(false);
  });

  it('fails for the identity as public key', () => {
    expect(verifyDecryption({ ...statement, publicKey: IDENTITY })).toBe(false);
  });

  it('fails for z plus the group order: one proof has one encoding', () => {
    const proof = Uint8Array.from(statement.proof);
    let z = Scalar.fromBytes(proof.subarray(64)) + Scalar.ORDER;
    for (let index = 64; index < 96; index += 1, z >>= 8n) proof[index] = Number(z & 255n);
    expect(verifyDecryption({ ...statement, proof })).toBe(false);
  });

  it('fails for zeros, and for proofs of another length', () => {
    expect(verifyDecryption({ ...statement, proof: NO_PROOF })).toBe(false);
    expect(verifyDecryption({ ...statement, proof: statement.proof.subarray(1) })).toBe(false);
    expect(verifyDecryption({ ...statement, proof: Uint8Array.of(...statement.proof, 0) })).toBe(false);
    expect(verifyDecryption({ ...statement, proof: new Uint8Array() })).toBe(false);
  });

  it('fails, and does not throw, for any bytes', () => {
    const bytes = (length: number) => fc.uint8Array({ minLength: 0, maxLength: length });
    fc.assert(
      fc.property(bytes(40), bytes(70), bytes(70), bytes(100), (publicKey, lo, hi, proof) => {
        const ciphertext = { ...statement.ciphertext, lo, hi };
        expect(verifyDecryption({ publicKey, ciphertext, value: 0n, proof })).toBe(false);
        expect(verifyDecryption({ ...statement, ciphertext })).toBe(false);
        expect(verifyDecryption({ ...statement, proof })).toBe(false);
      }),
    );
  });
});

describe('the secret of a proof', () => {
  it('matches the one of zk-sdk', () => {
    const { secret: ours, publicKey, ciphertext, value } = provenStatement(31n);
    const theirs = ElGamalKeypair.fromSecretKey(ElGamalSecretKey.fromBytes(ours));
    const zero = zeroCiphertext({ publicKey, ciphertext, value, proof: NO_PROOF });
    expect(theirs.secret().decrypt(zero)).toBe(0n);
  });
});
