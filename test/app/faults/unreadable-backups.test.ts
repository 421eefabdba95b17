import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { entities } from '../../../src/app/storage/entities.js';
import { connectDatabase, type Database, sql } from '../../../src/platform/database/index.js';
import {
  announceDataKeys,
  readMasterKeys,
  reseal,
  retireMasterKey,
  rotateMasterKey,
  WrongMasterKey,
} from '../../../src/platform/keys/index.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { describeOnPostgresql } from '../../kit/database/on-postgresql.js';
import {
  letSettle,
  onlyKey,
  opened,
  openGateway,
  openKeyRoom,
  storedPieces,
  storePieces,
} from '../../platform/keys/key-room.js';
import { temporaryDirectory } from '../gateway-process.js';

const command = promisify(execFile);
const PIECES = 20;

describeOnPostgresql('backups of a database whose keys are changed twice', () => {
  it('cannot be decrypted with any remaining key', async () => {
    await using directory = await temporaryDirectory();
    await using database = await createTestDatabase();
    await using room = await openKeyRoom();
    const operator = room.operator(database);
    const dumpOf = (name: string) => path.join(directory.path, `${name}.dump`);
    const backUp = (name: string) =>
      command('pg_dump', ['--format=custom', `--file=${dumpOf(name)}`, database.url!]);
    const sealAgain = async () => {
      await announceDataKeys(operator);
      await reseal({ ...operator, sealer: (await room.gateway(database)).sealer });
      // Skips the five minutes in which `retire` is refused.
      await letSettle(database);
    };

    await storePieces(database, (await room.gateway(database)).sealer, 'one', PIECES);
    await backUp('before');
    await rotateMasterKey(operator);
    await backUp('between');
    await database.rows(sql`delete from report_chunks where content_id = 'one' and chunk_index = 0`);
    await sealAgain();
    await retireMasterKey(operator, 1);
    await backUp('after');
    await rotateMasterKey(operator);
    await sealAgain();
    await retireMasterKey(operator, 2);

    const keys = await readMasterKeys('the file', room.file);
    expect(keys).toHaveLength(3);
    /** The number of values that can be opened with each version of the master key alone. */
    const openWithEach = async (restored: Database) => {
      const counts: number[] = [];
      for (const key of keys) {
        try {
          counts.push(
            opened((await openGateway(restored, onlyKey(key))).sealer, await storedPieces(restored)),
          );
        } catch (thrown) {
          if (!(thrown instanceof WrongMasterKey)) throw thrown;
          counts.push(0);
        }
      }
      return counts;
    };
    const restored = async (name: string) => {
      const copy = `lucarne_backup_${randomBytes(6).toString('hex')}`;
      await command('psql', ['--quiet', database.url!, '--command', `create database ${copy}`]);
      try {
        const url = new URL(database.url!);
        url.pathname = `/${copy}`;
        const options = ['--exit-on-error', '--no-owner', `--dbname=${url.href}`];
        await command('pg_restore', [...options, dumpOf(name)]);
        await using backup = await connectDatabase({ entities, target: { url: url.href } });
        return await openWithEach(backup);
      } finally {
        await command('psql', ['--quiet', database.url!, '--command', `drop database ${copy} with (force)`]);
      }
    };
    expect({
      before: await restored('before'),
      between: await restored('between'),
      after: await restored('after'),
      database: await openWithEach(database),
    }).toEqual({
      before: [PIECES, 0, 0],
      between: [0, PIECES, 0],
      after: [0, PIECES - 1, 0],
      database: [0, 0, PIECES - 1],
    });
  }, 480_000);
});
