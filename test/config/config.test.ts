import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fc } from '../kit/properties.js';
import { fastify } from 'fastify';
import { ConfigurationError, readConfiguration, resolveMasterKey } from '../../src/config.js';
import { base64 } from '../../src/kernel/bytes.js';

const POSTGRESQL = { DATABASE_URL: 'postgres://lucarne@db/lucarne' };
const KEY = base64.encode(randomBytes(32));

async function refusal(environment: Record<string, string>): Promise<string> {
  const thrown: unknown = await readConfiguration(environment).then(
    () => expect(environment).toBe('refused'),
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(ConfigurationError);
  return (thrown as ConfigurationError).message;
}

describe('the relayer', () => {
  it('has its files where the process stands, and its limits as they are set', async () => {
    const { relayer } = await readConfiguration({
      LUCARNE_POOLS_FILE: 'pools.json',
      LUCARNE_RELAYER_KEYPAIR_FILE: '/keys/relayer.json',
      LUCARNE_RELAY_PER_CLIENT: '6',
      LUCARNE_RELAY_PER_POOL: '60',
      LUCARNE_RELAY_QUEUE: '100',
      LUCARNE_RELAY_RESERVE_LAMPORTS: '1000',
    });
    expect(relayer).toEqual({
      poolsFile: path.resolve('pools.json'),
      keypairFile: '/keys/relayer.json',
      perClient: 6,
      perPool: 60,
      queue: 100,
      reserveLamports: 1_000,
    });
  });
});

describe('with nothing set', () => {
  const defaults = {
    host: '127.0.0.1',
    port: 4000,
    dataDirectory: path.resolve('.lucarne'),
    roles: new Set(['api', 'indexer', 'relayer']),
    publicUrl: undefined,
    trustProxy: false,
    logLevel: 'info',
    databaseUrl: undefined,
    redisUrl: undefined,
    solanaRpcUrls: [],
    solanaWsUrl: undefined,
    masterKey: undefined,
    oidc: undefined,
    checksPerClient: 600,
    sanctions: undefined,
    screening: undefined,
    relayer: {
      poolsFile: undefined,
      keypairFile: undefined,
      perClient: 60,
      perPool: 600,
      queue: 10_000,
      reserveLamports: 50_000_000,
    },
    demo: true,
    production: false,
  };
  const names = [
    ...['LUCARNE_HOST', 'LUCARNE_PORT', 'LUCARNE_DATA_DIR', 'LUCARNE_ROLES', 'LUCARNE_PUBLIC_URL'],
    ...['LUCARNE_TRUST_PROXY', 'LUCARNE_MASTER_KEY', 'LUCARNE_MASTER_KEY_FILE', 'LUCARNE_LOG_LEVEL'],
    ...['LUCARNE_CHECK_PER_CLIENT', 'LUCARNE_SANCTIONS_FILE', 'LUCARNE_SANCTIONS_MAX_AGE_DAYS'],
    ...['LUCARNE_SCREENING_URL', 'LUCARNE_SCREENING_API_KEY'],
    ...['LUCARNE_POOLS_FILE', 'LUCARNE_RELAYER_KEYPAIR_FILE', 'LUCARNE_RELAY_PER_CLIENT'],
    ...['LUCARNE_RELAY_PER_POOL', 'LUCARNE_RELAY_QUEUE', 'LUCARNE_RELAY_RESERVE_LAMPORTS'],
    ...['LUCARNE_DEMO', 'DATABASE_URL', 'REDIS_URL', 'SOLANA_RPC_URL', 'SOLANA_WS_URL', 'NODE_ENV'],
    ...['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'],
  ];

  it('everything has its default', async () => {
    expect(await readConfiguration({})).toEqual(defaults);
  });

  it('and with variables that are empty, as a compose file leaves them, it has them too', async () => {
    const empty = (value: string) => Object.fromEntries(names.map((name) => [name, value]));
    expect(await readConfiguration(empty(''))).toEqual(defaults);
    expect(await readConfiguration(empty('  '))).toEqual(defaults);
  });
});

describe('a variable', () => {
  it.each([
    ['LUCARNE_HOST', '0.0.0.0', { host: '0.0.0.0' }],
    ['LUCARNE_HOST', ' ::1 ', { host: '::1' }],
    ['LUCARNE_PORT', '0', { port: 0 }],
    ['LUCARNE_PORT', '65534', { port: 65_534 }],
    ['LUCARNE_DATA_DIR', '/var/lib/lucarne/', { dataDirectory: '/var/lib/lucarne' }],
    ['LUCARNE_DATA_DIR', 'data', { dataDirectory: path.resolve('data') }],
    ['LUCARNE_ROLES', 'api', { roles: new Set(['api']) }],
    ['LUCARNE_ROLES', 'relayer, indexer,relayer', { roles: new Set(['relayer', 'indexer']) }],
    ['LUCARNE_PUBLIC_URL', 'https://lucarne.example', { publicUrl: new URL('https://lucarne.example') }],
    ['LUCARNE_LOG_LEVEL', 'silent', { logLevel: 'silent' }],
    ['REDIS_URL', 'rediss://cache:6380', { redisUrl: 'rediss://cache:6380' }],
    ['SOLANA_RPC_URL', 'https://a.example', { solanaRpcUrls: ['https://a.example/'] }],
    ['SOLANA_RPC_URL', 'http://a, https://b?key=1,', { solanaRpcUrls: ['http://a/', 'https://b/?key=1'] }],
    ['LUCARNE_CHECK_PER_CLIENT', '60', { checksPerClient: 60 }],
    [
      'LUCARNE_SANCTIONS_FILE',
      'lists/SDN_ADVANCED.XML',
      { sanctions: { file: path.resolve('lists/SDN_ADVANCED.XML'), maxAgeDays: undefined } },
    ],
    ['LUCARNE_DEMO', '0', { demo: false }],
    ['NODE_ENV', 'production', { production: true, demo: false }],
    ['NODE_ENV', 'development', { production: false }],
  ])('%s of “%s” is taken', async (name, value, expected) => {
    expect(await readConfiguration({ [name]: value })).toMatchObject(expected);
  });

  it.each([
    ['LUCARNE_PORT', '-1'],
    ['LUCARNE_PORT', '65536'],
    ['LUCARNE_PORT', '0x50'],
    ['LUCARNE_PORT', '4e3'],
    ['LUCARNE_PORT', '80 81'],
    ['LUCARNE_ROLES', 'api,king'],
    ['LUCARNE_ROLES', ','],
    ['LUCARNE_ROLES', 'API'],
    ['LUCARNE_PUBLIC_URL', 'lucarne.example'],
    ['LUCARNE_PUBLIC_URL', 'https://lucarne.example/portal'],
    ['LUCARNE_PUBLIC_URL', 'https://lucarne.example/?a=1'],
    ['LUCARNE_PUBLIC_URL', 'ws://lucarne.example'],
    ['LUCARNE_TRUST_PROXY', 'yes'],
    ['LUCARNE_TRUST_PROXY', '10.0.0.0/33'],
    ['LUCARNE_TRUST_PROXY', '10.0.0.0/0'],
    ['LUCARNE_TRUST_PROXY', '10.0.0.0/8/8'],
    ['LUCARNE_TRUST_PROXY', 'loopback,proxy.internal'],
    ['LUCARNE_TRUST_PROXY', '-1'],
    ['LUCARNE_LOG_LEVEL', 'verbose'],
    ['LUCARNE_MASTER_KEY', base64.encode(randomBytes(31))],
    ['LUCARNE_MASTER_KEY', 'k'.repeat(44)],
    ['LUCARNE_MASTER_KEY_FILE', '/nowhere/at/all'],
    ['LUCARNE_CHECK_PER_CLIENT', '0'],
    ['LUCARNE_CHECK_PER_CLIENT', '-5'],
    ['LUCARNE_CHECK_PER_CLIENT', '1.5'],
    ['LUCARNE_CHECK_PER_CLIENT', 'many'],
    ['LUCARNE_SANCTIONS_MAX_AGE_DAYS', '30'],
    ['LUCARNE_SCREENING_URL', 'ftp://screening.example'],
    ['LUCARNE_RELAY_PER_CLIENT', '0'],
    ['LUCARNE_RELAY_PER_POOL', '-1'],
    ['LUCARNE_RELAY_QUEUE', 'endless'],
    ['LUCARNE_RELAY_RESERVE_LAMPORTS', '0.05'],
    ['LUCARNE_DEMO', 'maybe'],
    ['DATABASE_URL', 'mysql://db/lucarne'],
    ['DATABASE_URL', 'lucarne'],
    ['REDIS_URL', 'http://cache'],
    ['SOLANA_RPC_URL', 'ws://node'],
    ['SOLANA_RPC_URL', 'https://node,node'],
    ['SOLANA_WS_URL', 'https://node'],
  ])('%s of “%s” is refused by its name', async (name, value) => {
    expect(await refusal({ [name]: value })).toMatch(new RegExp(`^${name}\\b`));
  });

  it.each([
    ['DATABASE_URL', 'mysql://user:hush@db'],
    ['DATABASE_URL', 'hush'],
    ['REDIS_URL', 'http://:hush@cache'],
    ['SOLANA_RPC_URL', 'ftp://node?api-key=hush'],
    ['SOLANA_WS_URL', 'ftp://node?api-key=hush'],
    ['LUCARNE_PUBLIC_URL', 'https://user:hush@lucarne.example'],
    ['LUCARNE_MASTER_KEY', 'hush'],
    ['LUCARNE_SCREENING_URL', 'ftp://user:hush@screening.example'],
    ['LUCARNE_SCREENING_API_KEY', 'hush'],
  ])('%s that is refused does not repeat the secret in it', async (name, value) => {
    expect(await refusal({ [name]: value })).not.toContain('hush');
  });

  it('is taken or refused, whatever it is, and nothing else happens', async () => {
    const name = fc.constantFrom(
      ...['LUCARNE_PORT', 'LUCARNE_ROLES', 'LUCARNE_PUBLIC_URL', 'LUCARNE_TRUST_PROXY', 'LUCARNE_LOG_LEVEL'],
      ...[
        'LUCARNE_MASTER_KEY',
        'LUCARNE_DEMO',
        'DATABASE_URL',
        'REDIS_URL',
        'SOLANA_RPC_URL',
        'SOLANA_WS_URL',
      ],
    );
    await fc.assert(
      fc.asyncProperty(
        name,
        fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl()),
        async (variable, value) => {
          await readConfiguration({ [variable]: value }).catch((thrown: unknown) => {
            if (!(thrown instanceof ConfigurationError) || !thrown.message.startsWith(variable)) throw thrown;
          });
        },
      ),
    );
  });
});

