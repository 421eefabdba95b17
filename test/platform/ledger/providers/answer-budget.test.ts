import { afterEach, describe, expect, it } from '@jest/globals';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { AnswerBudget } from '../../../../src/platform/ledger/providers/answer-budget.js';
import { callJsonRpc } from '../../../../src/platform/ledger/providers/json-rpc.js';
import { atLeast, eventually } from '../../../kit/eventually.js';
import { listen } from '../../../kit/process/local-server.js';
import { hostileProvider, type Hostility } from '../../../kit/ledger/hostile-provider.js';

const KIB = 1024;
const CALLS = 16;
/** What 16 answers may hold without waiting, plus one complete answer, and one chunk for each answer that waits. */
const MAX_HELD_BYTES = CALLS * 512 * KIB + 1024 * KIB + CALLS * 64 * KIB;

describe('the responses of one provider', () => {
  const servers: Server[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  async function provider(respond: (response: ServerResponse, ordinal: number) => void): Promise<string> {
    let ordinal = 0;
    const server = createServer((request, response) => {
      request.resume();
      request.on('end', () => respond(response, (ordinal += 1)));
    });
    servers.push(server);
    return `http://127.0.0.1:${await listen(server)}`;
  }

  function asking(url: string) {
    const budget = new AnswerBudget();
    const ask = (closed = new AbortController().signal) =>
      callJsonRpc(url, 'getTransaction', [], { timeoutMs: 600_000, closed, budget });
    return { budget, ask };
  }

  const answerOf = (bytes: number) => JSON.stringify({ jsonrpc: '2.0', id: '1', result: 'x'.repeat(bytes) });

  it.each<Hostility>(['endless', 'compressed', 'wide', 'many_names', 'deep'])(
    'hold a limited number of bytes while sixteen hostile ones arrive at once: %s',
    async (hostility) => {
      await using hostile = await hostileProvider('http://127.0.0.1:1', hostility);
      const { budget, ask } = asking(hostile.url);
      const asked = await Promise.allSettled(Array.from({ length: CALLS }, () => ask()));
      for (const one of asked) expect(one).toMatchObject({ reason: { kind: 'nonsense' } });
      expect(budget.mostHeld).toBeLessThanOrEqual(MAX_HELD_BYTES);
      expect(budget.held).toBe(0);
    },
  );

  it('are complete even if many valid ones are large', async () => {
    const url = await provider((response) => response.end(answerOf(900 * KIB)));
    const { budget, ask } = asking(url);
    const results = await Promise.all(Array.from({ length: CALLS }, () => ask()));
    expect(new Set(results)).toEqual(new Set(['x'.repeat(900 * KIB)]));
    expect(budget.mostHeld).toBeGreaterThan(512 * KIB);
    expect(budget.mostHeld).toBeLessThanOrEqual(MAX_HELD_BYTES);
    expect(budget.held).toBe(0);
  });

  it('wait for a large one that does not end, except for small ones', async () => {
    const url = await provider((response, ordinal) => {
      if (ordinal === 1) response.write(answerOf(900 * KIB).slice(0, 700 * KIB));
      else response.end(answerOf(ordinal <= 3 ? 900 * KIB : 10));
    });
    const { budget, ask } = asking(url);
    const until = (bytes: number) => eventually(() => budget.held, atLeast(bytes));
    const [stuck, waiting] = [new AbortController(), new AbortController()];
    const first = Promise.allSettled([ask(stuck.signal)]);
    await until(700 * KIB);
    const second = Promise.allSettled([ask(waiting.signal)]);
    await until(1_212 * KIB);
    const third = ask();
    await until(1_724 * KIB);
    expect(await ask()).toBe('x'.repeat(10));

    // Its timeout ends while it waits.
    waiting.abort();
    expect(await second).toMatchObject([{ reason: { kind: 'unreachable' } }]);
    stuck.abort();
    expect(await first).toMatchObject([{ reason: { kind: 'unreachable' } }]);
    expect(await third).toBe('x'.repeat(900 * KIB));
    expect(budget.held).toBe(0);
  });
});
