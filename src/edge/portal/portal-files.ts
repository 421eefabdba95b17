import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

export interface PortalFile {
  readonly type: string;
  readonly etag: string;
  readonly caching: string;
  readonly bytes: Buffer;
  /** Undefined if the build was not completed. The file is then sent uncompressed. */
  readonly br: Buffer | undefined;
  readonly gzip: Buffer | undefined;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
/** Names under `assets/` contain a hash of their content. */
const FOREVER = 'public, max-age=31536000, immutable';

/** The built page by file name, in memory, with the compressed copies of the build. Empty if nothing was built. */
export async function readPortalFiles(directory: string): Promise<ReadonlyMap<string, PortalFile>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  const found = await Promise.all(
    entries.flatMap((entry) => {
      const type = TYPES[path.extname(entry.name)];
      if (!entry.isFile() || type === undefined) return [];
      const file = path.join(entry.parentPath, entry.name);
      const name = path.relative(directory, file).split(path.sep).join('/');
      return [portalFile(name, file, type).then((read) => [name, read] as const)];
    }),
  );
  return new Map(found);
}

async function portalFile(name: string, file: string, type: string): Promise<PortalFile> {
  const [bytes, br, gzip] = await Promise.all([
    readFile(file),
    compressed(`${file}.br`),
    compressed(`${file}.gz`),
  ]);
  return {
    type,
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    caching: name.startsWith('assets/') ? FOREVER : 'no-cache',
    ...{ bytes, br, gzip },
  };
}

const compressed = (file: string) => readFile(file).catch(() => undefined);