describe('the proxies that may say who the client is', () => {
  it.each([
    ['10.0.0.0/8, loopback,::1', ['10.1.2.3'], '203.0.113.9'],
    ['fd00::/8', ['fd00::7'], '203.0.113.9'],
    ['192.0.2.1', ['10.1.2.3'], '10.1.2.3'],
    ['true', ['10.1.2.3'], '203.0.113.9'],
    ['false', ['10.1.2.3'], '10.1.2.3'],
    ['0', ['10.1.2.3'], '10.1.2.3'],
    ['1', ['10.1.2.3'], '203.0.113.9'],
    ['2', ['10.1.2.3'], '198.51.100.1'],
  ])('of “%s” are believed, and others are not', async (value, [proxy], client) => {
    const { trustProxy } = await readConfiguration({ LUCARNE_TRUST_PROXY: value });
    const server = fastify({ trustProxy });
    server.get('/', (request) => request.ip);
    const answer = await server.inject({
      url: '/',
      remoteAddress: proxy!,
      // What the client claims, then what the proxy in front saw.
      headers: { 'x-forwarded-for': value === 'true' ? '203.0.113.9' : '198.51.100.1, 203.0.113.9' },
    });
    await server.close();
    expect(answer.body).toBe(client);
  });
});

describe('variables together', () => {
  it('make a demo on a server database only when asked, and never in production', async () => {
    const demo = async (environment: Record<string, string>) => (await readConfiguration(environment)).demo;
    expect(await demo(POSTGRESQL)).toBe(false);
    expect(await demo({ ...POSTGRESQL, LUCARNE_DEMO: '1' })).toBe(true);
    expect(await demo({ ...POSTGRESQL, LUCARNE_DEMO: '1', NODE_ENV: 'production' })).toBe(false);
    expect(await demo({ LUCARNE_DEMO: '1', NODE_ENV: 'production' })).toBe(false);
    expect(await refusal({ LUCARNE_DEMO: 'maybe', NODE_ENV: 'production' })).toContain('LUCARNE_DEMO');
  });

  it('leave the embedded ledger the port after the gateway’s', async () => {
    expect(await refusal({ LUCARNE_PORT: '65535' })).toMatch(/^LUCARNE_PORT .*embedded ledger/);
    const environment = { LUCARNE_PORT: '65535', SOLANA_RPC_URL: 'https://a.example' };
    expect(await readConfiguration(environment)).toMatchObject({ port: 65_535 });
  });

  it('give the embedded ledger no WebSocket of another', async () => {
    const environment = { SOLANA_WS_URL: 'wss://a.example' };
    expect(await refusal(environment)).toMatch(/^SOLANA_WS_URL needs SOLANA_RPC_URL/);
    expect(await readConfiguration({ ...environment, SOLANA_RPC_URL: 'https://a.example' })).toMatchObject({
      solanaWsUrl: 'wss://a.example/',
    });
  });

  it('name one master key', async () => {
    const message = await refusal({ LUCARNE_MASTER_KEY: KEY, LUCARNE_MASTER_KEY_FILE: '/run/key' });
    expect(message).toMatch(/only one of LUCARNE_MASTER_KEY and LUCARNE_MASTER_KEY_FILE/);
    expect(message).not.toContain(KEY);
  });
});

