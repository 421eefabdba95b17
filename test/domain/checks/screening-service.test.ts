import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { screeningService } from '../../../src/domain/checks/screening/screening-service.js';
import { silentLog, type Log } from '../../../src/platform/kernel/log.js';
import { randomAddress } from '../../kit/ledger/confidential-records.js';
import { eventually } from '../../kit/eventually.js';
import { standingClock } from './kit.js';

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

const IDENTIFICATION = {
  category: 'sanctions',
  name: 'SANCTIONS: OFAC SDN',
  description: 'A party of the list',
  url: 'https://list.example/1',
};

const json =
  (body: unknown, status = 200): Respond =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
const clear = json({ identifications: [] });

describe('a screening service', () => {
  let respond: Respond;
  let seen: IncomingMessage[] = [];
  let lines: string[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    respond(request, response);
  });
  const log: Log = {
    ...silentLog,
    warn: (members, message) => void lines.push(JSON.stringify(members) + message),
  };

  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    seen = [];
    lines = [];
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  function service(clock = standingClock(), path = '') {
    const { port } = server.address() as AddressInfo;
    const url = new URL(`http://127.0.0.1:${port}${path}`);
    const provider = screeningService({ url, apiKey: 'hush-hush', clock, log, timeoutMs: 300 });
    const address = randomAddress();
    return { address, provider, ask: async () => (await provider.screen(address)).outcome };
  }

  it('receives the address, and the key in its header', async () => {
    respond = clear;
    const { address, ask } = service(standingClock(), '/base/');
    expect(await ask()).toBe('clear');
    expect(seen[0]).toMatchObject({ method: 'GET', url: `/base/api/v1/address/${address}` });
    expect(seen[0]!.headers['x-api-key']).toBe('hush-hush');
  });

  it('makes an address sanctioned that it identifies', async () => {
    respond = json({ identifications: [IDENTIFICATION] });
    expect(await service().ask()).toBe('sanctioned');
  });

  const cutOff: Respond = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"identifications":[]}');
    setTimeout(() => response.destroy(), 20);
  };
  const slow: Respond = (_request, response) => {
    response.writeHead(200);
    response.write('{"identifications":');
  };
  it.each<[string, Respond]>([
    ['says nothing in time', () => undefined],
    ['begins an answer and does not end it in time', slow],
    ['answers 429', json({ identifications: [] }, 429)],
    ['answers 500', json('oops', 500)],
    ['answers 404', json({ message: 'no such address' }, 404)],
    ['answers 204', (_request, response) => response.writeHead(204).end()],
    ['sends elsewhere', (_request, response) => response.writeHead(302, { location: '/clear' }).end()],
    ['answers garbage', json('<html>')],
    ['answers what is not UTF-8', (_request, response) => response.end(Buffer.from([0x7b, 0xff]))],
    ['answers nothing', json('')],
    ['answers null', json('null')],
    ['answers a list', json([])],
    ['answers without identifications', json({})],
    ['answers identifications that are no list', json({ identifications: {} })],
    ['answers an identification that is none', json({ identifications: [null] })],
    ['answers an identification without a url', json({ identifications: [{ ...IDENTIFICATION, url: 1 }] })],
    [
      'answers identifications twice',
      json(`{"identifications":[${JSON.stringify(IDENTIFICATION)}],"identifications":[]}`),
    ],
    ['answers too much', json(`{"identifications":[],"more":"${'x'.repeat(70_000)}"}`)],
    ['answers lists in lists', json(`{"identifications":[],"more":${'['.repeat(500)}${']'.repeat(500)}}`)],
    [
      'answers without end',
      (_request, response) => {
        const timer = setInterval(() => response.write('x'.repeat(16_384)), 1);
        response.on('close', () => clearInterval(timer));
      },
    ],
    ['is cut off', cutOff],
    ['hangs up', (request) => request.socket.destroy()],
  ])('gives no answer if it %s', async (_, how) => {
    respond = how;
    expect(await service().ask()).toBe('unavailable');
    expect(lines.join()).not.toContain('hush');
    expect(lines).toHaveLength(1);
  });

  it('gives no answer if it cannot be reached', async () => {
    const provider = screeningService({
      url: new URL('http://127.0.0.1:1'),
      apiKey: 'k',
      clock: standingClock(),
      log: silentLog,
    });
    expect((await provider.screen(randomAddress())).outcome).toBe('unavailable');
  });

  it('is not asked for ten seconds after five failures, and then by one caller', async () => {
    respond = json('down', 500);
    const clock = standingClock();
    const { ask } = service(clock);
    for (let failure = 0; failure < 5; failure += 1) await ask();
    expect(seen).toHaveLength(5);
    expect(await ask()).toBe('unavailable');
    clock.advance(9_999);
    expect(await ask()).toBe('unavailable');
    expect(seen).toHaveLength(5);

    clock.advance(1);
    expect(await Promise.all([ask(), ask(), ask()])).toEqual(Array(3).fill('unavailable'));
    expect(seen).toHaveLength(6);

    respond = clear;
    clock.advance(10_000);
    expect(await ask()).toBe('clear');
    expect(await Promise.all([ask(), ask(), ask()])).toEqual(Array(3).fill('clear'));
  });

  it('is asked again soon if the clock is set back', async () => {
    respond = json('down', 500);
    const clock = standingClock();
    const { ask } = service(clock);
    for (let failure = 0; failure < 5; failure += 1) await ask();
    respond = clear;
    clock.advance(-3_600_000);
    expect(await ask()).toBe('clear');
  });

  it('counts only consecutive failures', async () => {
    const { ask } = service();
    for (let round = 0; round < 3; round += 1) {
      respond = json('down', 500);
      for (let failure = 0; failure < 4; failure += 1) await ask();
      respond = clear;
      expect(await ask()).toBe('clear');
    }
  });

  it('is asked for a client at most 16 times at once, and meanwhile for others', async () => {
    const open: ServerResponse[] = [];
    respond = (_request, response) => void open.push(response);
    const { provider } = service();
    const screen = (client?: string) => provider.screen(randomAddress(), client);
    const crowd = Array.from({ length: 16 }, () => screen('192.0.2.1'));
    expect(await screen('192.0.2.1')).toEqual({ outcome: 'unavailable' });
    const others = [screen('192.0.2.2'), screen()];
    await eventually(
      () => open.length,
      (count) => count === 18,
    );
    for (const response of open) response.end('{"identifications":[]}');
    for (const { outcome } of await Promise.all([...crowd, ...others])) expect(outcome).toBe('clear');
    respond = clear;
    expect(await screen('192.0.2.1')).toEqual({ outcome: 'clear' });
  });

  it('is asked for relays while clients use all that they may', async () => {
    const open: ServerResponse[] = [];
    respond = (_request, response) => void open.push(response);
    const { provider } = service();
    const screen = (client?: string) => provider.screen(randomAddress(), client);
    const crowd = Array.from({ length: 48 }, (_, index) => screen(`192.0.2.${index % 4}`));
    expect(await screen('192.0.2.9')).toEqual({ outcome: 'unavailable' });
    const relays = Array.from({ length: 16 }, () => screen());
    expect(await screen()).toEqual({ outcome: 'unavailable' });
    await eventually(
      () => open.length,
      (count) => count === 64,
    );
    for (const response of open) response.end('{"identifications":[]}');
    for (const { outcome } of await Promise.all([...crowd, ...relays])) expect(outcome).toBe('clear');
  });

  it('is asked by at most 64 callers at once', async () => {
    const open: ServerResponse[] = [];
    respond = (_request, response) => void open.push(response);
    const { ask } = service();
    const asked = Array.from({ length: 80 }, ask);
    expect(await Promise.race(asked.slice(64))).toBe('unavailable');
    for (const outcome of await Promise.all(asked)) expect(outcome).toBe('unavailable');
    expect(open.length).toBeLessThanOrEqual(64);
  });
});
