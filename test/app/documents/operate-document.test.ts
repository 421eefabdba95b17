import { expect, it } from '@jest/globals';
import path from 'node:path';
import { keyStatus } from '../../../src/platform/keys/index.js';
import { DIGESTS } from '../../../src/platform/keys/data-key-rows.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { describeOnPostgresql } from '../../kit/database/on-postgresql.js';
import { ROOT, temporaryDirectory } from '../gateway-process.js';
import { commandsOf, longCommandsOf, paste } from './pasted-commands.js';

describeOnPostgresql('the commands for operators', () => {
  it('set up a gateway, back it up, and restore it', async () => {
    await using database = await createTestDatabase();
    await using directory = await temporaryDirectory();
    const url = database.url!;
    const restored = `${url}_restored`;
    const blocks = (await commandsOf('docs/operate.md')).map((block) =>
      block
        .replaceAll('postgres://lucarne@db.example/lucarne_restored', restored)
        .replaceAll('postgres://lucarne@db.example/lucarne', url)
        .replaceAll('lucarne_restored', path.basename(restored))
        .replaceAll('npx lucarne', `node ${path.join(ROOT, 'bin/lucarne.mjs')}`),
    );
    try {
      const { output, ended } = await paste(blocks, { LUCARNE_DATA_DIR: directory.path }, directory.path);
      expect(ended).toMatchObject({ exitCode: 0 });
      expect(output[1]).toMatch(/^lck_/m);
      expect(output.at(-1)).toMatch(/The database is up to date\.\nkey_\w+ {2}lck_\S+ {2}active/);
    } finally {
      const drop = `drop database if exists ${path.basename(restored)}`;
      await paste([`psql --quiet '${url}' --command '${drop}'`], {});
    }
  }, 480_000);

  it('leave no data key that an earlier master key wrapped, when they make old backups unreadable', async () => {
    await using database = await createTestDatabase();
    await using directory = await temporaryDirectory();
    const url = database.url!;
    const settle = `psql --quiet '${url}' --command "update data_keys set usable_at = usable_at - interval '5 minutes'"`;
    const setUp = (await commandsOf('docs/operate.md')).slice(0, 2);
    const rounds = await longCommandsOf('docs/operate.md', 'Make backups unreadable');
    const blocks = [...setUp, ...rounds].map((block) =>
      block
        .replaceAll('postgres://lucarne@db.example/lucarne', url)
        .replaceAll('sleep 60', settle)
        .replaceAll('npx lucarne', `node ${path.join(ROOT, 'bin/lucarne.mjs')}`),
    );
    const { ended } = await paste(blocks, { LUCARNE_DATA_DIR: directory.path }, directory.path);
    expect(ended).toMatchObject({ exitCode: 0, errors: expect.not.stringContaining('is not retired') });
    const { masterKeys, dataKeys } = await keyStatus(database);
    expect(masterKeys.map(({ retiredAt }) => retiredAt !== null)).toEqual([true, true, false]);
    const left = dataKeys.filter(({ purpose, destroyedAt }) => purpose !== DIGESTS && !destroyedAt);
    expect(new Set(left.map(({ firstMasterVersion }) => firstMasterVersion))).toEqual(new Set([3]));
  }, 480_000);
});
