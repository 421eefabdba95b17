// Compiles the kernel of auditor decryption, AssemblyScript to WebAssembly. Prints the hash of the module; with --check
// it compares instead of writing. `npm run kernel [-- --check]`.
import asc from 'assemblyscript/asc';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..', '..');
const folder = path.join(root, 'src/crypto/amount-kernel');

/** Nothing that could trap is left out but assertions, of which the source has none. */
const OPTIONS = ['--runtime', 'stub', '--optimizeLevel', '3', '--noAssert', '--enable', 'simd'];

const outputs = new Map();
const { error, stderr } = await asc.main(
  ['index.ts', '--baseDir', path.join(folder, 'assembly'), '--outFile', 'kernel.wasm', ...OPTIONS],
  { writeFile: (name, contents) => void outputs.set(name, contents) },
);
if (error || stderr.toString() !== '') throw new Error(`The kernel does not compile.\n${stderr.toString()}`);
const module = Buffer.from(outputs.get('kernel.wasm'));
const target = path.join(folder, 'amount-kernel.wasm');
if (process.argv.includes('--check')) {
  if (!module.equals(readFileSync(target)))
    throw new Error('amount-kernel.wasm is not what its source compiles to.');
} else writeFileSync(target, module);
console.log(
  `${createHash('sha256').update(module).digest('hex')}  amount-kernel.wasm  ${module.length} bytes`,
);
