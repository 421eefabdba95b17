// A ledger node with a generated history and faults: JSON-RPC over HTTP, two providers of one cluster, in a separate process.
import 'reflect-metadata';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { faultOf, type Fault } from './faults.ts';
import { makeHistory } from './history.ts';
import type { Templates } from './templates.ts';

export type NodeRequest =
  { readonly templates: Templates; readonly count: number } | { readonly faulty: boolean };

export interface NodeReply {
  readonly rpcUrls: readonly string[];
  readonly wsUrl: string;
}

interface Question {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly [string, { readonly limit?: number; readonly before?: string }?];
}

const PROVIDERS = 2;
const FINALIZATION_SLOTS = 32;
/** How far a lagging node is behind. */
const LAG_SLOTS = 50;

let isFaulty = true;
let asked = 0;
let tip = 0;
let mintAccount: unknown;
/** Serialized results, so that the node is fast and is not the part that is measured. */
const answers = new Map<string, string>();
/** By address, oldest first. */
const histories = new Map<string, { readonly entries: string[]; readonly places: Map<string, number> }>();

process.on('message', (request: NodeRequest) => {
  if ('faulty' in request) {
    isFaulty = request.faulty;
    process.send?.({});
  } else void begin(request.templates, request.count);
});

async function begin(templates: Templates, count: number): Promise<void> {
  mintAccount = templates.mintAccount;
  for (const { signature, slot, blockTime, failed, mentions, answer } of makeHistory(templates, count)) {
    tip = slot + FINALIZATION_SLOTS;
    answers.set(signature, JSON.stringify(answer));
    const { err } = failed ? answer.meta : { err: null };
    const row = { signature, slot, err, memo: null, blockTime, confirmationStatus: 'finalized' };
    const entry = JSON.stringify(row);
    for (const address of mentions) {
      const history = histories.get(address) ?? { entries: [], places: new Map<string, number>() };
      histories.set(address, history);
      history.places.set(signature, history.entries.length);
      history.entries.push(entry);
    }
  }
  const ports = await Promise.all(Array.from({ length: PROVIDERS }, listen));
  const reply: NodeReply = {
    rpcUrls: ports.map((port) => `http://127.0.0.1:${port}`),
    wsUrl: `ws://127.0.0.1:${ports[0]}`,
  };
  process.send?.(reply);
}

function listen(): Promise<number> {
  const server = createServer((incoming, response) => {
    asked += 1;
    void respond(incoming, response, isFaulty ? faultOf(asked) : undefined).catch(() => response.destroy());
  });
  new WebSocketServer({ server }).on('connection', (socket) => {
    socket.on('message', (data: Buffer) => {
      const { id } = JSON.parse(data.toString('utf8')) as { id: number };
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: id }));
    });
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

async function respond(
  incoming: IncomingMessage,
  response: ServerResponse,
  fault: Fault | undefined,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const question = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Question | Question[];
  if (fault === 'drop') {
    response.destroy();
    return;
  }
  if (fault === 'busy' || fault === 'broken') {
    response.writeHead(fault === 'busy' ? 429 : 500).end();
    return;
  }
  if (fault === 'late') await new Promise((resolve) => setTimeout(resolve, 30));
  const lags = fault === 'stale';
  const replies = Array.isArray(question)
    ? question.map((one, index) => replyTo(one, lags && index === 0))
    : [replyTo(question, lags)];
  if (fault === 'partial' && replies.length > 1) replies.pop();
  const text = Array.isArray(question) ? `[${replies.join(',')}]` : replies[0]!;
  const headers = { 'content-type': 'application/json', 'content-length': text.length };
  response.writeHead(200, headers);
  if (fault === 'cut') response.write(text.slice(0, text.length / 2), () => response.destroy());
  else response.end(text);
}

/** A lagging node has an older slot, refuses requests for a newer one, and does not have the transaction. */
function replyTo({ id, method, params }: Question, lags: boolean): string {
  const result = (text: string) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}`;
  const error = (code: number, message: string) =>
    JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
  const [subject, page] = params;
  switch (method) {
    case 'getTransaction':
      return result(lags ? 'null' : (answers.get(subject) ?? 'null'));
    case 'getSlot':
      return result(String(lags ? tip - LAG_SLOTS : tip));
    case 'getSignaturesForAddress':
      if (lags) return error(-32016, 'Minimum context slot has not been reached');
      return result(pageOf(subject, page));
    case 'getAccountInfo':
      if (lags) return error(-32016, 'Minimum context slot has not been reached');
      return result(JSON.stringify({ context: { slot: tip }, value: mintAccount }));
    default:
      return error(-32601, 'Method not found');
  }
}

function pageOf(
  address: string,
  { limit = 1_000, before }: { limit?: number; before?: string } = {},
): string {
  const history = histories.get(address);
  if (!history) return '[]';
  const end = before === undefined ? history.entries.length : (history.places.get(before) ?? 0);
  return `[${history.entries
    .slice(Math.max(0, end - limit), end)
    .reverse()
    .join(',')}]`;
}
