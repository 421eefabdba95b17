import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {
  connectDatabase,
  openEmbedded,
  sql,
  type Database,
  type EmbeddedDatabase,
} from '../../../src/platform/database/index.js';
import { pause } from '../../../src/platform/jobs/index.js';
import { openGate } from '../../kit/process/gate.js';

const MAX_WAITING = 20;

describe('the embedded database', () => {
  let directory: string;
  let embedded: EmbeddedDatabase;
  let database: Database;

  const open = async () => {
    embedded = await openEmbedded(path.join(directory, 'database'));
    database = await connectDatabase({ entities: [], target: { embedded, maxWaiting: MAX_WAITING } });
  };
  const close = async () => {
    await embedded.close();
    await database[Symbol.asyncDispose]();
  };

  beforeAll(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), 'lucarne-embedded-'));
    await open();
    await database.rows(sql`
      create table notes (id integer primary key, text text, bytes bytea, at timestamptz(3), count bigint)`);
  }, 480_000);
  afterAll(async () => {
    await close();
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  });

  const insert = (id: number, text = '') => sql`insert into notes (id, text) values (${id}, ${text})`;
  const ids = async () => {
    const rows = await database.rows(sql<{ id: number }>`select id from notes order by id`);
    return rows.map(({ id }) => id);
  };

  it('keeps the process responsive during a long statement', async () => {
    let isAnswered = false;
    const slow = database.rows(sql`select pg_sleep(2)`).then(() => (isAnswered = true));
    for (let turn = 0; turn < 20; turn += 1) await pause(1);
    expect(isAnswered).toBe(false);
    await slow;
  });

  it('preserves text, bytes, times and numbers beyond 32 bits', async () => {
    const at = new Date('2026-11-22T10:00:00.123Z');
    const bytes = Buffer.from('a small buffer out of a large pool');
    await database.rows(sql`
      insert into notes (id, text, bytes, at, count)
      values (100, ${'Grüße'}, ${bytes}, ${at}, ${5_000_000_000})`);
    const [row] = await database.rows(sql<{ bytes: Uint8Array }>`
      select text, bytes, at, count from notes where id = 100`);
    expect({ ...row, bytes: Buffer.from(row!.bytes) }).toEqual({
      text: 'Grüße',
      bytes,
      at,
      count: 5_000_000_000,
    });
    await database.rows(sql`delete from notes`);
  });

  it('sends and reads arrays', async () => {
    const arrays = {
      texts: ['a', '', 'with "quotes", {braces} and \\', null],
      numbers: [1, null, -2],
      counts: [5_000_000_000],
      flags: [true, false],
      times: [new Date('2026-11-22T10:00:00.123Z')],
      documents: [{ a: [1, '"'] }],
      none: [],
    };
    const [row] =
      await database.rows(sql`select ${arrays.texts}::text[] as texts, ${arrays.numbers}::integer[] as numbers,
      ${arrays.counts}::bigint[] as counts, ${arrays.flags}::boolean[] as flags, ${arrays.times}::timestamptz[] as times,
      ${arrays.documents}::jsonb[] as documents, ${arrays.none}::text[] as none`);
    expect(row).toEqual(arrays);
    const listed = await database.rows(sql<{ names: string[] }>`
      select array_agg(relname) as names from pg_class where relname = any(${['notes', 'pg_type']}::name[])`);
    expect(listed[0]!.names.toSorted()).toEqual(['notes', 'pg_type']);
    const [bytes] = await database.rows(sql<{ parts: Uint8Array[] }>`
      select ${[Buffer.from([1, 255])]}::bytea[] as parts, ${[5]}::smallint[] as small`);
    expect(bytes).toEqual({ parts: [new Uint8Array([1, 255])], small: [5] });
  });

  it('delays other statements until a transaction has ended', async () => {
    using gate = openGate();
    const committing = database.transaction(async (transaction) => {
      await transaction.rows(insert(1));
      await gate.until();
      await transaction.rows(insert(2));
    });
    await gate.arrived;
    const seen = ids();
    const after = database.transaction((transaction) => transaction.rows(insert(3)));
    gate.release();
    expect(await seen).toEqual([1, 2]);
    await Promise.all([committing, after]);
    expect(await ids()).toEqual([1, 2, 3]);
  });

  it('keeps nothing of a failed transaction, and names the violated constraint', async () => {
    const failing = database.transaction(async (transaction) => {
      await transaction.rows(insert(4));
      await transaction.rows(insert(1));
    });
    await expect(failing).rejects.toMatchObject({ code: '23505', constraint: 'notes_pkey' });
    expect(await ids()).toEqual([1, 2, 3]);
  });

  it('refuses statements when too many wait, and accepts them again later', async () => {
    using gate = openGate();
    const holding = database.transaction(async (transaction) => {
      await gate.until();
      // The statements of the transaction itself are not refused: the waiting ones wait for them.
      await transaction.rows(insert(5));
    });
    await gate.arrived;
    const waiting = Array.from({ length: 3 * MAX_WAITING }, () => database.rows(sql`select 1`));
    const settled = Promise.allSettled(waiting);
    await expect(Promise.race(waiting)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(database.transaction((transaction) => transaction.rows(insert(6)))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
    gate.release();
    await holding;
    const answered = (await settled).filter(({ status }) => status === 'fulfilled');
    // The transaction has one place.
    expect(answered).toHaveLength(MAX_WAITING - 1);
    expect(await ids()).toEqual([1, 2, 3, 5]);
  });

  it('delivers signals sent within transactions', async () => {
    const sent = database.transaction((transaction) =>
      transaction.rows(sql<{ sent: string }>`select pg_notify('lucarne', 'topic')::text as sent`),
    );
    await expect(sent).resolves.toHaveLength(1);
  });

  it('has everything committed after reopening, and answers nothing once it is closed', async () => {
    await embedded.close();
    const closed = database;
    for (const late of [
      closed.rows(sql`select 1`),
      closed.transaction((transaction) => transaction.rows(insert(7))),
    ]) {
      await expect(late).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    }
    await closed[Symbol.asyncDispose]();
    await open();
    expect(await ids()).toEqual([1, 2, 3, 5]);
  }, 480_000);
});
