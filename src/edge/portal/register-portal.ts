import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type PortalFile, readPortalFiles } from './portal-files.js';
import { PORTAL_HEADERS } from './portal-headers.js';

export interface PortalOptions {
  /** The directory of the built page. */
  readonly directory: string;
}

const PORTAL_PATH = '/portal/';
const PAGE = 'index.html';

/**
 * Serves the portal under `/portal/`: its files from memory, and the page itself for every other path, because the page has
 * its own router. A request selects a file only by a key of the map that was read at startup, so no path escapes.
 */
export async function registerPortal(app: FastifyInstance, { directory }: PortalOptions): Promise<void> {
  const files = await readPortalFiles(directory);
  const page = files.get(PAGE);
  if (!page) return;
  app.get('/', (_, reply) => reply.redirect(PORTAL_PATH, 302));
  app.get(PORTAL_PATH.slice(0, -1), (_, reply) => reply.redirect(PORTAL_PATH, 302));
  app.get<{ Params: { '*': string } }>(`${PORTAL_PATH}*`, (request, reply) => {
    const name = request.params['*'];
    const file = files.get(name);
    if (file) return sendFile(request, reply, file);
    // A file of an older build no longer exists. The page in its place would fail as a script without an error message.
    if (name.startsWith('assets/')) {
      reply.callNotFound();
      return reply;
    }
    return sendFile(request, reply, page);
  });
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: PortalFile): FastifyReply {
  void reply.headers({
    ...PORTAL_HEADERS,
    'cache-control': file.caching,
    etag: file.etag,
    vary: 'accept-encoding',
  });
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send();
  void reply.type(file.type);
  const accepted = request.headers['accept-encoding'] ?? '';
  const encoding = (['br', 'gzip'] as const).find((name) => file[name] && accepted.includes(name));
  if (!encoding) return reply.send(file.bytes);
  return reply.header('content-encoding', encoding).send(file[encoding]);
}
