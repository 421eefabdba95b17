export { requireExpectedKey } from './expected-key.js';
export type { KeptSigningKey, KeptSigningKeys } from './kept-signing-keys.js';
export {
  createAmountKernel,
  discloseAmounts,
  type AmountKernel,
  type DecryptedAmount,
  type DisclosedAmount,
  type DisclosureRequest,
} from './decryption/amount-decryption.js';
export { createWasmAmountKernel } from './amount-kernel/wasm-amount-kernel.js';
export { createDecryptionPool, type DecryptionPool } from './decryption/decryption-pool.js';
export { watchDecryption } from './decryption/decryption-metrics.js';
export { DECRYPTION_PROOF_SCHEME, verifyDecryption } from './proofs/decryption-proof.js';
export {
  inclusionProofFile,
  openCheckpoint,
  signCheckpoint,
  type Checkpoint,
} from './merkle-log/checkpoint.js';
export {
  type ElGamalKeypair,
  generateElGamalKeypair,
  isElGamalPublicKey,
  publicKeyOf as elGamalPublicKeyOf,
} from './decryption/elgamal.js';
export { formatElGamalKeypair, parseElGamalKeypair } from './decryption/elgamal-keypair.js';
export {
  createGroth16Verifier,
  parseGroth16Proof,
  parseSignal,
  SCALAR_FIELD_ORDER,
  type Groth16Statement,
} from './proofs/groth16.js';
export { InvalidVerificationKey, parseVerificationKey, type VerificationKey } from './proofs/groth16-key.js';
export { bytesOfG1, bytesOfG2 } from './proofs/groth16-points.js';
export { createProofVerifier, type ProofBytes, type ProofVerifier } from './proofs/proof-verifier.js';
export { createWasmProofVerifier } from './proof-kernel/wasm-proof-verifier.js';
export { createProofPool, type ProofPool } from './proofs/proof-pool.js';
export { sha256 } from './hashes.js';
export {
  consistencyRanges,
  EMPTY_ROOT,
  HASH_LENGTH,
  inclusionRanges,
  isConsistent,
  leafHash,
  rangeHash,
  treeBuilder,
  type Range,
} from './merkle-log/merkle-tree.js';
export { openNote, signNote, unverifiedText } from './merkle-log/signed-note.js';
export { inclusionVerifier } from './merkle-log/inclusion-verifier.js';
export {
  borderTiles,
  MissingTile,
  nodesFrom,
  tileAppender,
  tilesOf,
  type Tile,
  type TileAddress,
} from './merkle-log/merkle-tiles.js';
export {
  createEnvelopeSealer,
  createSealer,
  DATA_KEY_LENGTH,
  type DataKey,
  type DataKeys,
  firstDataKey,
  MAX_SEALING_LENGTH,
  sealedPrefix,
  type SealedColumn,
  type Sealer,
  sealingKeyOf,
} from './sealing.js';
export {
  generateSigningKey,
  isSigningPublicKey,
  parseVerifierKey,
  sign,
  signingPublicKey,
  verifierKey,
  verify,
} from './signing.js';
export { TOKEN_2022_SPLIT, type SplitCiphertext } from './decryption/split-ciphertext.js';
export { WorkerThreads, workerUrlOf, type ThreadTask } from './worker-threads.js';
