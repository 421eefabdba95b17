import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { fastify } from 'fastify';
import { readConfiguration } from '../../../src/app/configuration/index.js';
import { base64 } from '../../../src/platform/kernel/encoding/bytes.js';
import { POSTGRESQL, refusal } from './refusal.js';

const KEY = base64.encode(randomBytes(32));

describe('combined settings', () => {
  it('create demo data on a server database only when asked, and never in production', async () => {
    const demo = async (environment: Record<string, string>) => (await readConfiguration(environment)).demo;
    expect(await demo(POSTGRESQL)).toBe(false);
    expect(await demo({ ...POSTGRESQL, LUCARNE_DEMO: '1' })).toBe(true);
    const production = {
      ...POSTGRESQL,
      NODE_ENV: 'production',
      LUCARNE_PUBLIC_URL: 'https://lucarne.example',
    };
    expect(await demo({ ...production, LUCARNE_DEMO: '1' })).toBe(false);
    expect(await refusal({ ...production, LUCARNE_DEMO: 'maybe' })).toContain('LUCARNE_DEMO');
  });

  it('reserve the port after the gateway’s port for the embedded ledger', async () => {
    expect(await refusal({ LUCARNE_PORT: '65535' })).toMatch(/^LUCARNE_PORT .*embedded ledger/);
    const environment = { LUCARNE_PORT: '65535', SOLANA_RPC_URL: 'https://a.example' };
    expect(await readConfiguration(environment)).toMatchObject({ port: 65_535 });
  });

  it('allow replicas only with a server database, and each replica only once', async () => {
    const one = 'postgres://lucarne@one/lucarne';
    expect(await refusal({ DATABASE_REPLICA_URLS: one })).toMatch(
      /^DATABASE_REPLICA_URLS needs DATABASE_URL/,
    );
    const replicas = (urls: string) => ({
      ...POSTGRESQL,
      LUCARNE_MASTER_KEY: KEY,
      DATABASE_REPLICA_URLS: urls,
    });
    expect(await readConfiguration(replicas(`${one}, postgres://lucarne@two/lucarne`))).toMatchObject({
      databaseReplicaUrls: [one, 'postgres://lucarne@two/lucarne'],
    });
    expect(await refusal(replicas(`${one},${one}`))).toMatch(/each host and port only once/);
    expect(await refusal(replicas(`${one},mysql://user:hush@two`))).not.toContain('hush');
  });

  it('refuse the WebSocket of another ledger with the embedded ledger', async () => {
    const environment = { SOLANA_WS_URL: 'wss://a.example' };
    expect(await refusal(environment)).toMatch(/^SOLANA_WS_URL needs SOLANA_RPC_URL/);
    expect(await readConfiguration({ ...environment, SOLANA_RPC_URL: 'https://a.example' })).toMatchObject({
      solanaWsUrls: ['wss://a.example/'],
    });
    const two = { ...environment, SOLANA_WS_URL: 'wss://a.example,wss://b.example' };
    expect(await refusal({ ...two, SOLANA_RPC_URL: 'https://a.example' })).toMatch(
      /^SOLANA_WS_URL .*at most one/,
    );
    expect(
      await readConfiguration({ ...two, SOLANA_RPC_URL: 'https://a.example,https://b.example' }),
    ).toMatchObject({
      solanaWsUrls: ['wss://a.example/', 'wss://b.example/'],
    });
  });

  it('allow only one source for the master key', async () => {
    const message = await refusal({ LUCARNE_MASTER_KEY: KEY, LUCARNE_MASTER_KEY_FILE: '/run/key' });
    expect(message).toMatch(/only one of LUCARNE_MASTER_KEY and LUCARNE_MASTER_KEY_FILE/);
    expect(message).not.toContain(KEY);
  });
});

describe('the proxies that may set the client address', () => {
  it.each([
    ['10.0.0.0/8, loopback,::1', ['10.1.2.3'], '203.0.113.9'],
    ['fd00::/8', ['fd00::7'], '203.0.113.9'],
    ['192.0.2.1', ['10.1.2.3'], '10.1.2.3'],
    ['true', ['10.1.2.3'], '203.0.113.9'],
    ['false', ['10.1.2.3'], '10.1.2.3'],
    ['0', ['10.1.2.3'], '10.1.2.3'],
    ['1', ['10.1.2.3'], '203.0.113.9'],
    ['2', ['10.1.2.3'], '198.51.100.1'],
  ])('are those that the setting “%s” names, and no others', async (value, [proxy], client) => {
    const { trustProxy } = await readConfiguration({ LUCARNE_TRUST_PROXY: value });
    const server = fastify({ trustProxy });
    server.get('/', (request) => request.ip);
    const answer = await server.inject({
      url: '/',
      remoteAddress: proxy!,
      // The address that the client claims, then the address that the proxy saw.
      headers: { 'x-forwarded-for': value === 'true' ? '203.0.113.9' : '198.51.100.1, 203.0.113.9' },
    });
    await server.close();
    expect(answer.body).toBe(client);
  });
});
