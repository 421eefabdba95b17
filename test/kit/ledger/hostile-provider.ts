import { createServer, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { listen } from '../process/local-server.js';

/** The answer of a provider instead of the correct one. */
export type Hostility =
  /** Nothing, and the connection stays open. */
  | 'hangs'
  /** A correct beginning, and then one byte at a time, forever. */
  | 'trickles'
  /** One endless body, as fast as it is read. */
  | 'endless'
  /** The same, compressed: a kilobyte expands to a megabyte. */
  | 'compressed'
  /** Nested lists, as many as fit into the maximum size of an answer. */
  | 'deep'
  /** One list of empty objects, as many as fit into the maximum size of an answer. */
  | 'wide'
  /** One object of members with different names, as many as fit into the maximum size of an answer. */
  | 'many_names';

export interface HostileProvider extends AsyncDisposable {
  readonly url: string;
  /** The methods of the received requests. */
  readonly asked: readonly string[];
  /** Sets the hostility from now on. Without one, it returns the answers of the real provider. */
  become(hostility?: Hostility): void;
}

/** An answer may have 1 MiB. A longer one is refused because of its length alone. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** 16 MiB of spaces. Any number of them in a row is one body. */
const COMPRESSED = gzipSync(Buffer.alloc(16 * 1024 * 1024, ' '));

/** An HTTP server in front of a real provider that gives hostile answers. */
export async function hostileProvider(rpcUrl: string, first?: Hostility): Promise<HostileProvider> {
  const asked: string[] = [];
  let hostility = first;
  const timers = new Set<NodeJS.Timeout>();
  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks).toString();
      const { method } = JSON.parse(body) as { readonly method?: string };
      asked.push(method ?? 'batch');
      if (hostility) {
        misbehave(hostility, response, timers);
        return;
      }
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(rpcUrl, { method: 'POST', headers, body });
      response.writeHead(answer.status, headers).end(await answer.text());
    })().catch(() => response.destroy());
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    become(changed) {
      hostility = changed;
    },
    async [Symbol.asyncDispose]() {
      for (const timer of timers) clearInterval(timer);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function misbehave(hostility: Hostility, response: ServerResponse, timers: Set<NodeJS.Timeout>): void {
  if (hostility === 'hangs') return;
  const compressed = hostility === 'compressed' ? { 'content-encoding': 'gzip' } : {};
  response.writeHead(200, { 'content-type': 'application/json', ...compressed });
  if (hostility === 'trickles') {
    response.write('{"jsonrpc":"2.0","id":"1","result":');
    const timer = setInterval(() => response.write(' '), 20);
    timers.add(timer);
    response.on('close', () => clearInterval(timer));
    return;
  }
  if (hostility === 'endless' || hostility === 'compressed') {
    const piece = hostility === 'endless' ? Buffer.alloc(64 * 1024, ' ') : COMPRESSED;
    const push = () => {
      while (!response.destroyed && response.write(piece));
      if (!response.destroyed) response.once('drain', push);
    };
    push();
    return;
  }
  response.end(`{"jsonrpc":"2.0","id":"1","result":${bombOf(hostility)}}`);
}

function bombOf(hostility: 'deep' | 'wide' | 'many_names'): string {
  const room = MAX_ANSWER_BYTES - 100;
  switch (hostility) {
    case 'deep':
      return '['.repeat(room / 2) + ']'.repeat(room / 2);
    case 'wide':
      return `[${'{},'.repeat(room / 3 - 1)}{}]`;
    case 'many_names':
      return `{${Array.from({ length: room / 12 }, (_, at) => `"n${at.toString(36)}":0`).join(',')}}`;
  }
}
