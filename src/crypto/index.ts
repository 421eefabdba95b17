export {
  createAmountKernel,
  discloseAmounts,
  type AmountKernel,
  type DecryptedAmount,
  type DecryptionRequest,
  type DisclosedAmount,
  type DisclosureRequest,
} from './amount-decryption.js';
export {
  createWasmAmountKernel,
  openAmountKernel,
  type KernelOptions,
} from './amount-kernel/wasm-amount-kernel.js';
export {
  createDecryptionPool,
  type DecryptionPool,
  type DecryptionPoolOptions,
  type DecryptionPoolStats,
} from './decryption-pool.js';
export {
  DECRYPTION_PROOF_LENGTH,
  DECRYPTION_PROOF_SCHEME,
  proveDecryption,
  verifyDecryption,
  zeroCiphertextProofData,
  type DecryptionStatement,
} from './decryption-proof.js';
export { inclusionProofFile, openCheckpoint, signCheckpoint, type Checkpoint } from './checkpoint.js';
export {
  combineCiphertexts,
  ELGAMAL_H,
  encrypt,
  generateElGamalKeypair,
  parseCiphertext,
  parsePublicKey,
  publicKeyOf,
  serializeCiphertext,
  type Ciphertext,
  type ElGamalKeypair,
} from './elgamal.js';
export {
  createGroth16Verifier,
  GROTH16_PROOF_LENGTH,
  parseGroth16Proof,
  parseSignal,
  SCALAR_FIELD_ORDER,
  type Groth16Proof,
  type Groth16Statement,
  type Groth16Verifier,
} from './groth16.js';
export { InvalidVerificationKey, parseVerificationKey, type VerificationKey } from './groth16-key.js';
export { createProofPool, type ProofPool, type ProofPoolOptions, type ProofPoolStats } from './proof-pool.js';
export type { ProofBytes } from './proof-worker.js';
export { sha256 } from './hashes.js';
export {
  climber,
  consistencyRanges,
  EMPTY_ROOT,
  HASH_LENGTH,
  inclusionRanges,
  isConsistent,
  leafHash,
  nodeHash,
  rangeHash,
  rootOfInclusion,
  treeBuilder,
  type NodeHashes,
  type Range,
} from './merkle-tree.js';
export { inclusionVerifier, type InclusionVerifier } from './inclusion-verifier.js';
export {
  borderTiles,
  nodesFrom,
  tileAppender,
  tilesOf,
  type Tile,
  type TileAddress,
} from './merkle-tiles.js';
export { createSealer, type Sealer } from './sealing.js';
export { openNote, signNote, type NoteSigner } from './signed-note.js';
export {
  generateSigningKey,
  noteKeyId,
  parseVerifierKey,
  sign,
  signingPublicKey,
  verifierKey,
  verify,
  type SigningKey,
} from './signing.js';
export { TOKEN_2022_SPLIT, type SplitCiphertext } from './split-ciphertext.js';
