import { serializeCiphertext } from '../../../src/platform/crypto/decryption/elgamal.js';
import {
  parseStatement,
  type DecryptionStatement,
} from '../../../src/platform/crypto/proofs/decryption-proof.js';
import { concatBytes } from '../../../src/platform/kernel/encoding/bytes.js';

/**
 * The 192 bytes for Solana's tools, `ZeroCiphertextProofData`: public key | ciphertext of zero | proof. Throws a `RangeError`
 * if the statement is malformed.
 */
export function zeroCiphertextProofData(
  statement: DecryptionStatement & { readonly proof: Uint8Array },
): Uint8Array {
  const parsed = parseStatement(statement);
  if (parsed === undefined) throw new RangeError('The ciphertext or the value is malformed.');
  return concatBytes(statement.publicKey, serializeCiphertext(parsed.zero), statement.proof);
}
