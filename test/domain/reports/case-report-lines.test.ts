import { describe, expect, it } from '@jest/globals';
import { fc } from '../../kit/properties.js';
import {
  caseTextPages,
  type CaseTransaction,
  caseTransactionPages,
  type DisclosureFlags,
  scopeOf,
  snapshotOf,
} from '../../../src/domain/cases/index.js';
import { CASE_TRANSACTION_TYPES } from '../../../src/domain/cases/records/case-transaction-types.js';
import { detailLine, UNDECRYPTABLE } from '../../../src/domain/reports/content/case-report-lines.js';
import { MEMBER_NAMES } from '../../../src/domain/reports/content/member-names.js';
import { sql } from '../../../src/platform/database/index.js';
import { csv } from '../../../src/platform/kernel/encoding/csv.js';
import {
  auditorCiphertexts,
  randomAddress,
  seedAsset,
  type SeededAsset,
  type SeededRecord,
  seedRecords,
} from '../../kit/ledger/confidential-records.js';
import { openTestFoundation } from '../../kit/seed.js';
import { EVERY_FLAG, openOffice, setClock } from '../cases/kit.js';

const DAY_SECONDS = 86_400;
const FIRST_DAY = Date.UTC(2026, 1, 10) / 1000;

/** The line of a masked record. The database must produce the same line from the stored record. */
function lineOf(record: CaseTransaction): string {
  const time = new Date(record.blockTime * 1000).toISOString();
  return csv([
    [
      ...[record.id, record.networkTransactionId, record.type],
      record.restricted.includes('blockTime') ? time.slice(0, 10) : time,
      ...[record.assetId, record.symbol, record.decimals, record.amount],
      ...[record.sourceAccount, record.destinationAccount, record.signer, record.authority],
      record.undecryptable ? 'yes' : '',
      record.restricted.map((member) => MEMBER_NAMES[member]).join(' '),
    ],
  ]);
}

const EVERY_GRANT: readonly DisclosureFlags[] = [false, true].flatMap((fullTxIds) =>
  [false, true].flatMap((senderInformation) =>
    [false, true].map((withdrawalDetails) => ({ fullTxIds, senderInformation, withdrawalDetails })),
  ),
);

const people = [randomAddress(), randomAddress(), randomAddress()] as const;
const person = fc.constantFrom(...people);
const perhaps = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null, freq: 4 });

/** Text that a spreadsheet or a CSV parser would misinterpret, and text that only looks like it. */
const strangeText = fc.oneof(
  fc.constantFrom(
    '=1+1',
    '+1',
    '-2',
    '@x',
    '＝1',
    '＋a',
    'a=b',
    'a"b',
    '"',
    '""',
    ',',
    ';',
    'a,b',
    "'a",
    'é',
    '',
    '😀',
  ),
  fc.string({
    unit: fc.constantFrom('a', '0', '"', "'", ',', ';', '=', '-', '@', '＠', ' ', '_', '\\', 'ß'),
    maxLength: 6,
  }),
);
/** Only a symbol can contain these characters: a row is read as a line. */
const symbol = fc
  .oneof(strangeText, fc.constantFrom('\tA', '\r', 'A\nB', '\n', 'A\r\n', 'A\tB', '\u0001', '$1', "';--"))
  .filter((text) => text !== '');

interface Generated extends SeededRecord {
  readonly asset: number;
  /** Encrypted to the key of the asset, to another organization's, or not at all. */
  readonly key: 'own' | 'foreign' | 'none';
  readonly amount: bigint;
}

const ASSETS = 3;
const record: fc.Arbitrary<Generated> = fc
  .record({
    asset: fc.nat(ASSETS - 1),
    type: fc.constantFrom(...CASE_TRANSACTION_TYPES, 'configure_account' as const),
    // Few different times, so that records of the same second and day occur.
    blockTime: fc
      .tuple(fc.nat(2), fc.constantFrom(0, 1, 61, 3_600, DAY_SECONDS - 1))
      .map(([day, second]) => FIRST_DAY + day * DAY_SECONDS + second),
    signer: person,
    sourceAccount: perhaps(person),
    destinationAccount: perhaps(person),
    authority: perhaps(fc.oneof(person, strangeText)),
    publicAmount: perhaps(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String)),
    amount: fc.bigInt({ min: 0n, max: 2n ** 40n }),
    key: fc.constantFrom('own', 'own', 'own', 'foreign', 'none'),
  })
  .map(({ authority, publicAmount, ...generated }) => ({
    ...generated,
    publicData: {
      ...(authority === null ? {} : { authority }),
      ...(publicAmount === null ? {} : { amount: publicAmount }),
    },
  }));

const { database, foundation } = await openTestFoundation(setClock());
const office = await openOffice(foundation);
const stranger = await openOffice(foundation, 'stranger');

