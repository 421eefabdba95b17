// Jest's `--filter`: selects only test files whose result can depend on the database. The others already ran on the embedded
// database: neither they nor the test files that they import use DATABASE_URL or the database of the global setup. Of the
// stories in a browser, a few are selected.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const LOOKS = /process\.env(\.|\[')(DATABASE_URL|REDIS_URL)|TEMPLATE_VARIABLE|\.\.\.process\.env/;
const IMPORTS = /\bfrom '(\.{1,2}\/[^']+)'|\bimport\('(\.{1,2}\/[^']+)'\)/g;

/**
 * The page asks the gateway over HTTP, like any client: which database answers makes no difference to it. What its operations
 * do on PostgreSQL is tested without a browser, in `test/domain` and `test/edge`. These stories show that the two fit together:
 * they open every place, sign in, change things, and follow what other people change.
 */
const PORTAL_STORIES = [
  'places/places',
  'accounts/sign-in',
  'organization/everyday',
  'accounts/two-browsers',
].map((name) => path.resolve(import.meta.dirname, `../../portal/${name}.test.ts`));
const missing = PORTAL_STORIES.filter((file) => !existsSync(file));
if (missing.length > 0) throw new Error(`${missing.join(', ')} is missing: list a similar story here.`);

const known = new Map();

/** Whether a file uses a database, whether it has stories of the page, and which files of the tests it imports. */
function read(file) {
  if (known.has(file)) return known.get(file);
  const text = readFileSync(file, 'utf8');
  const imports = [...text.matchAll(IMPORTS)]
    .map(([, from, dynamic]) => path.resolve(path.dirname(file), (from ?? dynamic).replace(/\.js$/, '.ts')))
    .filter((imported) => imported.includes(`${path.sep}test${path.sep}`) && existsSync(imported));
  const found = { looks: LOOKS.test(text), isOfPage: /^portalStories\(/m.test(text), imports };
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
  const looking = files.filter((file) => looks(file));
  const filtered = looking.filter((file) => !read(file).isOfPage || PORTAL_STORIES.includes(file));
  console.log(
    `${files.length - looking.length} test files that look at no database are not run again, and neither are ` +
      `${looking.length - filtered.length} files with stories of the page.`,
  );
  return { filtered };
}

export { onADatabase as 'module.exports' };
