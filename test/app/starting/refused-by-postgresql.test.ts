import { expect, it } from '@jest/globals';
import { createTestDatabase } from '../../kit/database/database.js';
import { describeOnPostgresql } from '../../kit/database/on-postgresql.js';
import { run, temporaryDirectory } from '../gateway-process.js';
import { isOneSentence, QUIET } from './one-sentence.js';

describeOnPostgresql('a start that PostgreSQL refuses', () => {
  const key = { LUCARNE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') };

  it.each([
    {
      is: 'the database does not exist',
      change: (url: URL) => (url.pathname = '/lucarne_nowhere'),
      sentence: /^The database “lucarne_nowhere” does not exist\. Create it, or correct DATABASE_URL\.\n$/,
    },
    {
      is: 'the user does not exist',
      change: (url: URL) => (url.username = 'nobody_at_all'),
      sentence:
        /^The database refuses the user “nobody_at_all”\. Correct the user and the password in DATABASE_URL\.\n$/,
    },
  ])('explains the fix in one sentence if $is', async ({ change, sentence }) => {
    await using database = await createTestDatabase();
    await using directory = await temporaryDirectory();
    const url = new URL(database.url!);
    change(url);
    const environment = { ...QUIET, ...key, LUCARNE_DATA_DIR: directory.path, DATABASE_URL: url.href };
    isOneSentence(await run(['serve'], environment), sentence);
    isOneSentence(await run(['migrate'], environment), sentence);
  });

  it('ends instead of connecting in plaintext if the connection must be encrypted', async () => {
    await using database = await createTestDatabase();
    await using directory = await temporaryDirectory();
    const url = `${database.url!}?sslmode=verify-full`;
    const ended = await run(['migrate'], { ...key, LUCARNE_DATA_DIR: directory.path, DATABASE_URL: url });
    expect(ended.exitCode).toBe(1);
    expect(ended.errors).toMatch(/SSL|certificate/i);
  });
});
