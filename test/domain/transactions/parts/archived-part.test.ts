import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash, randomBytes } from 'node:crypto';
import { access, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  archivePart,
  attachPart,
  listArchives,
  listParts,
  listTransactions,
  moveOldRecords,
  newestPosition,
} from '../../../../src/domain/transactions/index.js';
import {
  connectDatabase,
  grantServing,
  type Database,
  sql,
} from '../../../../src/platform/database/index.js';
import { type Statement, textOf } from '../../../../src/platform/database/statement.js';
import { entities } from '../../../../src/app/storage/entities.js';
import { isLucarneError } from '../../../../src/platform/kernel/errors.js';
import type { Id } from '../../../../src/platform/kernel/ids.js';
import { temporaryDirectory } from '../../../app/gateway-process.js';
import { eventually } from '../../../kit/eventually.js';
import { createTestDatabase } from '../../../kit/database/database.js';
import { seedAsset } from '../../../kit/ledger/confidential-records.js';
import { itOnPostgresql } from '../../../kit/database/on-postgresql.js';
import { type SeededOrganization, seedOrganization, testFoundation } from '../../../kit/seed.js';

const RECORDS = 30;
const ARCHIVED = 10;
const BEFORE = new Date('2025-01-11');
const ROLE = `lucarne_archive_${process.pid}`;
const PART = 'transactions_before_2025_01_11';

