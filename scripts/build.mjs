// Transpiles src/**/*.ts to dist/**/*.js with swc. Only files newer than their output are compiled, so that a
// start after a build costs next to nothing. Types are checked apart, by `npm run types`. Programs of the local ledger
// (*.so) and WebAssembly modules are copied; the AssemblyScript of these is compiled by `npm run kernel`.
import { transformFile } from '@swc/core';
import { copyFile, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const source = path.join(root, 'src');
const output = path.join(root, 'dist');

const modified = async (file) => (await stat(file).catch(() => undefined))?.mtimeMs ?? 0;

const entries = await readdir(source, { recursive: true, withFileTypes: true });
const files = entries
  .filter((entry) => entry.isFile() && /\.(ts|so|wasm)$/.test(entry.name))
  .map((entry) => path.relative(source, path.join(entry.parentPath, entry.name)))
  .filter((file) => !file.includes(`${path.sep}assembly${path.sep}`));

const compilerChanged = Math.max(
  await modified(path.join(root, '.swcrc')),
  await modified(import.meta.filename),
);
const wanted = new Set(files.map((file) => file.replace(/\.ts$/, '.js')));

await Promise.all(
  files.map(async (file) => {
    const input = path.join(source, file);
    const target = path.join(output, file.replace(/\.ts$/, '.js'));
    if ((await modified(target)) > Math.max(await modified(input), compilerChanged)) return;
    await mkdir(path.dirname(target), { recursive: true });
    if (!file.endsWith('.ts')) return copyFile(input, target);
    const { code } = await transformFile(input, { swcrc: true, configFile: path.join(root, '.swcrc') });
    await writeFile(target, code);
  }),
);

// An output without its source would still be imported: remove it.
for (const entry of await readdir(output, { recursive: true, withFileTypes: true }).catch(() => [])) {
  if (!entry.isFile()) continue;
  const file = path.join(entry.parentPath, entry.name);
  if (!wanted.has(path.relative(output, file))) await rm(file);
}
