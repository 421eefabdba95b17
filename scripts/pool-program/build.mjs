// Compiles the test pools of the local ledger with Debian's clang-14 and links them. Prints the hash of each program. With
// --check it compares instead of writing. `npm run pool-program [-- --check]`, after a build of dist/.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { link } from './link.mjs';

const root = path.resolve(import.meta.dirname, '..', '..');
const folder = path.join(root, 'devnet/pool/program');
const { localPoolKeyHeader } = await import(path.join(root, 'dist/devnet/pool/key-header.js'));

/** -mcpu=v2: without 32-bit arithmetic, which the machine executes differently. */
const OPTIONS = [
  ...['-target', 'bpf', '-mcpu=v2', '-O2', '-std=c11', '-ffreestanding', '-fno-builtin', '-fno-jump-tables'],
  ...['-fno-strict-aliasing', '-fno-ident', '-Wall', '-Wextra', '-Werror'],
];

/** Additional compiler options of each program. The second program requests all units that its descriptor allows. */
const PROGRAMS = {
  'pool.so': [],
  'pool-asking-units.so': ['-DUNITS_ASKED=200000'],
  'pool-with-outputs.so': ['-DOUTPUTS'],
};

const work = mkdtempSync(path.join(os.tmpdir(), 'lucarne-pool-'));
try {
  writeFileSync(path.join(work, 'key.h'), localPoolKeyHeader());
  const object = path.join(work, 'pool.o');
  for (const [name, definitions] of Object.entries(PROGRAMS)) {
    const source = path.join(folder, 'pool.c');
    execFileSync('clang-14', [...OPTIONS, ...definitions, '-I', work, '-c', source, '-o', object], {
      stdio: 'inherit',
    });
    const program = link(readFileSync(object));
    const target = path.join(folder, name);
    if (!process.argv.includes('--check')) writeFileSync(target, program);
    else if (!program.equals(readFileSync(target)))
      throw new Error(`${name} is not what its source compiles to.`);
    console.log(`${createHash('sha256').update(program).digest('hex')}  ${name}  ${program.length} bytes`);
  }
} finally {
  rmSync(work, { recursive: true });
}
