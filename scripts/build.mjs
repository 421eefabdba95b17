// Transpiles src/**/*.ts and devnet/**/*.ts to dist/src and dist/devnet with swc. Only files newer than their output are
// compiled, so that a start after a build costs almost nothing. Vite builds the portal's page if any of its sources changed,
// and its files are compressed once, so that no start has to. `npm run types` checks types separately. Programs of the local
// ledger (*.so) and WebAssembly modules are copied; `npm run kernel` compiles the modules from AssemblyScript.
import { transformFile } from '@swc/core';
import { copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';

const root = path.resolve(import.meta.dirname, '..');
const SOURCES = ['src', 'devnet'];
const output = path.join(root, 'dist');

const modified = async (file) => (await stat(file).catch(() => undefined))?.mtimeMs ?? 0;

const entries = await Promise.all(
  SOURCES.map((folder) => readdir(path.join(root, folder), { recursive: true, withFileTypes: true })),
);
const files = entries
  .flat()
  .filter((entry) => entry.isFile() && /\.(ts|so|wasm)$/.test(entry.name))
  .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
  .filter((file) => !file.includes(`${path.sep}assembly${path.sep}`));

const compilerChanged = Math.max(
  await modified(path.join(root, '.swcrc')),
  await modified(import.meta.filename),
);
const wanted = new Set(files.map((file) => file.replace(/\.ts$/, '.js')));

await Promise.all(
  files.map(async (file) => {
    const input = path.join(root, file);
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
  const name = path.relative(output, file);
  if (!name.startsWith(`portal${path.sep}`) && !wanted.has(name)) await rm(file);
}

// The page also includes the verifiers of src/, so each build lists its input files.
const portal = path.join(root, 'portal');
const page = path.join(output, 'portal', 'public');
// Written last: if it is missing, the build did not finish.
const builtPage = path.join(page, 'index.html.br');
const madeOf = path.join(output, 'portal', 'inputs.json');
const taken = JSON.parse(await readFile(madeOf, 'utf8').catch(() => '[]'));
const inputs = [
  ...(await readdir(portal, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name)),
  ...taken.map((file) => path.join(root, file)),
  path.join(root, 'package-lock.json'),
  import.meta.filename,
];
const newest = Math.max(...(await Promise.all(inputs.map(modified))));
if (taken.length === 0 || (await modified(builtPage)) < newest) {
  // Under Jest it is `test`, which would include React's development build in the page.
  const environment = process.env.NODE_ENV;
  process.env.NODE_ENV = 'production';
  const { build } = await import('vite');
  await build({ configFile: path.join(portal, 'vite.config.ts'), logLevel: 'warn' });
  if (environment === undefined) delete process.env.NODE_ENV;
  else process.env.NODE_ENV = environment;
  const built = await readdir(page, { recursive: true, withFileTypes: true });
  await Promise.all(
    built
      .filter((entry) => entry.isFile() && /\.(js|css|svg)$/.test(entry.name))
      .map((entry) => compress(path.join(entry.parentPath, entry.name))),
  );
  await compress(path.join(page, 'index.html'));
}

/** Writes `x.gz` and `x.br` next to `x`, each with maximum compression. */
async function compress(file) {
  const bytes = await readFile(file);
  const forms = {
    gz: await promisify(gzip)(bytes, { level: 9 }),
    br: await promisify(brotliCompress)(bytes),
  };
  for (const [ending, form] of Object.entries(forms)) {
    // Renamed when complete, so that a killed build leaves no partial file.
    const part = `${file}.${process.pid}.part`;
    await writeFile(part, form);
    await rename(part, `${file}.${ending}`);
  }
}
