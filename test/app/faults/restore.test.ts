import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newestCheckpoint, type SignedCheckpoint } from '../../../src/domain/activity-log/index.js';
import { createAsset } from '../../../src/domain/assets/index.js';
import { EURO } from '../../domain/assets/kit.js';
import { connectDatabase, type Foundation } from '../../../src/platform/database/index.js';
import { entities } from '../../../src/app/storage/entities.js';
import { act, sequence } from '../../domain/activity-log/kit.js';
import { exportOf } from '../../domain/activity-log/exporting/exported-log.js';
import { seedOrganization, type SeededOrganization, testFoundation } from '../../kit/seed.js';
import { type KeyRoom, openKeyRoom } from '../../platform/keys/key-room.js';
import { run, startGateway, temporaryDirectory } from '../gateway-process.js';
import { describeWithServers } from '../../kit/database/on-postgresql.js';
import { startPrimary, superuserUrl, type TestServer } from '../../kit/database/postgresql-servers.js';

const command = promisify(execFile);

const ROLE = 'lucarne_serve';
const DATABASE = 'lucarne';

describeWithServers('a database that is restored from a backup, on a new server', () => {
  const parts = new AsyncDisposableStack();
  let replacement: TestServer;
  let room: KeyRoom;
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
  let home: SeededOrganization;
  let asset: Awaited<ReturnType<typeof createAsset>>;
  let backedUp: SignedCheckpoint;
  let lost: SignedCheckpoint;
  const file = (name: string) => path.join(directory.path, name);

  async function inDatabase<Result>(
    url: string,
    work: (foundation: Foundation) => Promise<Result>,
  ): Promise<Result> {
    await using opened = await connectDatabase({ entities, target: { url } });
    const { sealer } = await room.gateway(opened);
    return await work({ ...testFoundation(opened), sealer });
  }
  const environmentOf = (url: string) => ({
    ...{ DATABASE_URL: url, LUCARNE_DATA_DIR: directory.path, LUCARNE_MASTER_KEY_FILE: room.file },
    LUCARNE_ROLES: 'api',
  });

  /** Restores the backup into a new database, and returns its name. */
  async function restore(): Promise<string> {
    const name = `lucarne_restored_${randomBytes(6).toString('hex')}`;
    await command('psql', ['--quiet', superuserUrl(replacement), '--command', `create database ${name}`]);
    await command('pg_restore', [
      '--exit-on-error',
      '--no-owner',
      `--dbname=${superuserUrl(replacement, name)}`,
      file('lucarne.dump'),
    ]);
    return name;
  }

  beforeAll(async () => {
    directory = parts.use(await temporaryDirectory());
    room = parts.use(await openKeyRoom());
    const lostServer = parts.use(await startPrimary());
    const inLost = (sql: string) => command('psql', ['--quiet', superuserUrl(lostServer), '--command', sql]);
    await inLost(`create role ${ROLE} login`);
    await inLost(`create database ${DATABASE}`);
    const url = superuserUrl(lostServer, DATABASE);
    expect(await run(['migrate', '--serve-as', ROLE], environmentOf(url))).toMatchObject({ exitCode: 0 });
    await inDatabase(url, async (foundation) => {
      home = await seedOrganization(foundation);
      asset = await createAsset(foundation, home.apiKey.principal, EURO);
      await sequence(foundation);
      backedUp = await newestCheckpoint(foundation.database, home.organization.id);
      await command('pg_dump', ['--format=custom', `--file=${file('lucarne.dump')}`, url]);
      await act(foundation, home.organization.id, 3);
      await sequence(foundation);
      lost = await newestCheckpoint(foundation.database, home.organization.id);
      await writeFile(file('backed-up.txt'), backedUp.note);
      await writeFile(file('lost.txt'), lost.note);
    });
    await lostServer.kill();
    replacement = parts.use(await startPrimary());
    // The backup has the privileges of the role that serves, and not the role.
    await command('psql', ['--quiet', superuserUrl(replacement), '--command', `create role ${ROLE} login`]);
  }, 480_000);
  afterAll(() => parts.disposeAsync(), 120_000);

  it('is served with its keys by the role that serves, and is found to be a fork of the log that others hold a checkpoint of', async () => {
    const name = await restore();
    const environment = environmentOf(replacement.url(ROLE, name));
    const before = await run(
      ['doctor', '--checkpoint', file('backed-up.txt'), file('lost.txt')],
      environment,
    );
    expect(before.exitCode).toBe(1);
    for (const check of ['database role', 'master key', 'auditor keys', 'signing keys'])
      expect(before.output).toMatch(new RegExp(`^ok +${check} `, 'm'));
    expect(before.output).toMatch(/^ok +checkpoint +The stored log continues .*backed-up\.txt\.$/m);
    expect(before.output).toMatch(
      /^failed +checkpoint +.*lost\.txt: The checkpoint covers \d+ entries of \S+, but only \d+ are stored: entries were lost\. .*“After a restore” in docs\/operate\.md\.$/m,
    );

    await using gateway = await startGateway(environment);
    const answer = await fetch(`${gateway.url}/v1/assets/${asset.id}`, {
      headers: { authorization: `Bearer ${home.apiKey.secret}` },
    });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ auditorElGamalPubkey: asset.auditorElGamalPubkey });
    await gateway.kill('SIGTERM');

    // It continues with the same key, past the size of the lost log.
    await inDatabase(superuserUrl(replacement, name), async (foundation) => {
      await act(foundation, home.organization.id, 5);
      await sequence(foundation);
    });
    const forked = await run(['doctor', '--checkpoint', file('lost.txt')], environment);
    expect(forked.exitCode).toBe(1);
    expect(forked.output).toMatch(
      /does not continue the checkpoint: two logs with the same name were signed\. .*“After a restore”/,
    );
  }, 480_000);

  it('continues honestly under a new key, which disowns what the old one signed since the backup', async () => {
    const url = superuserUrl(replacement, await restore());
    const environment = environmentOf(url);
    const reason = 'Restored from the backup of 2026-11-22';
    const resumed = await run(
      ['log', 'resume', '--organization', home.organization.id, '--reason', reason, '--json'],
      environment,
    );
    expect(resumed).toMatchObject({ exitCode: 0, errors: '' });
    expect(JSON.parse(resumed.output)).toEqual({ epoch: 2, fromIndex: backedUp.size });
    const text = await inDatabase(url, async (foundation) => {
      await act(foundation, home.organization.id, 9);
      await sequence(foundation);
      return exportOf(foundation.database, home.organization.id);
    });
    await writeFile(file('log.json'), text);
    expect(text).toContain(reason);
    const verify = (since: string) =>
      run(
        [
          'log',
          'verify',
          file('log.json'),
          '--complete',
          '--key',
          backedUp.verifierKey,
          '--since',
          file(since),
        ],
        {},
      );
    expect(await verify('backed-up.txt')).toMatchObject({ exitCode: 0, errors: '' });
    const refused = await verify('lost.txt');
    expect(refused.exitCode).toBe(1);
    expect(refused.output).toContain(
      `The only key that signed the checkpoint of ${lost.size} entries is declared compromised as of index ${backedUp.size}.`,
    );
    const examined = await run(['doctor', '--checkpoint', file('backed-up.txt')], environment);
    expect(examined).toMatchObject({ exitCode: 0, errors: '' });
    expect(await readFile(file('lost.txt'), 'utf8')).toBe(lost.note);
  }, 480_000);
});
