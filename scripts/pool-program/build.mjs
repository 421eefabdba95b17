// Compiles the test pool of the local ledger with Debian's clang-14 and links it. Prints the hash of the program;
// with --check it compares instead of writing. `npm run pool-program [-- --check]`, after a build of dist/.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { link } from './link.mjs';

const root = path.resolve(import.meta.dirname, '..', '..');
const folder = path.join(root, 'devnet/pool/program');
const { localPoolKeyHeader } = await import(path.join(root, 'dist/devnet/pool/key-header.js'));

/** -mcpu=v2: without 32-bit arithmetic, which the machine does otherwise. */
const OPTIONS = [
  ...['-target', 'bpf', '-mcpu=v2', '-O2', '-std=c11', '-ffreestanding', '-fno-builtin', '-fno-jump-tables'],
  ...['-fno-strict-aliasing', '-fno-ident', '-Wall', '-Wextra', '-Werror'],
];

const work = mkdtempSync(path.join(os.tmpdir(), 'lucarne-pool-'));
try {
  writeFileSync(path.join(work, 'key.h'), localPoolKeyHeader());
  const object = path.join(work, 'pool.o');
  execFileSync('clang-14', [...OPTIONS, '-I', work, '-c', path.join(folder, 'pool.c'), '-o', object], {
    stdio: 'inherit',
  });
  const program = link(readFileSync(object));
  const target = path.join(folder, 'pool.so');
  if (process.argv.includes('--check')) {
    if (!program.equals(readFileSync(target))) throw new Error('pool.so is not what its source compiles to.');
  } else writeFileSync(target, program);
  console.log(`${createHash('sha256').update(program).digest('hex')}  pool.so  ${program.length} bytes`);
} finally {
  rmSync(work, { recursive: true });
}
