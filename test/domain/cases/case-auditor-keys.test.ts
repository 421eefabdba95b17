import { expect, it } from '@jest/globals';
import { rotateAuditorKey } from '../../../src/domain/assets/auditor-keys/rotate-auditor-key.js';
import { sql } from '../../../src/platform/database/index.js';
import { base64 } from '../../../src/platform/kernel/encoding/bytes.js';
import { auditorCiphertexts, randomSignature, seedRecords } from '../../kit/ledger/confidential-records.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { testFoundation } from '../../kit/seed.js';
import { caseReport, parseCsv, reportingOf, textOf } from '../reports/kit.js';
import { EVERY_FLAG, openOffice, setClock } from './kit.js';

const IN_PERIOD = Date.parse('2026-02-14T12:00:00Z') / 1_000;

it('a case that spans an auditor key rotation, and a report on it, contain the amounts of both epochs but none encrypted to a foreign key', async () => {
  await using database = await createTestDatabase();
  const foundation = testFoundation(database, setClock());
  const office = await openOffice(foundation);
  const strangers = await openOffice(foundation, 'strangers');
  const { asset } = office;
  const rotated = await rotateAuditorKey(foundation, office.owner.principal, { reason: 'A leak' });
  expect(rotated.epoch).toBe(2);
  const showsFrom = (slot: number, publicKey: Uint8Array) =>
    database.rows(sql`insert into mint_auditor_keys (asset_id, from_slot, path, public_key, signature)
      values (${asset.id}, ${slot}, '{0,0,0}', ${publicKey}, ${randomSignature()})`);
  await showsFrom(2_000, strangers.asset.auditorPublicKey);
  await showsFrom(3_000, rotated.publicKey);
  const keys = [
    [1_500, asset.auditorPublicKey, 5n],
    [2_500, strangers.asset.auditorPublicKey, 70n],
    // Sent before the mint had the key that it is encrypted to, and afterwards.
    [2_600, rotated.publicKey, 900n],
    [3_500, rotated.publicKey, 2n ** 40n],
    [3_600, asset.auditorPublicKey, 11_000n],
  ] as const;
  await seedRecords(
    foundation,
    asset,
    keys.map(([slot, publicKey, amount]) => ({
      ...{ type: 'confidential_transfer' as const, slot, blockTime: IN_PERIOD },
      ciphertexts: auditorCiphertexts(publicKey, amount),
    })),
  );
  const opened = await office.open({ assetIds: [asset.id], disclosureFlags: EVERY_FLAG });
  const { nodes } = await office.transactions(opened.id);
  const shown = nodes.map(({ amount, undecryptable }) => [amount, undecryptable]);
  const proofs = await Promise.all(nodes.map(({ proof }) => proof));
  const [before, after] = [base64.encode(asset.auditorPublicKey), base64.encode(rotated.publicKey)];
  expect(shown).toEqual([
    ['5', false],
    [null, true],
    ['900', false],
    [(2n ** 40n).toString(), false],
    ['11000', false],
  ]);
  expect(proofs.map((proof) => proof?.auditorElGamalPubkey ?? null)).toEqual([
    ...[before, null, after],
    ...[after, before],
  ]);
  const [totals] = await office.totals(opened.id);
  expect(totals!.totals).toMatchObject([
    { count: 5, amount: (5n + 900n + 2n ** 40n + 11_000n).toString(), undecryptable: 1 },
  ]);

  await using reporting = reportingOf(foundation, office.pool);
  const { foreignId } = office;
  const wanted = { foreignId, caseId: opened.id, reportType: 'transaction_detail' };
  const report = await caseReport(reporting, office.ana.principal, wanted);
  const [, ...rows] = parseCsv(await textOf(foundation, report));
  expect(rows.map((row) => [row[7], row[12]])).toEqual(
    shown.map(([amount, undecryptable]) => [amount ?? '', undecryptable ? 'yes' : '']),
  );
});
