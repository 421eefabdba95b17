import { expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openDatabase } from '../../../src/app/storage/open-database.js';
import { formatElGamalKeypair, generateElGamalKeypair } from '../../../src/platform/crypto/index.js';
import { base64 } from '../../../src/platform/kernel/encoding/bytes.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { letSettle } from '../../platform/keys/key-room.js';
import { dataDirectory, run, temporaryDirectory } from '../../app/gateway-process.js';

const PASSWORD = 'correct horse battery staple';

it('creates an organization, a user and API keys, and revokes a key', async () => {
  await using parts = new AsyncDisposableStack();
  const directory = parts.use(await temporaryDirectory());
  // On PostgreSQL, the commands work while a gateway runs, with the master key of every instance.
  const url = process.env['DATABASE_URL'] && parts.use(await createTestDatabase()).url;
  const environment = {
    LUCARNE_DATA_DIR: directory.path,
    LUCARNE_MASTER_KEY: randomBytes(32).toString('base64'),
    ...(url ? { DATABASE_URL: url } : {}),
  };
  const answer = async (parameters: string[], input?: string) => {
    const { exitCode, output, errors } = await run([...parameters, '--json'], environment, input);
    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
    return JSON.parse(output) as Record<string, unknown>;
  };
  const refused = (parameters: string[], input?: string) => run(parameters, environment, input);

  const owner = ['--owner-name', 'Olga Owner', '--owner-email', 'olga@northwind.example'];
  const create = ['organization', 'create', '--name', 'Northwind', ...owner, '--password-stdin'];
  if (!url) {
    expect(await refused(create, PASSWORD)).toMatchObject({
      exitCode: 1,
      errors: 'The database is not up to date. Run: lucarne migrate\n',
    });
  }
  await answer(['migrate']);
  expect(await answer(['migrate'])).toEqual({ applied: [] });

  expect(await refused(create, 'short')).toMatchObject({
    exitCode: 2,
    errors: expect.stringContaining('owner.password must have at least 12 characters'),
  });
  const { id } = await answer(create, `${PASSWORD}\n`);
  const organization = ['--organization', String(id)];

  const user = ['user', 'create', ...organization, '--name', 'Otto', '--email', 'otto@northwind.example'];
  const member = await answer([...user, '--role', 'owner', '--password-stdin'], PASSWORD);
  expect(member).toMatchObject({
    permissions: { owner: expect.arrayContaining(['api_keys:manage']), applications: [] },
  });
  expect(JSON.stringify(member)).not.toContain(PASSWORD);
  expect(await refused([...user, '--password-stdin'], PASSWORD)).toMatchObject({
    exitCode: 1,
    errors: 'The e-mail address already belongs to a member.\n',
  });

  const importKey = ['auditor-key', 'import', ...organization, '--reason', 'Mints of our former gateway'];
  const keypair = generateElGamalKeypair();
  const text = formatElGamalKeypair(keypair);
  expect(await answer(importKey, `${text}\n`)).toMatchObject({
    epoch: 1,
    auditorElGamalPubkey: base64.encode(keypair.publicKey),
    imported: true,
  });
  expect(await refused(importKey, text)).toMatchObject({
    exitCode: 1,
    errors: 'The organization already has this auditor key.\n',
  });
  expect(await refused(importKey, 'none')).toMatchObject({
    exitCode: 2,
    errors: expect.stringContaining('keypair must be a JSON array of 64 numbers'),
  });

  const key = await answer(['api-key', 'create', ...organization, '--name', 'B', '--scope', 'assets:read']);
  expect(key['secret']).toMatch(/^lck_/);
  expect(await refused(['api-key', 'create', ...organization, '--name', 'B', '--scope', 'x'])).toMatchObject({
    exitCode: 2,
    errors: expect.stringContaining('assets:read'),
  });
  expect(await refused(['log', 'erase', ...organization, '--user', String(member['id'])])).toMatchObject({
    exitCode: 1,
    errors: 'The user is a member: end the membership first.\n',
  });
  const listed = await refused(['api-key', 'list', ...organization, '--json']);
  expect(JSON.parse(listed.output)).toMatchObject([{ id: key['id'], revokedAt: null }]);
  expect(listed.output).not.toContain(key['secret']);

  const revoked = await answer(['api-key', 'revoke', String(key['id']), ...organization]);
  expect(revoked['revokedAt']).not.toBeNull();
  const other = ['--organization', 'org_01kaj5zz3xfjtb8wq2m7v4c9ye'];
  expect(await refused(['api-key', 'revoke', String(key['id']), ...other])).toMatchObject({
    exitCode: 1,
    errors: 'No such organization.\n',
  });
}, 480_000);

