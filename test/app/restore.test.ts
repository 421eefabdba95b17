import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newestCheckpoint, type SignedCheckpoint } from '../../src/domain/activity-log/index.js';
import { createAsset } from '../../src/domain/assets/index.js';
import { EURO } from '../domain/assets/kit.js';
import { connectDatabase, type Foundation } from '../../src/platform/database/index.js';
import { entities } from '../../src/app/storage/entities.js';
import { act, sequence } from '../domain/activity-log/kit.js';
import { exportOf } from '../domain/activity-log/exported-log.js';
import { createTestDatabase } from '../kit/database.js';
import { seedOrganization, type SeededOrganization, testFoundation } from '../kit/seed.js';
import { type KeyRoom, openKeyRoom } from '../platform/keys/key-room.js';
import { run, startGateway, temporaryDirectory } from './gateway-process.js';
import { describeOnPostgresql } from '../kit/on-postgresql.js';

const command = promisify(execFile);

describeOnPostgresql('a database that is restored from a backup', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let room: KeyRoom;
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
  let home: SeededOrganization;
  let asset: Awaited<ReturnType<typeof createAsset>>;
  let backedUp: SignedCheckpoint;
  let lost: SignedCheckpoint;
  const restoredNames: string[] = [];
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

  /** Restores the backup into a fresh database. */
  async function restore(): Promise<string> {
    const name = `lucarne_restored_${randomBytes(6).toString('hex')}`;
    restoredNames.push(name);
    await command('psql', ['--quiet', database.url!, '--command', `create database ${name}`]);
    const url = new URL(database.url!);
    url.pathname = `/${name}`;
    await command('pg_restore', [
      '--exit-on-error',
      '--no-owner',
      `--dbname=${url.href}`,
      file('lucarne.dump'),
    ]);
    return url.href;
  }

  beforeAll(async () => {
    directory = await temporaryDirectory();
    database = await createTestDatabase();
    room = await openKeyRoom();
    await inDatabase(database.url!, async (foundation) => {
      home = await seedOrganization(foundation);
      asset = await createAsset(foundation, home.apiKey.principal, EURO);
      await sequence(foundation);
      backedUp = await newestCheckpoint(foundation.database, home.organization.id);
      await command('pg_dump', ['--format=custom', `--file=${file('lucarne.dump')}`, database.url!]);
      await act(foundation, home.organization.id, 3);
      await sequence(foundation);
      lost = await newestCheckpoint(foundation.database, home.organization.id);
      await writeFile(file('backed-up.txt'), backedUp.note);
      await writeFile(file('lost.txt'), lost.note);
    });
  }, 120_000);
  afterAll(async () => {
    for (const name of restoredNames)
      await command('psql', ['--quiet', database.url!, '--command', `drop database ${name} with (force)`]);
    await room[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
    await directory[Symbol.asyncDispose]();
  });

  it('is served with its keys, and is found to be a fork of the log that others hold a checkpoint of', async () => {
    const url = await restore();
    const environment = environmentOf(url);
    const before = await run(
      ['doctor', '--checkpoint', file('backed-up.txt'), file('lost.txt')],
      environment,
    );
    expect(before.exitCode).toBe(1);
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
    await inDatabase(url, async (foundation) => {
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
    const url = await restore();
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
      `A checkpoint of ${lost.size} entries is signed only by a key that was declared compromised from index ${backedUp.size} on.`,
    );
    const examined = await run(['doctor', '--checkpoint', file('backed-up.txt')], environment);
    expect(examined).toMatchObject({ exitCode: 0, errors: '' });
    expect(await readFile(file('lost.txt'), 'utf8')).toBe(lost.note);
  }, 480_000);
});