describe('the master key', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), 'lucarne-config-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  const resolve = async (environment: Record<string, string>) =>
    resolveMasterKey(await readConfiguration(environment));

  it('is the variable’s, or the file’s with or without a line end', async () => {
    const file = path.join(directory, 'key');
    expect(base64.encode(await resolve({ LUCARNE_MASTER_KEY: ` ${KEY}\n` }))).toBe(KEY);
    for (const text of [KEY, `${KEY}\n`]) {
      await writeFile(file, text);
      expect(base64.encode(await resolve({ LUCARNE_MASTER_KEY_FILE: file }))).toBe(KEY);
    }
    await writeFile(file, 'hush');
    const message = await refusal({ LUCARNE_MASTER_KEY_FILE: file });
    expect(message).toMatch(/^LUCARNE_MASTER_KEY_FILE must hold 32 bytes in base64/);
    expect(message).not.toContain('hush');
  });

  it('is made once for the embedded database, for its owner’s eyes only, and the same at every start', async () => {
    const environment = { LUCARNE_DATA_DIR: path.join(directory, 'data') };
    const file = path.join(directory, 'data', 'master.key');
    const starts = await Promise.all([1, 2, 3].map(() => resolve(environment)));
    expect(new Set([...starts, await resolve(environment)].map(base64.encode)).size).toBe(1);
    expect(starts[0]).toHaveLength(32);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(path.dirname(file))).mode & 0o777).toBe(0o700);
    expect(await readdir(path.dirname(file))).toEqual(['master.key']);
  });

  it('that is damaged stops the start, and is not written over', async () => {
    const file = path.join(directory, 'master.key');
    await writeFile(file, 'damaged');
    await expect(resolve({ LUCARNE_DATA_DIR: directory })).rejects.toThrow(`${file} must hold 32 bytes`);
    expect(await readFile(file, 'utf8')).toBe('damaged');
  });

  it('must be given with a server database: every instance needs the same', async () => {
    const environment = { ...POSTGRESQL, LUCARNE_DATA_DIR: directory };
    await expect(resolve(environment)).rejects.toThrow(
      /^LUCARNE_MASTER_KEY or LUCARNE_MASTER_KEY_FILE is required with DATABASE_URL/,
    );
    expect(base64.encode(await resolve({ ...environment, LUCARNE_MASTER_KEY: KEY }))).toBe(KEY);
  });
});

