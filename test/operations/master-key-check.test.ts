import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { createSealer } from '../../src/crypto/index.js';
import { jsonb, sql, type Database } from '../../src/database/index.js';
import { checkMasterKey, WrongMasterKey } from '../../src/operations/index.js';
import { createTestDatabase } from '../kit/database.js';

describe('the master key', () => {
  let database: Database;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(async () => database[Symbol.asyncDispose]());

  const settings = () => database.rows(sql`select name, value from settings order by name`);

  it('seals a check value at the first start, and opens it at every other', async () => {
    const key = randomBytes(32);
    await checkMasterKey(database, createSealer(key));
    const first = await settings();
    expect(first).toEqual([{ name: 'master_key_check', value: expect.any(String) }]);
    await checkMasterKey(database, createSealer(key));
    expect(await settings()).toEqual(first);
  });

  it('that is another one is refused, and changes nothing', async () => {
    const [right, wrong] = [createSealer(randomBytes(32)), createSealer(randomBytes(32))];
    await checkMasterKey(database, right);
    const before = await settings();
    const attempt = checkMasterKey(database, wrong);
    await expect(attempt).rejects.toBeInstanceOf(WrongMasterKey);
    await expect(attempt).rejects.toThrow(/LUCARNE_MASTER_KEY or LUCARNE_MASTER_KEY_FILE/);
    expect(await settings()).toEqual(before);
    await checkMasterKey(database, right);
  });

  it.each(['not base64!', ''])('is refused when the check value is damaged: %j', async (value) => {
    await database.rows(sql`insert into settings (name, value) values ('master_key_check', ${jsonb(value)})`);
    const attempt = checkMasterKey(database, createSealer(randomBytes(32)));
    await expect(attempt).rejects.toBeInstanceOf(WrongMasterKey);
    expect(await settings()).toEqual([{ name: 'master_key_check', value }]);
  });

  it('of several first starts at once is the one that came first; the others are refused', async () => {
    const sealers = Array.from({ length: 4 }, () => createSealer(randomBytes(32)));
    const starts = await Promise.allSettled(sealers.map((sealer) => checkMasterKey(database, sealer)));
    expect(starts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const start of starts) {
      if (start.status === 'rejected') expect(start.reason).toBeInstanceOf(WrongMasterKey);
    }
  });
});
