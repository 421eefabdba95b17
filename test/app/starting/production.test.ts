import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readConfiguration } from '../../../src/app/configuration/index.js';
import { ConfigurationError } from '../../../src/platform/kernel/configuration-error.js';
import { temporaryDirectory } from '../gateway-process.js';

const PRODUCTION = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://lucarne@10.1.2.3/lucarne',
  LUCARNE_PUBLIC_URL: 'https://lucarne.example',
};

async function refusal(environment: Record<string, string>): Promise<string> {
  const thrown: unknown = await readConfiguration({ ...PRODUCTION, ...environment }).then(
    () => expect(environment).toBe('refused'),
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(ConfigurationError);
  return (thrown as ConfigurationError).message;
}

describe('in production', () => {
  it('the required settings are sufficient: no demo, and five seconds for proxies to notice a stop', async () => {
    expect(await readConfiguration(PRODUCTION)).toMatchObject({
      ...{ production: true, demo: false, drainMs: 5_000 },
    });
  });

  it('the embedded database is refused, because it serves one process and can lose the last commits', async () => {
    expect(await refusal({ DATABASE_URL: '' })).toMatch(
      /^DATABASE_URL is required in production: .*PostgreSQL/,
    );
  });

  it('cookies without Secure are refused: a public https URL is required', async () => {
    expect(await refusal({ LUCARNE_PUBLIC_URL: '' })).toMatch(
      /^LUCARNE_PUBLIC_URL is required in production: .*Set it to the origin/,
    );
    expect(await refusal({ LUCARNE_PUBLIC_URL: 'http://lucarne.example' })).toMatch(
      /^LUCARNE_PUBLIC_URL must begin with https:\/\/ in production/,
    );
    for (const url of ['http://localhost:4000', 'http://127.0.0.1:4000', 'http://[::1]:4000'])
      expect(await readConfiguration({ ...PRODUCTION, LUCARNE_PUBLIC_URL: url })).toBeDefined();
  });

  it('key files that other users can read are refused, and the error contains the command that fixes them', async () => {
    await using directory = await temporaryDirectory();
    const file = path.join(directory.path, 'master.key');
    await writeFile(file, randomBytes(32).toString('base64'));
    const names = ['MASTER_KEY_FILE', 'RELAYER_KEYPAIR_FILE', 'RELAYER_KEYCHAIN_FILE'];
    for (const name of names.map((each) => `LUCARNE_${each}`)) {
      for (const [mode, shownMode] of [
        [0o644, '0644'],
        [0o640, '0640'],
        [0o602, '0602'],
      ] as const) {
        await chmod(file, mode);
        expect(await refusal({ [name]: file })).toBe(
          `${name} can be read or changed by other users (mode ${shownMode}). Run: chmod 0400 ${file}`,
        );
        expect(await readConfiguration({ [name]: file })).toBeDefined();
      }
      for (const mode of [0o600, 0o400]) {
        await chmod(file, mode);
        expect(await readConfiguration({ ...PRODUCTION, [name]: file })).toBeDefined();
      }
    }
  });
});

describe('an unencrypted connection, in production', () => {
  const PUBLIC = [
    ['DATABASE_URL', 'postgres://u:hush@db.example/lucarne', 'postgresql'],
    ['DATABASE_URL', 'postgres://u:hush@203.0.113.5/lucarne', 'postgresql'],
    ['DATABASE_URL', 'postgres://u:hush@db.example/lucarne?sslmode=prefer', 'postgresql'],
    ['DATABASE_URL', 'postgres://u:hush@db/lucarne?host=db.example', 'postgresql'],
    ['REDIS_URL', 'redis://:hush@cache.example', 'redis'],
    ['SOLANA_RPC_URL', 'https://one.example,http://two.example?key=hush', 'rpc'],
    ['SOLANA_RPC_URL', 'http://[2001:db8::1]', 'rpc'],
  ] as const;

  it.each(PUBLIC)(
    '%s of “%s” is refused, unless %s is named as encrypted otherwise',
    async (name, url, link) => {
      const message = await refusal({ [name]: url });
      expect(message).toMatch(
        new RegExp(`^${name} names an unencrypted connection .*LUCARNE_PLAINTEXT_LINKS=${link}\\.$`),
      );
      expect(message).not.toContain('hush');
      const allowed = { ...PRODUCTION, [name]: url, LUCARNE_PLAINTEXT_LINKS: link };
      expect((await readConfiguration(allowed)).plaintextLinks).toEqual(new Set([link]));
      const other = link === 'rpc' ? 'redis' : 'rpc';
      expect(await refusal({ [name]: url, LUCARNE_PLAINTEXT_LINKS: other })).toBe(message);
    },
  );

  it('is refused to a replica, too', async () => {
    const replica = { DATABASE_REPLICA_URLS: 'postgres://u:hush@replica.example/lucarne' };
    const message = await refusal(replica);
    expect(message).toMatch(
      /^DATABASE_REPLICA_URLS names an unencrypted connection .*LUCARNE_PLAINTEXT_LINKS=postgresql/,
    );
    expect(message).not.toContain('hush');
  });

  it('is refused for the WebSocket of an encrypted provider, too', async () => {
    const rpc = { SOLANA_RPC_URL: 'https://one.example' };
    expect(await refusal({ ...rpc, SOLANA_WS_URL: 'ws://one.example' })).toMatch(
      /^SOLANA_WS_URL names an unencrypted/,
    );
  });

  it.each([
    ['DATABASE_URL', 'postgres://u@127.0.0.1/lucarne'],
    ['DATABASE_URL', 'postgres://u@postgresql:5432/lucarne'],
    ['DATABASE_URL', 'postgres://u@db.prod.svc.cluster.local/lucarne'],
    ['DATABASE_URL', 'postgres:///lucarne?host=/var/run/postgresql'],
    ['DATABASE_URL', 'postgres://u@db.example/lucarne?sslmode=verify-full'],
    ['DATABASE_URL', 'postgres://u@db.example/lucarne?ssl=true'],
    ['REDIS_URL', 'redis://172.16.0.9:6379'],
    ['REDIS_URL', 'rediss://cache.example'],
    ['SOLANA_RPC_URL', 'http://[fd00::9]:8899,http://192.168.1.1:8899'],
  ])('%s with the value “%s” is accepted: it is private, or encrypted', async (name, url) => {
    expect(await readConfiguration({ ...PRODUCTION, [name]: url })).toMatchObject({ production: true });
  });

  it('is allowed outside of production', async () => {
    for (const [name, url] of PUBLIC) expect(await readConfiguration({ [name]: url })).toBeDefined();
  });
});
