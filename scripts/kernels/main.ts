// Compiles the WebAssembly kernels from AssemblyScript, and prints the hash of each. With --check it compares instead of
// writing. `npm run kernel [-- --check]`.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { compile, folderOf } from './compile.ts';
import { amountKernel, proofKernel } from './kernels.ts';

for (const kernel of [amountKernel, proofKernel({ checked: false })]) {
  const module = await compile(kernel);
  const file = `${kernel.name}.wasm`;
  const target = path.join(folderOf(kernel.name), file);
  if (!process.argv.includes('--check')) writeFileSync(target, module);
  else if (!module.equals(readFileSync(target)))
    throw new Error(`${file} is not what its source compiles to.`);
  console.log(`${createHash('sha256').update(module).digest('hex')}  ${file}  ${module.length} bytes`);
}
