import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createSealer } from '../../../src/platform/crypto/index.js';
import { type Database, jsonb, sql } from '../../../src/platform/database/index.js';
import { base64 } from '../../../src/platform/kernel/encoding/bytes.js';
import { silentLog } from '../../../src/platform/kernel/log.js';
import { systemRandom } from '../../../src/platform/kernel/random.js';
import {
  announceDataKeys,
  createKeyring,
  createMasterKeys,
  type MasterKeys,
  rotateMasterKey,
  WrongMasterKey,
} from '../../../src/platform/keys/index.js';
import { lockKeysIfSame } from '../../../src/platform/keys/rotation/lock-keys.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { itOnPostgresql } from '../../kit/database/on-postgresql.js';

const TEXT = new TextEncoder().encode('hush');

describe('the data keys of a database', () => {
  let database: Database;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(async () => database[Symbol.asyncDispose]());

  const keyringOf = (key: Uint8Array, purposes = ['one', 'other']) =>
    createKeyring({
      ...{ database, purposes, random: systemRandom, log: silentLog },
      masterKeys: createMasterKeys({ kind: 'bytes', name: 'the test’s', keys: [key] }),
    });
  const opened = async (key: Uint8Array, purposes?: string[]) => {
    const keyring = keyringOf(key, purposes);
    await keyring.open();
    return keyring;
  };
  const dataKeys = () =>
    database.rows(sql<{ id: number; purpose: string }>`select id, purpose from data_keys order by id`);

  it('are created at the first start, one for each purpose, and opened at every later start', async () => {
    const key = randomBytes(32);
    const { sealer } = await opened(key);
    const made = await dataKeys();
    expect(made.map(({ purpose }) => purpose)).toEqual(['digests', 'one', 'other']);
    const [one, other] = [sealer.seal(TEXT, 'one/row'), sealer.seal(TEXT, 'other/row')];
    // Each value names its key.
    expect([one, other].map((sealed) => [...sealed.subarray(0, 5)])).toEqual([
      [2, 0, 0, 0, 3],
      [2, 0, 0, 0, 4],
    ]);
    const again = (await opened(key)).sealer;
    expect(again.open(one, 'one/row')).toEqual(TEXT);
    expect(again.digest('a', 'b')).toEqual(sealer.digest('a', 'b'));
    expect(await dataKeys()).toEqual(made);
    expect(() => again.open(one, 'other/row')).toThrow('A sealed value cannot be opened.');
  });

  it('are stored wrapped, never in plaintext', async () => {
    const key = randomBytes(32);
    const { sealer } = await opened(key);
    const rows = await database.rows(
      sql<{ wrapped: Uint8Array }>`select wrapped_key as wrapped from data_keys`,
    );
    const sealed = sealer.seal(TEXT, 'one/row');
    for (const { wrapped } of rows)
      expect(() => createSealer(wrapped.subarray(12, 44)).open(sealed, 'one/row')).toThrow();
  });

  it('open values sealed before data keys existed, and seal in the old format until values are resealed', async () => {
    const key = randomBytes(32);
    const old = createSealer(key);
    const check = base64.encode(old.seal(new TextEncoder().encode('lucarne'), 'master_key_check'));
    await database.rows(sql`insert into settings (name, value) values ('master_key_check', ${jsonb(check)})`);
    const { sealer } = await opened(key);
    expect(await dataKeys()).toEqual([
      { id: 1, purpose: '*' },
      { id: 2, purpose: 'digests' },
    ]);
    expect(sealer.open(old.seal(TEXT, 'one/row'), 'one/row')).toEqual(TEXT);
    expect(sealer.digest('a', 'b')).toEqual(old.digest('a', 'b'));
    // An instance of the previous version opens it while both run.
    expect(old.open(sealer.seal(TEXT, 'one/row'), 'one/row')).toEqual(TEXT);
  });

  it('are created for a new purpose at the next start', async () => {
    const key = randomBytes(32);
    await opened(key);
    const starts = await Promise.all([1, 2].map(() => opened(key, ['one', 'other', 'new'])));
    expect((await dataKeys()).map(({ purpose }) => purpose)).toEqual(['digests', 'one', 'other', 'new']);
    const sealed = starts[0]!.sealer.seal(TEXT, 'new/row');
    expect(starts[1]!.sealer.open(sealed, 'new/row')).toEqual(TEXT);
  });

  describe('for a new purpose, while an operator changes the keys,', () => {
    const both = [randomBytes(32), randomBytes(32)];
    const masterKeys = createMasterKeys({ kind: 'bytes', name: 'the test’s', keys: both });
    const NEW = ['one', 'other', 'new'];
    const room = () => ({ database, masterKeys, random: systemRandom, log: silentLog });

    /** A gateway that starts while `change` runs once, just before a key is wrapped. */
    async function startedDuring(change: () => Promise<unknown>) {
      let isChanged = false;
      const changing: MasterKeys = {
        ...masterKeys,
        async find(...place) {
          const key = await masterKeys.find(...place);
          return {
            ...key,
            async wrap(...parameters) {
              if (!isChanged) {
                isChanged = true;
                await change();
              }
              return key.wrap(...parameters);
            },
          };
        },
      };
      const keyring = createKeyring({ ...room(), masterKeys: changing, purposes: NEW });
      await keyring.open();
      expect(isChanged).toBe(true);
      return keyring.sealer;
    }

    it('are wrapped by the new master key', async () => {
      await createKeyring({ ...room(), purposes: ['one', 'other'] }).open();
      const sealer = await startedDuring(() => rotateMasterKey(room()));
      expect((await dataKeys()).map(({ purpose }) => purpose)).toEqual(['digests', 'one', 'other', 'new']);
      const sealed = sealer.seal(TEXT, 'new/row');
      const onlyNew = createKeyring({
        ...room(),
        masterKeys: createMasterKeys({ kind: 'bytes', name: 'the test’s', keys: [both[1]!] }),
        purposes: NEW,
      });
      await onlyNew.open();
      expect(onlyNew.sealer.open(sealed, 'new/row')).toEqual(TEXT);
    });

    it('have unique numbers', async () => {
      await createKeyring({ ...room(), purposes: ['one', 'other'] }).open();
      const before = { ...room(), purposes: ['one', 'other'], columns: [], leadSeconds: 0 };
      const sealer = await startedDuring(() => announceDataKeys(before));
      expect((await dataKeys()).map(({ purpose }) => purpose)).toEqual([
        ...['digests', 'one', 'other'],
        ...['one', 'other', 'new'],
      ]);
      sealer.seal(TEXT, 'new/row');
    });
  });

  itOnPostgresql(
    'are changed by one process at a time: the second waits, and sees the change of the first',
    async () => {
      await opened(randomBytes(32));
      const prepared = { version: 1, dataKeys: (await dataKeys()).map(({ id }) => id) };
      const [held, released] = [Promise.withResolvers<boolean>(), Promise.withResolvers<undefined>()];
      const first = database.transaction(async (transaction) => {
        held.resolve(await lockKeysIfSame(transaction, prepared));
        await released.promise;
        await transaction.rows(
          sql`update data_keys set wrapped_key = null, destroyed_at = now() where id = ${prepared.dataKeys[0]!}`,
        );
      });
      expect(await held.promise).toBe(true);
      const second = database.transaction((transaction) => lockKeysIfSame(transaction, prepared));
      const decided = new AbortController();
      void second.finally(() => decided.abort());
      const waiting = sql`select pid from pg_stat_activity
      where datname = current_database() and wait_event = 'advisory'`;
      while (!decided.signal.aborted && (await database.rows(waiting)).length === 0) await pause(5);
      released.resolve(undefined);
      await first;
      expect(await second).toBe(false);
    },
  );

  it('cannot be used before they are opened', () => {
    const { sealer } = keyringOf(randomBytes(32));
    for (const attempt of [() => sealer.seal(TEXT, 'one/row'), () => sealer.digest('a', 'b')])
      expect(attempt).toThrow(expect.objectContaining({ code: 'UNAVAILABLE' }));
  });

  it('are refused without changes under another master key', async () => {
    const right = randomBytes(32);
    await opened(right);
    const before = await dataKeys();
    const attempt = opened(randomBytes(32));
    await expect(attempt).rejects.toBeInstanceOf(WrongMasterKey);
    await expect(attempt).rejects.toThrow(/LUCARNE_MASTER_KEY or LUCARNE_MASTER_KEY_FILE/);
    expect(await dataKeys()).toEqual(before);
    await opened(right);
  });

  it.each(['not base64!', ''])('are not made where the old check value is damaged: %j', async (value) => {
    await database.rows(sql`insert into settings (name, value) values ('master_key_check', ${jsonb(value)})`);
    await expect(opened(randomBytes(32))).rejects.toBeInstanceOf(WrongMasterKey);
    expect(await dataKeys()).toEqual([]);
  });

  it('are created once when several gateways start for the first time together; the others are refused', async () => {
    const starts = await Promise.allSettled(Array.from({ length: 4 }, () => opened(randomBytes(32))));
    expect(starts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const start of starts)
      if (start.status === 'rejected') expect(start.reason).toBeInstanceOf(WrongMasterKey);
  });
});
