import { existsSync, readFileSync } from 'node:fs';

/** The folder of Lucarne's `package.json`, with a final slash. It is the same for code in `src/` and in `dist/`. */
export const packageRoot: URL = findPackageRoot(new URL('./', import.meta.url));

/** The version in `package.json`. */
export const packageVersion: string = (
  JSON.parse(readFileSync(new URL('package.json', packageRoot), 'utf8')) as { version: string }
).version;

function findPackageRoot(folder: URL): URL {
  return existsSync(new URL('package.json', folder)) ? folder : findPackageRoot(new URL('../', folder));
}
