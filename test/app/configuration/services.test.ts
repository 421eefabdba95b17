import { describe, expect, it } from '@jest/globals';
import path from 'node:path';
import { readConfiguration } from '../../../src/app/configuration/index.js';
import { refusal } from './refusal.js';

describe('an OpenID provider', () => {
  const OIDC = {
    OIDC_ISSUER: 'https://id.example/realms/main',
    OIDC_CLIENT_ID: 'lucarne',
    OIDC_CLIENT_SECRET: 'hush',
  };

  it('is read from all of its variables', async () => {
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

  it('is accepted with its URL and its key, over https or on loopback', async () => {
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
  ])('is refused at %s', async (url, message) => {
    const problem = await refusal({ ...KEYED, LUCARNE_SCREENING_URL: url });
    expect(problem).toMatch(/^LUCARNE_SCREENING_URL/);
    expect(problem).toMatch(message);
  });

  it('requires both its URL and its key, and a key that is valid in a header', async () => {
    const url = { LUCARNE_SCREENING_URL: 'https://screening.example' };
    expect(await refusal(url)).toMatch(/^LUCARNE_SCREENING_API_KEY is required/);
    expect(await refusal(KEYED)).toMatch(/^LUCARNE_SCREENING_URL is required/);
    const problem = await refusal({ ...url, LUCARNE_SCREENING_API_KEY: 'hush hush' });
    expect(problem).toMatch(/^LUCARNE_SCREENING_API_KEY must be/);
    expect(problem).not.toContain('hush');
  });
});

describe('a sanctions file', () => {
  const FILE = { LUCARNE_SANCTIONS_FILE: '/lists/sdn.xml' };

  it('may have a maximum age, in whole days', async () => {
    const { sanctions } = await readConfiguration({ ...FILE, LUCARNE_SANCTIONS_MAX_AGE_DAYS: '45' });
    expect(sanctions).toEqual({ file: '/lists/sdn.xml', maxAgeDays: 45 });
    for (const days of ['0', '-1', '1.5', 'month'])
      expect(await refusal({ ...FILE, LUCARNE_SANCTIONS_MAX_AGE_DAYS: days })).toMatch(
        /^LUCARNE_SANCTIONS_MAX_AGE_DAYS/,
      );
  });
});

describe('the relayer', () => {
  const PAYER = '9VtKcJx2mQw7LhR5yNpB8dFgE4uAoTi3ZkWsMqCnXvGb';

  it('reads the addresses of retiring payer accounts', async () => {
    expect(await refusal({ LUCARNE_RELAYER_RETIRING: `${PAYER},relayer.json` })).toMatch(
      /^LUCARNE_RELAYER_RETIRING is “relayer\.json”; it must be the addresses of accounts/,
    );
  });

  it('resolves its files from the working directory, and applies the configured limits', async () => {
    const { relayer } = await readConfiguration({
      LUCARNE_POOLS_FILE: 'pools.json',
      LUCARNE_RELAYER_KEYPAIR_FILE: '/keys/relayer.json, old.json',
      LUCARNE_RELAYER_KEYCHAIN_FILE: 'turnkey.json,/keys/privy.json',
      LUCARNE_RELAYER_KEY: 'pkcs11:token=lucarne;object=one,pkcs11:token=lucarne;object=two',
      LUCARNE_PKCS11_MODULE: '/lib/token.so',
      LUCARNE_PKCS11_PIN_FILE: '/keys/pin',
      LUCARNE_RELAYER_RETIRING: PAYER,
      LUCARNE_RELAY_PER_CLIENT: '6',
      LUCARNE_RELAY_PER_POOL: '60',
      LUCARNE_RELAY_QUEUE: '100',
      LUCARNE_RELAY_RESERVE_LAMPORTS: '1000',
      LUCARNE_RELAY_POOL_LAMPORTS_PER_DAY: '9007199254740991',
      LUCARNE_RELAY_CLIENT_LAMPORTS_PER_DAY: '2000000',
    });
    expect(relayer).toEqual({
      poolsFile: path.resolve('pools.json'),
      keypairFiles: ['/keys/relayer.json', path.resolve('old.json')],
      keychainFiles: [path.resolve('turnkey.json'), '/keys/privy.json'],
      keys: [
        { store: 'pkcs11', locator: 'token=lucarne;object=one' },
        { store: 'pkcs11', locator: 'token=lucarne;object=two' },
      ],
      retiring: [PAYER],
      perClient: 6,
      perPool: 60,
      queue: 100,
      reserveLamports: 1_000,
      poolLamportsPerDay: Number.MAX_SAFE_INTEGER,
      clientLamportsPerDay: 2_000_000,
    });
  });
});