describe('the lines of a detail report', () => {
  const newAsset = async (named = 'PUSD'): Promise<SeededAsset> => {
    const asset = await seedAsset(foundation, office.organization.id, {
      applicationId: office.application.id,
    });
    await database.rows(sql`update assets set symbol = ${named} where id = ${asset.id}`);
    return asset;
  };
  const stored = (asset: SeededAsset, { key, amount, ...generated }: Generated): SeededRecord => {
    const isPublic = ['confidential_deposit', 'confidential_withdraw'].includes(generated.type ?? '');
    if (isPublic || key === 'none') return generated;
    const { auditorPublicKey } = key === 'own' ? asset : stranger.asset;
    return { ...generated, ciphertexts: auditorCiphertexts(auditorPublicKey, amount) };
  };
  /** Both ways to produce the lines of a case. */
  const linesOf = async (
    assets: readonly SeededAsset[],
    disclosureFlags: DisclosureFlags,
    pageSize: number,
  ) => {
    const opened = await office.open({ assetIds: assets.map(({ id }) => id), disclosureFlags });
    const scope = scopeOf(foundation, opened);
    const snapshot = await snapshotOf(database, scope);
    const options = { pageSize, pagesRead: 2, signal: new AbortController().signal };
    const rows: string[] = [];
    for await (const page of caseTransactionPages(foundation, office.pool, scope, snapshot, options))
      rows.push(...page.map(lineOf));
    const texts = { ...options, textOf: detailLine, undecryptable: UNDECRYPTABLE };
    let text = '';
    let count = 0;
    for await (const page of caseTextPages(foundation, office.pool, scope, snapshot, texts)) {
      text += page.text;
      count += page.records;
    }
    return { rows, text, count };
  };

  it('are the same if the database or the application masks the records', async () => {
    const symbols = fc.tuple(symbol, symbol, symbol);
    const records = fc.array(record, { minLength: 1, maxLength: 24 });
    await fc.assert(
      fc.asyncProperty(
        symbols,
        records,
        fc.integer({ min: 1, max: 7 }),
        async (names, generated, pageSize) => {
          const assets: SeededAsset[] = [];
          for (const [index, named] of names.entries()) {
            const asset = await newAsset(named);
            assets.push(asset);
            const own = generated.filter((one) => one.asset === index);
            await seedRecords(
              foundation,
              asset,
              own.map((one) => stored(asset, one)),
            );
          }
          for (const flags of EVERY_GRANT) {
            const { rows, text, count } = await linesOf(assets, flags, pageSize);
            expect(text).toBe(rows.join(''));
            expect(count).toBe(rows.length);
          }
        },
      ),
      { numRuns: 12 },
    );
  });

  it('mask every record type equally, for any grant', async () => {
    const asset = await newAsset('=A,"B"');
    const [sender, receiver] = people;
    const accounts = [
      { sourceAccount: sender, destinationAccount: receiver },
      { sourceAccount: sender, destinationAccount: sender },
      { sourceAccount: null, destinationAccount: null },
    ];
    const records = CASE_TRANSACTION_TYPES.flatMap((type) =>
      accounts.flatMap((own) =>
        (['own', 'foreign', 'none'] as const).map((key, second) =>
          stored(asset, {
            ...{ type, ...own, key, asset: 0, amount: 70_000n, signer: second === 0 ? sender : receiver },
            blockTime: FIRST_DAY + second,
            publicData: second === 0 ? {} : { amount: '5', authority: second === 1 ? receiver : '=1' },
          }),
        ),
      ),
    );
    await seedRecords(foundation, asset, records);
    for (const flags of EVERY_GRANT) {
      const { rows, text } = await linesOf([asset], flags, 10);
      expect(rows).toHaveLength(records.length);
      expect(text).toBe(rows.join(''));
      const hidesSome = !flags.fullTxIds || !flags.senderInformation || !flags.withdrawalDetails;
      expect(/[a-z_ ]\r\n/.test(text)).toBe(hidesSome);
    }
  });

  it('stop when the signal aborts', async () => {
    const asset = await newAsset();
    const encrypted = { type: 'confidential_transfer', blockTime: FIRST_DAY } as const;
    await seedRecords(
      foundation,
      asset,
      Array.from({ length: 8 }, () => encrypted),
    );
    const scope = scopeOf(
      foundation,
      await office.open({ assetIds: [asset.id], disclosureFlags: EVERY_FLAG }),
    );
    const ending = new AbortController();
    const pages = caseTextPages(foundation, office.pool, scope, await snapshotOf(database, scope), {
      ...{ pageSize: 2, signal: ending.signal, textOf: detailLine, undecryptable: UNDECRYPTABLE },
    });
    expect((await pages.next()).value).toMatchObject({ records: 2 });
    ending.abort(new Error('Enough.'));
    await expect(pages.next().then(() => pages.next())).rejects.toThrow('Enough.');
  });
});
