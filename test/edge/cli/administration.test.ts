import { expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { formatElGamalKeypair, generateElGamalKeypair } from '../../../src/platform/crypto/index.js';
import { base64 } from '../../../src/platform/kernel/encoding/bytes.js';
import { createTestDatabase } from '../../kit/database.js';
import { run, temporaryDirectory } from '../../app/gateway-process.js';

const PASSWORD = 'correct horse battery staple';

it('creates an organization, a user and API keys, and revokes a key', async () => {
  await using parts = new AsyncDisposableStack();
  const directory = parts.use(await temporaryDirectory());
  // On PostgreSQL the commands work while a gateway runs, with the master key that every instance has.
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
}, 240_000);
