import { base64 } from '../../kernel/encoding/bytes.js';
import { parseForeignJson } from '../../kernel/encoding/foreign-json.js';
import { type ElGamalKeypair, publicKeyOf } from './elgamal.js';
import { attempt } from '../../kernel/encoding/attempt.js';

const ELEMENT_LENGTH = 32;

/**
 * Parses a keypair in the format of Solana's tools (`ElGamalKeypair` of the crate solana-zk-sdk): a JSON array of 64 numbers,
 * public key | secret. Also accepts base64 of the same bytes, or of only the 32 bytes of the secret.
 * @throws {RangeError} with a problem that follows the name of the keypair in a sentence; never with a part of the text
 */
export function parseElGamalKeypair(text: string): ElGamalKeypair {
  const bytes = bytesOf(text.trim());
  try {
    const secret = bytes.slice(-ELEMENT_LENGTH);
    const publicKey = attempt(() => publicKeyOf(secret));
    if (!publicKey)
      throw new RangeError('has a secret that is zero or is not a canonical scalar of ristretto255');
    const stated = bytes.subarray(0, -ELEMENT_LENGTH);
    if (stated.length > 0 && !stated.every((byte, index) => byte === publicKey[index]))
      throw new RangeError('has a public key that does not belong to its secret');
    return { secret, publicKey };
  } finally {
    bytes.fill(0);
  }
}

/** Formats a keypair for {@link parseElGamalKeypair}. */
export const formatElGamalKeypair = ({ publicKey, secret }: ElGamalKeypair): string =>
  JSON.stringify([...publicKey, ...secret]);

function bytesOf(text: string): Uint8Array {
  const bytes = text.startsWith('[') ? numbersOf(text) : base64.decode(text);
  if (bytes?.length !== ELEMENT_LENGTH && bytes?.length !== 2 * ELEMENT_LENGTH)
    throw new RangeError(
      'must be a JSON array of 64 numbers, as Solana’s tools write it, or base64 of 64 bytes, or of the 32 bytes of its secret',
    );
  return bytes;
}

function numbersOf(text: string): Uint8Array | undefined {
  const numbers: unknown = attempt(() => parseForeignJson(text, { maxDepth: 1, maxValues: 1_000 }));
  const isByte = (value: unknown) =>
    typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 256;
  return Array.isArray(numbers) && numbers.every(isByte) ? Uint8Array.from(numbers as number[]) : undefined;
}