describe('an OpenID provider', () => {
  const OIDC = {
    OIDC_ISSUER: 'https://id.example/realms/main',
    OIDC_CLIENT_ID: 'lucarne',
    OIDC_CLIENT_SECRET: 'hush',
  };

  it('is taken as a whole', async () => {
    const { oidc } = await readConfiguration(OIDC);
    expect(oidc).toEqual({ issuer: new URL(OIDC.OIDC_ISSUER), clientId: 'lucarne', clientSecret: 'hush' });
  });

  it.each(Object.keys(OIDC))('is refused without %s, by its name', async (name) => {
    expect(await refusal({ ...OIDC, [name]: '' })).toMatch(new RegExp(`^${name} is required`));
  });

  it.each([
    'http://id.example',
    'ftp://id.example',
    'id.example',
    'https://id.example/?hush=1',
    'https://u:hush@id.example',
  ])('is refused at %s', async (issuer) => {
    const message = await refusal({ ...OIDC, OIDC_ISSUER: issuer });
    expect(message).toMatch(/^OIDC_ISSUER must/);
    expect(message).not.toContain('hush');
  });

  it.each(['http://127.0.0.1:9', 'http://localhost:9', 'http://[::1]:9'])('may be at %s', async (issuer) => {
    const { oidc } = await readConfiguration({ ...OIDC, OIDC_ISSUER: issuer });
    expect(oidc?.issuer.href).toBe(`${issuer}/`);
  });
});

