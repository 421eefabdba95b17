import { ristretto255 } from '@noble/curves/ed25519.js';
import { encrypt } from '../../kit/ledger/encrypt.js';
import {
  TOKEN_2022_SPLIT,
  type SplitCiphertext,
} from '../../../src/platform/crypto/decryption/split-ciphertext.js';

const LO_MASK = (1n << BigInt(TOKEN_2022_SPLIT.loBits)) - 1n;

/** An amount encrypted like in Token-2022: its low 16 bits and the rest. */
export function encryptAmount(publicKey: Uint8Array, amount: bigint): SplitCiphertext {
  const hi = amount >> BigInt(TOKEN_2022_SPLIT.loBits);
  return { ...TOKEN_2022_SPLIT, lo: encrypt(publicKey, amount & LO_MASK), hi: encrypt(publicKey, hi) };
}

/** The same amount with openings that cancel out: opening lo = −2^16 · opening hi. */
export function encryptWithCancellingOpenings(publicKey: Uint8Array, amount: bigint): SplitCiphertext {
  const Scalar = ristretto255.Point.Fn;
  const openingHi = 123_456_789n;
  const openingLo = Scalar.neg(openingHi << BigInt(TOKEN_2022_SPLIT.loBits));
  const hi = amount >> BigInt(TOKEN_2022_SPLIT.loBits);
  return {
    ...TOKEN_2022_SPLIT,
    lo: encrypt(publicKey, amount & LO_MASK, Scalar.toBytes(openingLo)),
    hi: encrypt(publicKey, hi, Scalar.toBytes(openingHi)),
  };
}
