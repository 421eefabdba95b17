import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The SHA-256 of `proof-kernel.wasm`. `npm run kernel -- --check` compiles it again and compares. */
export const PROOF_KERNEL_SHA256 = '77ac1a3af67a92ffaaf25e21190b155e4fe823aba69154bc7c338138474301fa';

/**
 * The module (WebAssembly with relaxed SIMD), compiled from `assembly/`. Throws if the file does not exist or has another hash.
 */
export function readProofKernel(): Uint8Array<ArrayBuffer> {
  const bytes = readFileSync(new URL('proof-kernel.wasm', import.meta.url));
  if (createHash('sha256').update(bytes).digest('hex') !== PROOF_KERNEL_SHA256)
    throw new Error('proof-kernel.wasm does not have the expected SHA-256.');
  return new Uint8Array(bytes);
}
