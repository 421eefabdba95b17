import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setInterval } from 'node:timers';
import { base58 } from '#lucarne/platform/kernel/encoding/bytes.js';

/** How a provider answers: like the ledger, never, or one byte per second. */
export type Manner = 'answers' | 'hangs' | 'trickles';

export interface Provider extends AsyncDisposable {
  readonly url: string;
  /** When it received each transaction, by signature, in milliseconds of this process. */
  readonly sent: ReadonlyMap<string, readonly number[]>;
  /** From now on, it accepts transactions without forwarding them. */
  swallow(): void;
}

/** A provider in front of the ledger at `rpcUrl`, over HTTP. */
export async function startProvider(rpcUrl: string, manner: Manner): Promise<Provider> {
  const sent = new Map<string, number[]>();
  let swallows = false;
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks).toString('utf8');
      const { id, method, params } = JSON.parse(body) as Question;
      const signature = method === 'sendTransaction' ? signatureOf(params[0]) : undefined;
      if (signature !== undefined) sent.set(signature, [...(sent.get(signature) ?? []), performance.now()]);
      if (manner === 'hangs') return;
      const headers = { 'content-type': 'application/json' };
      if (manner === 'trickles') {
        trickle(response.writeHead(200, headers));
      } else if (signature !== undefined && swallows) {
        response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: '2.0', id, result: signature }));
      } else {
        const answer = await fetch(rpcUrl, { method: 'POST', headers, body });
        response.writeHead(answer.status, headers).end(await answer.text());
      }
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent,
    swallow() {
      swallows = true;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Question {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** The first signature of a wire transaction in base64. One byte with the number of signatures precedes it. */
const signatureOf = (wire: unknown) => base58.encode(Buffer.from(String(wire), 'base64').subarray(1, 65));

function trickle(response: ServerResponse): void {
  response.write('{"jsonrpc":"2.0",');
  const timer = setInterval(() => response.write(' '), 1_000);
  response.on('close', () => clearInterval(timer));
}
