// The parts of this folder that browsers can use, for checks. The portal's build replaces `index.ts` with this file.
export { openCheckpoint, type Checkpoint } from './merkle-log/checkpoint.js';
export {
  DECRYPTION_PROOF_LENGTH,
  DECRYPTION_PROOF_SCHEME,
  verifyDecryption,
} from './proofs/decryption-proof.js';
export { requireExpectedKey } from './expected-key.js';
export { sha256 } from './hashes.js';
export { openNote, unverifiedText } from './merkle-log/signed-note.js';
export { inclusionVerifier } from './merkle-log/inclusion-verifier.js';
export { HASH_LENGTH, isConsistent, leafHash, treeBuilder } from './merkle-log/merkle-tree.js';
export { noteKeyId, parseVerifierKey, verify } from './signing.js';
export { TOKEN_2022_SPLIT } from './decryption/split-ciphertext.js';
