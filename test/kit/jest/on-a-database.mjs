// Jest's `--filter`: selects only test files whose result can depend on the database. The others already ran on the embedded
// database: neither they nor the test files that they import use DATABASE_URL or the database of the global setup.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const LOOKS = /process\.env(\.|\[')(DATABASE_URL|REDIS_URL)|TEMPLATE_VARIABLE|\.\.\.process\.env/;
const IMPORTS = /\bfrom '(\.{1,2}\/[^']+)'|\bimport\('(\.{1,2}\/[^']+)'\)/g;

const known = new Map();

/** Whether a file uses a database, and which files of the tests it imports. */
function read(file) {
  if (known.has(file)) return known.get(file);
  const text = readFileSync(file, 'utf8');
  const imports = [...text.matchAll(IMPORTS)]
    .map(([, from, dynamic]) => path.resolve(path.dirname(file), (from ?? dynamic).replace(/\.js$/, '.ts')))
    .filter((imported) => imported.includes(`${path.sep}test${path.sep}`) && existsSync(imported));
  const found = { looks: LOOKS.test(text), imports };
  known.set(file, found);
  return found;
}

function looks(file, seen = new Set()) {
  if (seen.has(file)) return false;
  seen.add(file);
  const { looks: itself, imports } = read(file);
  return itself || imports.some((imported) => looks(imported, seen));
}

async function onADatabase(files) {
  const filtered = files.filter((file) => looks(file));
  console.log(`${files.length - filtered.length} test files that look at no database are not run again.`);
  return { filtered };
}

export { onADatabase as 'module.exports' };
