import {
  createDecryptionProver,
  type DecryptionStatement,
} from '../../../src/platform/crypto/proofs/decryption-proof.js';

/** Creates one proof. Throws as the prover does. */
export const proveDecryption = ({
  ciphertext,
  value,
  ...keys
}: DecryptionStatement & Parameters<typeof createDecryptionProver>[0]): Uint8Array =>
  createDecryptionProver(keys)(ciphertext, value);