describe('a screening service', () => {
  const KEYED = { LUCARNE_SCREENING_API_KEY: 'k-1' };

  it('is taken with its URL and its key, over https or on loopback', async () => {
    for (const url of ['https://screening.example/base', 'http://127.0.0.1:8080/', 'http://[::1]:8080/']) {
      const { screening } = await readConfiguration({ ...KEYED, LUCARNE_SCREENING_URL: url });
      expect(screening).toEqual({ url: new URL(url), apiKey: 'k-1' });
    }
  });

  it.each([
    ['http://screening.example', /https:/],
    ['https://user@screening.example', /no query, fragment or user/],
    ['https://screening.example/?key=1', /no query, fragment or user/],
    ['https://screening.example/#a', /no query, fragment or user/],
  ])('at %s is refused', async (url, message) => {
    const told = await refusal({ ...KEYED, LUCARNE_SCREENING_URL: url });
    expect(told).toMatch(/^LUCARNE_SCREENING_URL/);
    expect(told).toMatch(message);
  });

  it('needs both, and a key that a header can carry', async () => {
    const url = { LUCARNE_SCREENING_URL: 'https://screening.example' };
    expect(await refusal(url)).toMatch(/^LUCARNE_SCREENING_API_KEY is required/);
    expect(await refusal(KEYED)).toMatch(/^LUCARNE_SCREENING_URL is required/);
    const told = await refusal({ ...url, LUCARNE_SCREENING_API_KEY: 'hush hush' });
    expect(told).toMatch(/^LUCARNE_SCREENING_API_KEY must be/);
    expect(told).not.toContain('hush');
  });
});

describe('a sanctions file', () => {
  const FILE = { LUCARNE_SANCTIONS_FILE: '/lists/sdn.xml' };

  it('may have a greatest age, in whole days', async () => {
    const { sanctions } = await readConfiguration({ ...FILE, LUCARNE_SANCTIONS_MAX_AGE_DAYS: '45' });
    expect(sanctions).toEqual({ file: '/lists/sdn.xml', maxAgeDays: 45 });
    for (const days of ['0', '-1', '1.5', 'month'])
      expect(await refusal({ ...FILE, LUCARNE_SANCTIONS_MAX_AGE_DAYS: days })).toMatch(
        /^LUCARNE_SANCTIONS_MAX_AGE_DAYS/,
      );
  });
});
