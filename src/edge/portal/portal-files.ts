import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

export interface PortalFile {
  readonly type: string;
  readonly etag: string;
  readonly caching: string;
  readonly bytes: Buffer;
  readonly br: Buffer;
  readonly gzip: Buffer;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
/** Names under `assets/` carry a hash of their content. */
const FOREVER = 'public, max-age=31536000, immutable';
/** Brotli's 11 takes seconds for the last few per cent. */
const BROTLI_QUALITY = 9;

/** The built page by file name, in memory and compressed once; empty where nothing was built. */
export async function readPortalFiles(directory: string): Promise<ReadonlyMap<string, PortalFile>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  const found = await Promise.all(
    entries.flatMap((entry) => {
      const type = TYPES[path.extname(entry.name)];
      if (!entry.isFile() || type === undefined) return [];
      const file = path.join(entry.parentPath, entry.name);
      const name = path.relative(directory, file).split(path.sep).join('/');
      return [readFile(file).then(async (bytes) => [name, await portalFile(name, type, bytes)] as const)];
    }),
  );
  return new Map(found);
}

async function portalFile(name: string, type: string, bytes: Buffer): Promise<PortalFile> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  return {
    type,
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    caching: name.startsWith('assets/') ? FOREVER : 'no-cache',
    bytes,
    br: await promisify(brotliCompress)(bytes, { params }),
    gzip: await promisify(gzip)(bytes, { level: 9 }),
  };
}
