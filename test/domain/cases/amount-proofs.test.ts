import { expect, it } from '@jest/globals';
import { proveCaseAmounts } from '../../../src/domain/cases/records/prove-transactions.js';
import { TOKEN_2022_SPLIT, verifyDecryption } from '../../../src/platform/crypto/index.browser.js';
import { sql } from '../../../src/platform/database/index.js';
import { base64 } from '../../../src/platform/kernel/encoding/bytes.js';
import { newId } from '../../../src/platform/kernel/ids.js';
import { auditorCiphertexts, seedAsset, seedRecords } from '../../kit/ledger/confidential-records.js';
import { openTestFoundation } from '../../kit/seed.js';
import { codeOf, EVERY_FLAG, logOf, openOffice, setClock } from './kit.js';

const IN_PERIOD = Date.parse('2026-02-14T12:00:00Z') / 1000;

const clock = setClock();
const { database, foundation } = await openTestFoundation(clock);
const office = await openOffice(foundation);
const assets = await Promise.all(
  [1, 2].map(() => seedAsset(foundation, office.organization.id, { applicationId: office.application.id })),
);
for (const asset of assets)
  await seedRecords(foundation, asset, [
    ...[70n, 2n ** 40n].map((amount, index) => ({
      ciphertexts: auditorCiphertexts(asset.auditorPublicKey, amount),
      blockTime: IN_PERIOD + index,
    })),
    { type: 'confidential_withdraw', publicData: { amount: '9' }, blockTime: IN_PERIOD + 2 },
  ]);

type Amounts = Parameters<typeof proveCaseAmounts>[3]['amounts'];
const prove = (caseId: string, amounts: Amounts, principal = office.ana.principal) =>
  proveCaseAmounts(foundation, office.pool, principal, { foreignId: office.foreignId, caseId, amounts });
const amountsIn = async (caseId: string) =>
  (await office.transactions(caseId)).nodes.map(({ id, amount }) => ({ transactionId: id, amount: amount! }));
const viewsOf = (caseId: string) =>
  database.rows(sql`select answers, transactions from case_views where case_id = ${caseId}`);

it('the amounts that someone read are proven in any order, and only to who states them', async () => {
  const { id } = await office.open({ disclosureFlags: EVERY_FLAG });
  const amounts = await amountsIn(id);
  const [one, other] = amounts.filter(({ amount }) => amount !== '9');
  const open = amounts.find(({ amount }) => amount === '9')!;
  const asked = [
    ...amounts.toReversed(),
    { ...one!, amount: String(BigInt(one!.amount) + 1n) },
    { ...one!, amount: `0${one!.amount}` },
    { transactionId: other!.transactionId, amount: String(BigInt(other!.amount) - 1n) },
    { ...open, amount: 'nine' },
  ];
  const proofs = await prove(id, asked);
  const holds = proofs.map((proof, index) => {
    if (proof === null) return null;
    const { lo, hi } = proof.ciphertext;
    return verifyDecryption({
      publicKey: base64.decode(proof.auditorElGamalPubkey)!,
      ciphertext: { lo: base64.decode(lo)!, hi: base64.decode(hi)!, ...TOKEN_2022_SPLIT },
      value: BigInt(asked[index]!.amount),
      proof: base64.decode(proof.proof)!,
    });
  });
  const honest = amounts.toReversed().map(({ amount }) => (amount === '9' ? null : true));
  expect(honest.filter((held) => held === true)).toHaveLength(4);
  expect(holds).toEqual([...honest, null, null, null, null]);
});

it('proofs count as an answer without transactions, which were counted when they were read', async () => {
  const { id } = await office.open({ disclosureFlags: EVERY_FLAG });
  const amounts = await amountsIn(id);
  expect(await viewsOf(id)).toEqual([{ answers: 1, transactions: 6 }]);
  await prove(id, amounts);
  expect(await viewsOf(id)).toEqual([{ answers: 2, transactions: 6 }]);
  const views = async () => (await logOf(foundation, id)).filter((type) => type === 'case.viewed').length;
  expect(await views()).toBe(1);
  // In another hour, the proofs are the first that is read.
  clock.advance(60 * 60 * 1_000);
  await prove(id, amounts);
  expect(await views()).toBe(2);
});

it('a transaction counts as read by who states another amount for it, however often', async () => {
  const { id } = await office.open({ disclosureFlags: EVERY_FLAG });
  const [one, two] = (await amountsIn(id)).filter(({ amount }) => amount !== '9');
  const guesses = Array.from({ length: 50 }, (_, guess) => ({ ...one!, amount: `${guess}000000000` }));
  await prove(id, [...guesses, one!, two!]);
  expect(await viewsOf(id)).toEqual([{ answers: 2, transactions: 7 }]);
});

it('proofs are refused for what the case does not show, in the same words as for what does not exist', async () => {
  const { id } = await office.open({ disclosureFlags: EVERY_FLAG });
  const [one] = await amountsIn(id);
  const strangers = await openOffice(foundation, 'strangers');
  const [theirs] = await seedRecords(foundation, strangers.asset, [
    { ciphertexts: auditorCiphertexts(strangers.asset.auditorPublicKey, 5n), blockTime: IN_PERIOD },
  ]);
  const messageOf = async (caseId: string, transactionId: string, principal = office.ana.principal) =>
    prove(caseId, [one!, { transactionId, amount: '5' }], principal).then(
      () => 'proven',
      (thrown: unknown) => (thrown as Error).message,
    );
  const unknown = await messageOf(id, newId('txn'));
  expect(await messageOf(id, theirs!.id)).toBe(unknown);
  expect(await messageOf(id, `ref_${'0'.repeat(32)}`)).toBe(unknown);
  const least = await office.open({});
  expect(await messageOf(least.id, one!.transactionId)).toBe(unknown);
  const earlier = await office.open({ disclosureFlags: EVERY_FLAG, periodTo: '2026-02-13' });
  expect(await messageOf(earlier.id, one!.transactionId)).toBe(unknown);
  const narrow = await office.open({ disclosureFlags: EVERY_FLAG, assetIds: [office.asset.id] });
  expect(await messageOf(narrow.id, one!.transactionId)).toBe(unknown);
  expect(await viewsOf(earlier.id)).toEqual([]);

  expect(await codeOf(prove(id, []))).toBe('BAD_USER_INPUT');
  expect(
    await codeOf(
      prove(
        id,
        Array.from({ length: 201 }, () => one!),
      ),
    ),
  ).toBe('BAD_USER_INPUT');
  expect(await codeOf(prove(id, [one!], office.abel.principal))).toBe('NOT_FOUND');
  expect(await codeOf(prove(id, [one!], office.administrator.principal))).toBe('FORBIDDEN');
  clock.advance(31 * 24 * 60 * 60 * 1_000);
  expect(await codeOf(prove(id, [one!]))).toBe('NOT_FOUND');
});
