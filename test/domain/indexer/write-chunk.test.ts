import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ChunkFindings, type IndexedRecord } from '../../../src/domain/indexer/following/chunk-findings.js';
import { writeChunk } from '../../../src/domain/indexer/following/write-chunk.js';
import { claimMints, type MintLease } from '../../../src/domain/indexer/mint-lease.js';
import { archivePart, attachPart } from '../../../src/domain/transactions/index.js';
import { makePart, partOf } from '../../../src/domain/transactions/parts/parts.js';
import { sql, type Database, type Transaction } from '../../../src/platform/database/index.js';
import type { Signature } from '../../../src/platform/ledger/index.js';
import { temporaryDirectory } from '../../app/gateway-process.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { forFile } from '../../kit/for-file.js';
import { bindTestMint, storedMint, storedRecords } from './bound-mint.js';
import { addressOf } from './scripted-ledger.js';

const database = forFile(await createTestDatabase());
const mint = await bindTestMint(database, addressOf('mint'));

describe('a chunk of records', () => {
  let lease: MintLease;

  beforeAll(async () => {
    [lease] = (await claimMints(database, { owner: 'writer', durationMs: 600_000 }, 1)) as [MintLease];
    await database.rows(sql`update indexed_mints set verified_slot = 0`);
  });

  const record = (n: number, changes: Partial<IndexedRecord> = {}): IndexedRecord => ({
    signature: `signature${n}` as Signature,
    slot: n,
    blockTime: 1_700_000_000 + n,
    signer: addressOf('signer'),
    event: {
      type: 'confidential_transfer',
      path: [n % 3, 0, 0],
      sourceAccount: addressOf('alice'),
      destinationAccount: addressOf('bob'),
      publicData: { memo: `"quoted" \\ {braces}, null and\nlines of ${n}` },
      ciphertexts: { auditor: { lo: new Uint8Array(64).fill(n), hi: new Uint8Array(64) } },
    } as unknown as IndexedRecord['event'],
    ...changes,
  });
  const write = (records: readonly IndexedRecord[], into: Database = database) => {
    const findings = new ChunkFindings(
      { address: mint.mintAddress, auditorPublicKeys: [], verifiedSlot: Infinity },
      new Map(),
    );
    findings.records.push(...records);
    return writeChunk(into, lease, findings);
  };
  const positions = async () =>
    (await storedRecords(database, mint)).map(({ position, signature }) => [position, signature]);

  it('is stored as it was read, with missing values empty', async () => {
    const without = { ...record(2).event, sourceAccount: undefined, destinationAccount: undefined };
    const bare = record(2, { blockTime: null, event: without as unknown as IndexedRecord['event'] });
    expect(await write([record(1), bare])).toBe(2);
    const [first, second] = await storedRecords(database, mint);
    expect(first).toMatchObject({
      ...{ position: 1, signature: 'signature1', path: [1, 0, 0], slot: 1, source: addressOf('alice') },
      publicData: record(1).event.publicData,
      ciphertexts: { auditor: { lo: Buffer.alloc(64, 1).toString('base64') } },
    });
    expect(second).toMatchObject({ position: 2, source: null, destination: null });
    expect(await database.rows(sql`select block_time as time from transactions where slot = 2`)).toEqual([
      { time: null },
    ]);
    // In a single record, each of these columns is an empty text.
    expect(await write([{ ...bare, signature: 'alone' as Signature }])).toBe(1);
    expect((await storedRecords(database, mint))[2]).toMatchObject({ source: null, destination: null });
  });

  it('is completed at the next positions, without gaps, if it is partly known', async () => {
    const before = await positions();
    expect(await write([record(1), record(4), record(2), record(5)])).toBe(2);
    expect(await positions()).toEqual([...before, [4, 'signature4'], [5, 'signature5']]);
    expect(await storedMint(database, mint)).toMatchObject({ recordCount: 5, latestSignature: 'signature5' });
  });

  it('changes nothing if it is fully known', async () => {
    const before = [await positions(), await storedMint(database, mint)];
    expect(await write([record(4), record(5)])).toBe(0);
    expect([await positions(), await storedMint(database, mint)]).toEqual(before);
  });

  it('is completed, with an index lookup for each record, if it is partly stored in table parts', async () => {
    const many = Array.from({ length: 1_000 }, (_, n) => record(n + 10));
    expect(await write(many)).toBe(1_000);
    const days = ['2024-01-01', '2024-02-01'].map((day) => new Date(day));
    for (const day of days) {
      await makePart(database, day, null);
      await database.rows(sql`update transactions set part = ${partOf(day)}
        where part = 0 and position <= ${day === days[0] ? 400 : 900}`);
    }
    await database.rows(
      sql`update assets set moved_slot = (select max(slot) from transactions where part > 0)`,
    );
    await database.rows(sql`vacuum (analyze) transactions`);
    // Plans do not include the reads of triggers, so the scans of each part are counted before and after.
    const scansOf = (transaction: Transaction) =>
      transaction.rows(sql<{ part: string; whole: number; byIndex: number }>`
        select relname::text as part, seq_scan::integer as whole, idx_scan::integer as "byIndex"
        from pg_stat_xact_user_tables where relname like 'transactions\\_%' order by relname`);
    let scans: unknown;
    const counting = {
      ...database,
      transaction: <Result>(work: (transaction: Transaction) => Promise<Result>) =>
        database.transaction(async (transaction) => {
          const before = await scansOf(transaction);
          const result = await work(transaction);
          scans = (await scansOf(transaction)).map(({ part, whole, byIndex }, at) => ({
            ...{ part, whole: whole - before[at]!.whole, byIndex: byIndex > before[at]!.byIndex },
          }));
          return result;
        }),
    };
    const parts = ['transactions_before_2024_01_01', 'transactions_before_2024_02_01', 'transactions_live'];
    const byIndex = parts.map((part) => ({ part, whole: 0, byIndex: true }));
    expect(await write([...many, record(2_000)], counting)).toBe(1);
    expect(scans).toEqual(byIndex);
    // Old history without a lease is also checked.
    const before = await positions();
    expect(await write([record(20, { signature: 'late' as Signature })], counting)).toBe(1);
    expect(await positions()).toEqual([...before, [before.length + 1, 'late']]);
    // The part of new records has a separate index for that.
    expect(scans).toEqual(byIndex.map((one) => ({ ...one, byIndex: one.part !== 'transactions_live' })));
  });

  it('is completed if it is partly in cold storage', async () => {
    const positionsBefore = await positions();
    await using directory = await temporaryDirectory();
    const archive = { before: new Date('2024-01-01'), file: path.join(directory.path, 'records') };
    await archivePart(database, archive);
    expect(await positions()).toEqual(positionsBefore.slice(400));
    // The first two are archived, one is in another part, and one is new.
    expect(await write([record(1), record(20), record(500), record(3_000)])).toBe(1);
    await attachPart(database, { file: archive.file, tablespace: null });
    expect(await positions()).toEqual([...positionsBefore, [positionsBefore.length + 1, 'signature3000']]);
  });
});
