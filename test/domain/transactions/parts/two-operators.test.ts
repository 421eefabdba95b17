import { createHash } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  archivePart,
  attachPart,
  listArchives,
  listParts,
  moveOldRecords,
} from '../../../../src/domain/transactions/index.js';
import { writeArchive } from '../../../../src/domain/transactions/parts/archive-file.js';
import { type Database, sql } from '../../../../src/platform/database/index.js';
import { textOf } from '../../../../src/platform/database/statement.js';
import type { Id } from '../../../../src/platform/kernel/ids.js';
import { temporaryDirectory } from '../../../app/gateway-process.js';
import { createTestDatabase } from '../../../kit/database/database.js';
import { seedAsset } from '../../../kit/ledger/confidential-records.js';
import { seedOrganization, testFoundation } from '../../../kit/seed.js';

const ARCHIVED = 10;
const BEFORE = new Date('2025-01-11');
const PART = 'transactions_before_2025_01_11';

describe('a part that two operators archive and attach at the same time', () => {
  const closing = new AsyncDisposableStack();
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let file: string;

  beforeEach(async () => {
    database = await createTestDatabase();
    const foundation = testFoundation(database);
    const { organization } = await seedOrganization(foundation, { name: 'Acme' });
    const { id } = await seedAsset(foundation, organization.id);
    await write(id);
    await moveOldRecords(database, { before: BEFORE, tablespace: null });
    file = path.join(closing.use(await temporaryDirectory()).path, 'records.jsonl.gz');
  });
  afterEach(async () => database[Symbol.asyncDispose]());
  afterAll(async () => closing.disposeAsync());

  /** One record per day. */
  const write = (assetId: Id<'ast'>) =>
    database.rows(sql`
      insert into transactions (id, asset_id, position, signature, path, type, slot, signer, public_data, ciphertexts, indexed_at)
      select 'record' || n, ${assetId}, n, 'signature' || n, '{0,1,2}', 'confidential_deposit', n, 'signer', '{}', '{}',
        '2025-01-01T00:00:00.001Z'::timestamptz + (n - 1) * interval '1 day'
      from generate_series(1, ${2 * ARCHIVED}) as n`);
  const archive = (on: Database = database) => archivePart(on, { before: BEFORE, file });
  const attach = (on: Database = database) => attachPart(on, { file, tablespace: null });
  const keys = async () => (await database.rows(sql`select from archived_keys`)).length;
  const signers = async () => {
    const rows = await database.rows(sql<{ signer: string }>`select signer from transactions`);
    return new Set(rows.map(({ signer }) => signer));
  };

  /** Does `work` once, before the first statement or transaction for which `isNow`. */
  const doing = (work: () => Promise<unknown>, isNow: (text: string) => boolean): Database => {
    let isDone = false;
    const once = async (text: string) => {
      if (isDone || !isNow(text)) return;
      isDone = true;
      await work();
    };
    return {
      ...database,
      async rows(statement) {
        await once(textOf(statement).text);
        return database.rows(statement);
      },
      async transaction(transact) {
        await once('begin');
        return database.transaction(transact);
      },
    };
  };

  it('stays attached if it is attached while it is archived, which removes the keys of its records', async () => {
    await expect(archive(doing(attach, (text) => text === 'begin'))).rejects.toThrow('records have a key');
    expect((await listParts(database)).map(({ name }) => name)).toContain(PART);
    expect(await archive()).toMatchObject({ records: ARCHIVED });
    expect(await keys()).toBe(ARCHIVED);
  });

  it('keeps the keys of its records if it is archived while it is attached', async () => {
    const isForgetting = (text: string) => text === 'begin' || /delete from "?archived_keys/.test(text);
    await archive();
    await attach();
    expect(await attach(doing(archive, isForgetting))).toBeUndefined();
    expect(await listArchives(database)).toHaveLength(1);
    expect(await keys()).toBe(ARCHIVED);
  });

  it('is not attached from a file whose name another file gets while it is read', async () => {
    const { sha256 } = await archive();
    const genuine = await readFile(file);
    await rename(file, `${file}.genuine`);
    const forged = gunzipSync(genuine).toString().replaceAll('"signer": "signer"', '"signer": "forger"');
    expect(forged).toContain('forger');
    await writeFile(file, gzipSync(forged));
    // The forged file is open when the genuine one gets its name.
    const swapped = doing(
      () => rename(`${file}.genuine`, file),
      () => true,
    );
    await expect(attach(swapped)).rejects.toThrow('was changed while it was read');
    expect(
      createHash('sha256')
        .update(await readFile(file))
        .digest('hex'),
    ).toBe(sha256);
    expect(await listArchives(database)).toHaveLength(1);
    await attach();
    expect(await signers()).toEqual(new Set(['signer']));
  });

  it('is not written over a file that appeared meanwhile', async () => {
    const batches = async function* () {
      await writeFile(file, 'the only copy of another part');
      yield ['{}'];
    };
    await expect(writeArchive(file, '2025-01-11', batches())).rejects.toThrow('was written meanwhile');
    expect(await readFile(file, 'utf8')).toBe('the only copy of another part');
  });
});
