import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { readConfiguration } from '../../../src/app/configuration/index.js';
import { ConfigurationError } from '../../../src/platform/kernel/configuration-error.js';
import { base64 } from '../../../src/platform/kernel/encoding/bytes.js';
import { fc } from '../../kit/properties.js';
import { refusal } from './refusal.js';

describe('with nothing set', () => {
  const defaults = {
    host: '127.0.0.1',
    port: 4000,
    dataDirectory: path.resolve('.lucarne'),
    roles: new Set(['api', 'indexer', 'relayer']),
    publicUrl: undefined,
    allowedOrigins: [],
    auditorKeyExport: false,
    trustProxy: false,
    logLevel: 'info',
    databaseUrl: undefined,
    databaseReplicaUrls: [],
    replicaMaxLagMs: 100,
    redisUrl: undefined,
    solanaRpcUrls: [],
    solanaWsUrls: [],
    plaintextLinks: new Set(),
    serveAsOwner: false,
    drainMs: 0,
    masterKey: undefined,
    keyStores: {},
    oidc: undefined,
    smtp: undefined,
    checksPerClient: 600,
    sanctions: undefined,
    screening: undefined,
    relayer: {
      poolsFile: undefined,
      keypairFiles: [],
      keychainFiles: [],
      keys: [],
      retiring: [],
      perClient: 60,
      perPool: 600,
      queue: 10_000,
      reserveLamports: 50_000_000,
      poolLamportsPerDay: 100_000_000_000,
      clientLamportsPerDay: 10_000_000_000,
    },
    demo: true,
    demoData: true,
    production: false,
  };
  const names = [
    ...['LUCARNE_HOST', 'LUCARNE_PORT', 'LUCARNE_DATA_DIR', 'LUCARNE_ROLES', 'LUCARNE_PUBLIC_URL'],
    'LUCARNE_ALLOWED_ORIGINS',
    ...['LUCARNE_TRUST_PROXY', 'LUCARNE_MASTER_KEY', 'LUCARNE_MASTER_KEY_FILE', 'LUCARNE_LOG_LEVEL'],
    ...['LUCARNE_CHECK_PER_CLIENT', 'LUCARNE_SANCTIONS_FILE', 'LUCARNE_SANCTIONS_MAX_AGE_DAYS'],
    ...['LUCARNE_SCREENING_URL', 'LUCARNE_SCREENING_API_KEY'],
    ...['LUCARNE_PKCS11_MODULE', 'LUCARNE_PKCS11_PIN_FILE', 'LUCARNE_RELAYER_KEY'],
    'LUCARNE_RELAYER_RETIRING',
    ...['LUCARNE_POOLS_FILE', 'LUCARNE_RELAYER_KEYPAIR_FILE', 'LUCARNE_RELAY_PER_CLIENT'],
    'LUCARNE_RELAYER_KEYCHAIN_FILE',
    ...['LUCARNE_RELAY_PER_POOL', 'LUCARNE_RELAY_QUEUE', 'LUCARNE_RELAY_RESERVE_LAMPORTS'],
    ...['LUCARNE_DEMO', 'LUCARNE_DEMO_DATA', 'DATABASE_URL', 'REDIS_URL', 'SOLANA_RPC_URL'],
    ...['SOLANA_WS_URL', 'NODE_ENV'],
    ...['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'LUCARNE_SMTP_URL', 'LUCARNE_SMTP_FROM'],
    ...['LUCARNE_DRAIN_MS', 'LUCARNE_PLAINTEXT_LINKS', 'LUCARNE_SERVE_AS_OWNER'],
    ...['LUCARNE_AUDITOR_KEY_EXPORT', 'LUCARNE_VAULT_ADDR', 'LUCARNE_VAULT_TOKEN_FILE'],
    'GOOGLE_SDK_NODE_LOGGING',
  ];

  it('everything has its default', async () => {
    expect(await readConfiguration({})).toEqual(defaults);
  });

  it('everything has its default if variables are empty, as in a compose file', async () => {
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
    ['LUCARNE_ALLOWED_ORIGINS', 'https://a.example', { allowedOrigins: ['https://a.example'] }],
    [
      'LUCARNE_ALLOWED_ORIGINS',
      'https://a.example/, http://localhost:5173,',
      { allowedOrigins: ['https://a.example', 'http://localhost:5173'] },
    ],
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
    ['LUCARNE_REPLICA_MAX_LAG_MS', '250', { replicaMaxLagMs: 250 }],
    ['LUCARNE_DEMO_DATA', '0', { demoData: false }],
    ['LUCARNE_DRAIN_MS', '0', { drainMs: 0 }],
    ['LUCARNE_DRAIN_MS', '60000', { drainMs: 60_000 }],
    ['LUCARNE_PLAINTEXT_LINKS', 'redis, rpc', { plaintextLinks: new Set(['redis', 'rpc']) }],
    ['LUCARNE_SERVE_AS_OWNER', '1', { serveAsOwner: true }],
    ['LUCARNE_AUDITOR_KEY_EXPORT', '1', { auditorKeyExport: true }],
    ['NODE_ENV', 'development', { production: false }],
  ])('%s with the value “%s” is accepted', async (name, value, expected) => {
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
    ['LUCARNE_ALLOWED_ORIGINS', '*'],
    ['LUCARNE_ALLOWED_ORIGINS', 'https://a.example https://b.example'],
    ['LUCARNE_ALLOWED_ORIGINS', 'https://a.example/portal'],
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
    ['LUCARNE_DRAIN_MS', '-1'],
    ['LUCARNE_DRAIN_MS', '5s'],
    ['LUCARNE_DRAIN_MS', '60001'],
    ['LUCARNE_PLAINTEXT_LINKS', 'all'],
    ['LUCARNE_SERVE_AS_OWNER', 'perhaps'],
    ['LUCARNE_DEMO', 'maybe'],
    ['LUCARNE_DEMO_DATA', 'maybe'],
    ['LUCARNE_REPLICA_MAX_LAG_MS', '0'],
    ['DATABASE_REPLICA_URLS', 'postgres://db/lucarne'],
    ['DATABASE_REPLICA_URLS', 'db'],
    ['DATABASE_URL', 'mysql://db/lucarne'],
    ['DATABASE_URL', 'lucarne'],
    ['REDIS_URL', 'http://cache'],
    ['SOLANA_RPC_URL', 'ws://node'],
    ['SOLANA_RPC_URL', 'https://node,node'],
    ['SOLANA_WS_URL', 'https://node'],
  ])('%s with the value “%s” is refused, and the error names the variable', async (name, value) => {
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
  ])('%s that is refused does not have its secret repeated in the error', async (name, value) => {
    expect(await refusal({ [name]: value })).not.toContain('hush');
  });

  it('is accepted or refused, and causes no other error, for any value', async () => {
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

describe('an unknown variable', () => {
  it.each([
    ['LUCARNE_PROT', 'LUCARNE_PORT'],
    ['LUCARNE_MASTERKEY_FILE', 'LUCARNE_MASTER_KEY_FILE'],
    ['LUCARNE_RELAY_PER_CLIENTS', 'LUCARNE_RELAY_PER_CLIENT'],
    ['LUCARNE_PUBLIC_URI', 'LUCARNE_PUBLIC_URL'],
  ])('%s is refused, and %s suggested', async (name, meant) => {
    expect(await refusal({ [name]: 'hush' })).toBe(
      `${name} is not a setting of Lucarne. Did you mean ${meant}?`,
    );
  });

  it('is refused without a suggestion when it resembles no setting, and also when it is empty', async () => {
    expect(await refusal({ LUCARNE_TELEPATHY_MODE: '' })).toBe(
      'LUCARNE_TELEPATHY_MODE is not a setting of Lucarne. docs/configuration.md lists them all.',
    );
  });

  it('is ignored if it belongs to another program', async () => {
    const others = { PATH: '/bin', LUCARNES: '1', DATABASE_URI: 'x', lucarne_port: '1' };
    expect(await readConfiguration(others)).toMatchObject({ port: 4000 });
  });
});