describe('a part of old records in cold storage', () => {
  const closing = new AsyncDisposableStack();
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let home: SeededOrganization;
  let assetId: Id<'ast'>;
  let folder: string;
  let file: string;

  beforeEach(async () => {
    database = await createTestDatabase();
    const foundation = testFoundation(database);
    home = await seedOrganization(foundation, { name: 'Acme' });
    ({ id: assetId } = await seedAsset(foundation, home.organization.id));
    await write(1, RECORDS);
    await moveOldRecords(database, { before: BEFORE, tablespace: null });
    folder = closing.use(await temporaryDirectory()).path;
    file = path.join(folder, 'records.jsonl.gz');
  });
  afterEach(async () => database[Symbol.asyncDispose]());
  afterAll(async () => closing.disposeAsync());

  /**
   * One record per day. Every third has no time of the ledger, and values contain characters that JSON and text must escape.
   */
  const write = (from: number, to: number, name = 'record') =>
    database.rows(sql`
      insert into transactions (id, asset_id, position, signature, path, type, slot, block_time, signer, source_account,
        public_data, ciphertexts, indexed_at)
      select ${name} || n, ${assetId}, n, 'signature' || n, '{0,1,2}', 'confidential_deposit', n,
        case when n % 3 > 0 then 9007199254740993 + n end, 'signer', null, jsonb_build_object('amount', n::text, 'memo', E'"\\\\\\n\\té\\u2028'),
        '{}', '2025-01-01T00:00:00.001Z'::timestamptz + (n - 1) * interval '1 day'
      from generate_series(${from}::integer, ${to}::integer) as n`);
  const records = () =>
    database.rows(sql`select transactions::text as record from transactions order by position`);
  const archive = (to = file) => archivePart(database, { before: BEFORE, file: to, batchSize: 3 });
  const attach = (from = file) => attachPart(database, { file: from, tablespace: null });
  const list = (on: Database = database) => {
    const foundation = { database: on, reads: on };
    return listTransactions(foundation, home.apiKey.principal, { assetId, first: 200 });
  };

  it('is a file in a documented format, and is restored unchanged', async () => {
    const before = await records();
    const archived = await archive();
    const bytes = await readFile(file);
    expect(archived).toEqual({
      ...{ name: PART, before: BEFORE, records: ARCHIVED, fileName: 'records.jsonl.gz' },
      ...{ sha256: createHash('sha256').update(bytes).digest('hex'), archivedAt: expect.any(Date) },
    });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['records.jsonl.gz']);
    const lines = gunzipSync(bytes).toString().split('\n');
    expect(lines.pop()).toBe('');
    expect(lines[0]).toBe('{"format":"lucarne-records/1","before":"2025-01-11"}');
    expect(lines.at(-1)).toBe(`{"records":${ARCHIVED}}`);
    expect(lines.slice(1, -1).map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(
      Array.from({ length: ARCHIVED }, (_, at) => `record${at + 1}`),
    );
    expect(await records()).toEqual(before.slice(ARCHIVED));
    expect((await listParts(database)).map(({ name }) => name)).toEqual(['transactions_live']);
    expect(await listArchives(database)).toEqual([archived]);
    // The second run has nothing to do.
    expect(await archive()).toEqual(archived);

    expect(await attach()).toEqual(archived);
    expect(await records()).toEqual(before);
    expect(await listArchives(database)).toEqual([]);
    expect(await database.rows(sql`select archived from assets where archived is not null`)).toEqual([]);
    expect(await database.rows(sql`select from archived_keys`)).toEqual([]);
    expect(await attach()).toBeUndefined();
    // The same file may be used again, because records never change.
    expect(await archive()).toMatchObject({ sha256: archived.sha256 });
    await attach();
    expect(await records()).toEqual(before);
  });

  it('behaves after restoring like a part that was never archived', async () => {
    const shape = () =>
      database.rows(sql`
        select relrowsecurity, pg_get_expr(relpartbound, oid) as bound,
          array(select pg_get_indexdef(indexrelid) from pg_index where indrelid = pg_class.oid order by 1) as indexes,
          array(select qual from pg_policies where tablename = relname) as policies,
          array(select conname || ' ' || pg_get_constraintdef(oid) from pg_constraint
            where conrelid = pg_class.oid and conname <> ${`${PART}_part`} order by 1) as constraints
        from pg_class where oid = ${PART}::regclass`);
    const before = await shape();
    await archive();
    await attach();
    expect(await shape()).toEqual(before);
  });

  it('refuses to insert a record that it contains, and allows others', async () => {
    await archive();
    await expect(write(3, 3, 'again')).rejects.toMatchObject({
      code: '23505',
      constraint: 'transactions_signature',
    });
    await database.rows(sql`update assets set moved_slot = 1000`);
    await write(40, 41, 'unknown');
    await attach();
    expect(await records()).toHaveLength(RECORDS + 2);
  });

  it('accepts no new records', async () => {
    await archive();
    await expect(moveOldRecords(database, { before: BEFORE, tablespace: null })).rejects.toThrow(
      'The records that were indexed before 2025-01-11 are in cold storage. Move those of another day, or attach them first.',
    );
    await moveOldRecords(database, { before: new Date('2025-01-21'), tablespace: null });
    await attach();
    expect(await records()).toHaveLength(RECORDS);
  });

  it('is created only from a part', async () => {
    await expect(archivePart(database, { before: new Date('2025-01-12'), file })).rejects.toThrow(
      'There is no part of records that were indexed before 2025-01-12. `lucarne records parts` lists them.',
    );
    await expect(access(file)).rejects.toThrow('ENOENT');
  });

  it.each<[string, (lines: string[]) => string[], RegExp]>([
    [
      'another value',
      (lines) => lines.map((line) => line.replace('"signature4"', '"signature5"')),
      /does not hold/,
    ],
    [
      'a record fewer',
      (lines) => [...lines.slice(0, 3), ...lines.slice(4, -1), '{"records":9}'],
      /9 of the 10 records/,
    ],
    [
      'another day',
      (lines) => ['{"format":"lucarne-records/1","before":"2025-01-10"}', ...lines.slice(1)],
      /does not hold/,
    ],
    ['no end', (lines) => lines.slice(0, -1), /not a complete archive/],
    [
      'another format',
      (lines) => ['{"format":"lucarne-records/2","before":"2025-01-11"}', ...lines.slice(1)],
      /not a complete/,
    ],
  ])('is neither taken out nor put back with a file that has %s', async (_what, change, refusal) => {
    const before = await records();
    const archived = await archive();
    const lines = gunzipSync(await readFile(file))
      .toString()
      .trimEnd()
      .split('\n');
    const changed = path.join(folder, 'changed');
    await writeFile(changed, gzipSync(`${change(lines).join('\n')}\n`));
    await expect(attach(changed)).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
    expect(await listArchives(database)).toEqual([archived]);
    await attach();
    await expect(archive(changed)).rejects.toThrow(refusal);
    expect(await records()).toEqual(before);
  });

  it('is not restored from a truncated or invalid file', async () => {
    await archive();
    const bytes = await readFile(file);
    for (const [name, content] of [
      ['cut', bytes.subarray(0, -20)],
      ['text', 'text'],
      ['empty', ''],
    ] as const) {
      const other = path.join(folder, name);
      await writeFile(other, content);
      await expect(attach(other)).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
    }
    await expect(attach(path.join(folder, 'absent'))).rejects.toThrow('ENOENT');
    expect(await records()).toHaveLength(RECORDS - ARCHIVED);
  });

  it('leaves no file open that it refuses', async () => {
    const isOpen = async (name: string) => {
      const open = await Promise.all(
        (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
      );
      return open.includes(path.join(folder, name));
    };
    // More than is read at once.
    const noise = Array.from({ length: 20_000 }, () => randomBytes(24).toString('hex'));
    await writeFile(path.join(folder, 'other'), gzipSync(noise.map((line) => `{"${line}":1}`).join('\n')));
    await expect(attach(path.join(folder, 'other'))).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
    expect(await isOpen('other')).toBe(false);
    const header = '{"format":"lucarne-records/1","before":"2025-01-12"}';
    await writeFile(path.join(folder, 'unknown'), gzipSync([header, ...noise].join('\n')));
    await expect(attach(path.join(folder, 'unknown'))).rejects.toThrow('No part of this database');
    expect(await isOpen('unknown')).toBe(false);
  });

  it('is read once before it is archived, even if its locks are tried several times', async () => {
    const reads: string[] = [];
    const read = <Row>(statement: Statement<Row>) => {
      const { text } = textOf(statement);
      // The comparison of the file with the part reads in batches.
      if (text.includes(PART) && /(count|min)\(/.test(text) && !text.includes('with same as'))
        reads.push(text);
      return text;
    };
    let attempts = 0;
    const watched: Database = {
      ...database,
      rows(statement) {
        read(statement);
        return database.rows(statement);
      },
      transaction: (work) =>
        database.transaction((transaction) =>
          work({
            ...transaction,
            rows(statement) {
              if (read(statement).startsWith('lock table') && (attempts += 1) < 3)
                throw Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });
              return transaction.rows(statement);
            },
          }),
        ),
    };
    expect(await archivePart(watched, { before: BEFORE, file })).toMatchObject({ records: ARCHIVED });
    expect({ attempts, reads: reads.length }).toEqual({ attempts: 3, reads: 1 });
  });

  it('is not archived without records that were moved into it meanwhile', async () => {
    await database.rows(sql`update transactions set part = 0 where position > 5`);
    const before = await records();
    const growing: Database = {
      ...database,
      transaction: async (work) => {
        await moveOldRecords(database, { before: BEFORE, tablespace: null });
        return database.transaction(work);
      },
    };
    await expect(archivePart(growing, { before: BEFORE, file })).rejects.toThrow(
      'Records were moved into the part meanwhile. Remove the file, and run the command again.',
    );
    expect(await records()).toHaveLength(before.length);
    await rm(file);
    expect(await archive()).toMatchObject({ records: ARCHIVED });
  });

  it('preserves the newest position of an asset whose records are all archived', async () => {
    await moveOldRecords(database, { before: new Date('2025-02-01'), tablespace: null });
    await archivePart(database, { before: new Date('2025-02-01'), file });
    await archive(path.join(folder, 'first'));
    expect(await newestPosition(database, home.organization.id, assetId)).toBe(RECORDS);
    await expect(list()).rejects.toMatchObject({ reason: 'records_archived' });
  });

  itOnPostgresql('is completely archived or completely present for each read', async () => {
    await using beside = await connectDatabase({ entities, target: { url: database.url! } });
    let isDone = false;
    const seen = { whole: 0, refused: 0 };
    const read = async () => {
      while (!isDone) {
        try {
          const { nodes } = await list(beside);
          expect(nodes).toHaveLength(RECORDS);
          seen.whole += 1;
        } catch (thrown) {
          if (!isLucarneError(thrown) || thrown.reason !== 'records_archived') throw thrown;
          seen.refused += 1;
        }
      }
    };
    const change = async () => {
      try {
        for (let round = 0; round < 6; round += 1) {
          await archive();
          await attach();
        }
      } finally {
        isDone = true;
      }
    };
    await Promise.all([change(), read(), read(), read(), read()]);
    expect(Math.min(seen.whole, seen.refused)).toBeGreaterThan(3);
  });

  itOnPostgresql(
    'is completely archived or present for a read that begins just before the commit',
    async () => {
      await using beside = await connectDatabase({ entities, target: { url: database.url! } });
      const waits = async () => {
        const rows = await database.rows(sql`select from pg_locks
        where not granted and database = (select oid from pg_database where datname = current_database())`);
        return rows.length > 0;
      };
      const outside = AsyncLocalStorage.snapshot();
      /** The result of a read that begins when the transaction that moves the part has done everything except the commit. */
      const readDuring = async (change: (on: Database) => Promise<unknown>, archives: number) => {
        let reading: Promise<unknown> | undefined;
        const held: Database = {
          ...database,
          transaction: (work) =>
            database.transaction(async (transaction) => {
              const result = await work(transaction);
              if (reading || (await listArchives(transaction)).length !== archives) return result;
              reading = outside(() => list(beside)).then(
                ({ nodes }) => nodes.length,
                (thrown: unknown) => (thrown as { reason: unknown }).reason,
              );
              await eventually(() => outside(waits));
              return result;
            }),
        };
        await change(held);
        return reading;
      };
      expect(await readDuring((on) => archivePart(on, { before: BEFORE, file }), 1)).toBe('records_archived');
      expect(await readDuring((on) => attachPart(on, { file, tablespace: null }), 0)).toBe(RECORDS);
    },
  );

  itOnPostgresql('gives the serving role no access while it is restored', async () => {
    const before = await records();
    await archive();
    const stopped = attachPart(database, {
      ...{ file, tablespace: null },
      progress() {
        throw new Error('Stopped.');
      },
    });
    await expect(stopped).rejects.toThrow('Stopped.');
    const may = await database.transaction(async (transaction) => {
      await transaction.rows(sql`create role ${sql.id(ROLE)}`);
      await grantServing(transaction, ROLE);
      const rows = await transaction.rows(
        sql`select has_table_privilege(${ROLE}, ${PART}, 'select') as read, count(*)::integer as loaded from ${sql.id(PART)}`,
      );
      await transaction.rows(sql`drop owned by ${sql.id(ROLE)}`);
      await transaction.rows(sql`drop role ${sql.id(ROLE)}`);
      return rows;
    });
    expect(may).toEqual([{ read: false, loaded: ARCHIVED }]);
    await attach();
    expect(await records()).toEqual(before);
  });
});
