import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { attempt } from '../../kernel/encoding/attempt.js';
import { replaceFile } from '../../kernel/whole-file.js';

/** The SHA-256 of `amount-kernel.wasm`. `npm run kernel -- --check` compiles it again and compares. */
export const AMOUNT_KERNEL_SHA256 = 'f2b3456246f717e6c61f84c0978f143bed927b24ae97bfece1a1cada14d05ba7';

/** The SHA-256 of the table of baby steps, which is the same wherever it is built. */
export const TABLE_SHA256 = 'ccc9070961db80f0735525cc057e5db9e34517dd3fd5ce5056be23fc7d9178f8';

/** The module (WebAssembly with SIMD), compiled from `assembly/`. Throws if the file does not exist or has another hash. */
export function readKernelModule(): Uint8Array<ArrayBuffer> {
  const bytes = readFileSync(new URL('amount-kernel.wasm', import.meta.url));
  if (sha256Hex(bytes) !== AMOUNT_KERNEL_SHA256)
    throw new Error('amount-kernel.wasm does not have the expected SHA-256.');
  return new Uint8Array(bytes);
}

/** Whether these are the bytes of the table. */
export const isTable = (bytes: Uint8Array): boolean => sha256Hex(bytes) === TABLE_SHA256;

/** The table from a file, or `undefined` if the file does not exist or is damaged. */
export function readTable(file: string): Uint8Array | undefined {
  const bytes = attempt(() => readFileSync(file));
  return bytes && isTable(bytes) ? bytes : undefined;
}

/** Writes the table. Throws if it cannot. */
export function writeTable(file: string, table: Uint8Array): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  replaceFile(file, table);
}

function sha256Hex(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
