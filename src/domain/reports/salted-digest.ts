import { sha256 } from '../../platform/crypto/index.js';
import { hex } from '../../platform/kernel/encoding/bytes.js';

export const DIGEST_SALT_BYTES = 16;

/**
 * What the log publishes of a report's file: hex of SHA-256(salt ‖ digest), both of a fixed length. Without the salt,
 * which is given to those who may download the file, nobody can try contents against it.
 */
export const saltedDigest = (salt: Uint8Array, digest: Uint8Array) => hex.encode(sha256(salt, digest));