it('changes the master key, reseals everything with it, and retires the old one', async () => {
  await using parts = new AsyncDisposableStack();
  const directory = parts.use(await dataDirectory());
  const database = process.env['DATABASE_URL'] ? parts.use(await createTestDatabase()) : undefined;
  const file = path.join(directory.path, 'master.key');
  const newKey = () => `${randomBytes(32).toString('base64')}\n`;
  await writeFile(file, newKey(), { mode: 0o600 });
  const environment = {
    ...{ LUCARNE_DATA_DIR: directory.path, LUCARNE_MASTER_KEY_FILE: file },
    ...(database?.url ? { DATABASE_URL: database.url } : {}),
  };
  const say = async (parameters: string[], input?: string) => {
    const { exitCode, output, errors } = await run(parameters, environment, input);
    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: expect.any(String) });
    return output;
  };
  const refused = (parameters: string[]) => run(parameters, environment);
  const status = async () =>
    JSON.parse(await say(['master-key', 'status', '--json'])) as {
      readonly masterKeys: readonly { readonly version: number; readonly retiredAt: string | null }[];
    };

  await say(['migrate']);
  expect(await say(['master-key', 'status'])).toContain('The database has no master key yet');
  expect(await refused(['master-key', 'rotate'])).toMatchObject({
    exitCode: 1,
    errors: 'The database has no master key yet. Start the gateway once.\n',
  });
  const owner = ['--owner-name', 'Olga Owner', '--owner-email', 'olga@northwind.example'];
  const created = await say(
    ['organization', 'create', '--name', 'Northwind', ...owner, '--password-stdin', '--json'],
    PASSWORD,
  );
  const { id } = JSON.parse(created) as { readonly id: string };
  const keypair = formatElGamalKeypair(generateElGamalKeypair());
  const importKey = [
    'auditor-key',
    'import',
    '--organization',
    id,
    '--reason',
    'Mints of our former gateway',
  ];
  await say(importKey, keypair);
  expect(await say(['master-key', 'status'])).toMatch(/^Version 1: .*, in use\.$/m);

  expect(await refused(['master-key', 'retire', 'one'])).toMatchObject({ exitCode: 2 });
  expect(await refused(['master-key', 'retire', '1'])).toMatchObject({
    exitCode: 1,
    errors: expect.stringContaining('Version 1 is in use. Run “lucarne master-key rotate”'),
  });
  expect(await say(['master-key', 'rotate'])).toMatch(/^Version 2 .* Run “lucarne master-key reseal” next/);
  // The new key was added to the file, for every gateway.
  expect((await readFile(file, 'utf8')).trim().split('\n')).toHaveLength(2);
  expect(await refused(['master-key', 'retire', '1'])).toMatchObject({
    exitCode: 1,
    errors: expect.stringContaining('Run “lucarne master-key reseal” first.'),
  });
  expect(await say(['master-key', 'reseal'])).toContain('Run “lucarne master-key retire VERSION” next.');
  expect(await refused(['master-key', 'retire', '1'])).toMatchObject({
    exitCode: 1,
    errors: expect.stringMatching(/in use for less than 300 s\. Run the command again in \d+ s\.\n$/),
  });

  await using opened = new AsyncDisposableStack();
  await letSettle(await openDatabase({ databaseUrl: database?.url, dataDirectory: directory.path }, opened));
  await opened.disposeAsync();
  expect(await say(['master-key', 'retire', '1'])).toMatch(/^Version 1 is retired, and [1-9]\d* data keys/);
  expect((await status()).masterKeys).toMatchObject([
    { version: 1, retiredAt: expect.any(String) },
    { version: 2, retiredAt: null },
  ]);
  expect(await refused(['master-key', 'retire', '1'])).toMatchObject({
    exitCode: 1,
    errors: 'Version 1 is already retired.\n',
  });

  // No command needs the old key anymore.
  await writeFile(file, (await readFile(file, 'utf8')).trim().split('\n')[1]!);
  const again = await run(importKey, environment, keypair);
  expect(again).toMatchObject({ exitCode: 1, errors: 'The organization already has this auditor key.\n' });
}, 480_000);
