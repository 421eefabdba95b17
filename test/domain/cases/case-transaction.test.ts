import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { fc } from '../../kit/properties.js';
import { caseTotals } from '../../../src/domain/cases/index.js';
import { maskTransaction, type CaseRow } from '../../../src/domain/cases/records/case-transaction.js';
import {
  CASE_TRANSACTION_TYPES,
  type CaseTransactionType,
} from '../../../src/domain/cases/records/case-transaction-types.js';
import { newId } from '../../../src/platform/kernel/ids.js';
import type { Address } from '../../../src/platform/ledger/index.js';
import { randomAddress, randomSignature } from '../../kit/ledger/confidential-records.js';
import { EVERY_FLAG, NO_FLAGS } from './kit.js';

const flags = fc.record({
  fullTxIds: fc.boolean(),
  senderInformation: fc.boolean(),
  withdrawalDetails: fc.boolean(),
});

const address = fc.constant(null).map(randomAddress);
const amount = fc.option(fc.bigInt({ min: 1_000_000_007n, max: 2n ** 64n - 1n }).map(String), {
  nil: undefined,
});

/** Accounts as on the ledger: deposits and withdrawals stay within one, a mint has no source, a burn no destination. */
const row: fc.Arbitrary<CaseRow> = fc
  .record({
    type: fc.constantFrom(...CASE_TRANSACTION_TYPES),
    source: address,
    destination: address,
    toItself: fc.boolean(),
    signer: address,
    signerIsAuthority: fc.boolean(),
    authority: address,
    blockTime: fc.integer({ min: 0, max: 2_000_000_000 }),
  })
  .map(({ type, source, destination, toItself, signer, signerIsAuthority, authority, blockTime }) => {
    const own = type === 'confidential_deposit' || type === 'confidential_withdraw' || toItself;
    return {
      id: newId('txn'),
      assetId: newId('ast'),
      position: 7,
      networkTransactionId: randomSignature(),
      type,
      slot: 391_204_417,
      blockTime,
      signer,
      authority: signerIsAuthority ? signer : authority,
      publicAmount: null,
      ciphertexts: {},
      sourceAccount: type === 'confidential_mint' ? null : source,
      destinationAccount: type === 'confidential_burn' ? null : own ? source : destination,
      symbol: 'PUSD',
      decimals: 6,
      reference: randomBytes(16).toString('hex'),
    } as const;
  });

const sendersOf = ({ signer, authority, sourceAccount }: CaseRow) =>
  [signer, authority, sourceAccount].filter((sender) => sender !== null);

describe('masking a transaction of a case', () => {
  it('shows no id, signature or sender, and no withdrawal, if no flag is set', () => {
    fc.assert(
      fc.property(row, amount, (record, known) => {
        const text = JSON.stringify(maskTransaction(record, known, NO_FLAGS));
        for (const secret of [record.id, record.networkTransactionId, ...sendersOf(record)])
          expect(text).not.toContain(secret);
        // The ends of a signature alone would identify the transaction on the ledger.
        expect(text).not.toContain(record.id.slice(-8));
        expect(text).not.toContain(record.networkTransactionId.slice(-8));
        expect(text).not.toContain(record.networkTransactionId.slice(0, 8));
        if (record.type === 'confidential_withdraw') {
          expect(text).not.toContain(record.destinationAccount);
          if (known !== undefined) expect(text).not.toContain(known);
        }
      }),
    );
  });

  it('shows everything if every flag is set', () => {
    fc.assert(
      fc.property(row, amount, (record, known) => {
        const shown = maskTransaction(record, known, EVERY_FLAG);
        const { id, networkTransactionId, signer, authority, sourceAccount, destinationAccount } = record;
        expect(shown).toMatchObject({
          ...{ id, networkTransactionId, signer, authority, sourceAccount, destinationAccount },
          amount: known ?? null,
          undecryptable: known === undefined,
          restricted: [],
        });
      }),
    );
  });

  it('hides by each missing flag exactly what it describes, and names the flag', () => {
    fc.assert(
      fc.property(row, amount, flags, (record, known, granted) => {
        const shown = maskTransaction(record, known, granted);
        const full = maskTransaction(record, known, EVERY_FLAG);
        const withdrawal = record.type === 'confidential_withdraw';
        const ownAccount = sendersOf(record).includes(record.destinationAccount as Address);

        expect(shown.id === full.id).toBe(granted.fullTxIds);
        if (!granted.fullTxIds) {
          expect(shown.id).toBe(`ref_${record.reference}`);
          expect(shown.networkTransactionId).toBeNull();
        }
        const day = Math.floor(record.blockTime / 86_400) * 86_400;
        expect(shown.blockTime).toBe(granted.fullTxIds ? record.blockTime : day);
        for (const member of ['signer', 'authority', 'sourceAccount'] as const)
          expect(shown[member]).toBe(granted.senderInformation ? full[member] : null);
        const showsDestination = withdrawal
          ? granted.withdrawalDetails
          : granted.senderInformation || !ownAccount;
        expect(shown.destinationAccount).toBe(showsDestination ? full.destinationAccount : null);
        const showsAmount = !withdrawal || granted.withdrawalDetails;
        expect(shown.amount).toBe(showsAmount ? full.amount : null);
        expect(shown.undecryptable).toBe(showsAmount && known === undefined);

        for (const member of ['signer', 'authority', 'sourceAccount', 'destinationAccount'] as const)
          expect(shown.restricted.includes(member)).toBe(shown[member] !== full[member]);
        expect(shown.restricted.includes('amount')).toBe(!showsAmount);
        for (const member of ['id', 'networkTransactionId', 'blockTime'] as const)
          expect(shown.restricted.includes(member)).toBe(!granted.fullTxIds);
      }),
    );
  });

  it('never hides more when a flag is added', () => {
    fc.assert(
      fc.property(row, amount, flags, flags, (record, known, some, more) => {
        const both = {
          fullTxIds: some.fullTxIds || more.fullTxIds,
          senderInformation: some.senderInformation || more.senderInformation,
          withdrawalDetails: some.withdrawalDetails || more.withdrawalDetails,
        };
        const less = maskTransaction(record, known, some);
        const wider = maskTransaction(record, known, both);
        for (const member of wider.restricted) expect(less.restricted).toContain(member);
      }),
    );
  });
});

describe('the totals of a case', () => {
  const transactions = fc.array(fc.tuple(row, amount), { maxLength: 30 });

  it('are the sums of its parts, for any split', () => {
    fc.assert(
      fc.property(transactions, flags, fc.nat(), (records, granted, cut) => {
        const assetId = newId('ast');
        const masked = records.map(([record, known]) =>
          maskTransaction({ ...record, assetId }, known, granted),
        );
        const whole = caseTotals();
        whole.add(masked);
        const parts = caseTotals();
        parts.add(masked.slice(0, cut));
        parts.add(masked.slice(cut));
        expect(parts.result()).toEqual(whole.result());

        const [asset] = whole.result();
        const totals = asset?.totals ?? [];
        expect(totals.reduce((sum, { count }) => sum + count, 0)).toBe(masked.length);
        for (const { type, count, amount: sum, undecryptable, restricted } of totals) {
          const ofType = masked.filter((transaction) => transaction.type === type);
          const known = ofType.filter((transaction) => transaction.amount !== null);
          expect(count).toBe(known.length + undecryptable + restricted);
          expect(BigInt(sum)).toBe(known.reduce((total, shown) => total + BigInt(shown.amount ?? 0), 0n));
        }
      }),
    );
  });

  it('give only the number of withdrawals that are not shown', () => {
    const withdrawal = fc.sample(row, { numRuns: 200 }).find(({ type }) => type === 'confidential_withdraw')!;
    const totals = caseTotals();
    totals.add([maskTransaction(withdrawal, '123456', NO_FLAGS)]);
    expect(totals.result()[0]!.totals).toEqual([
      {
        type: 'confidential_withdraw' satisfies CaseTransactionType,
        flow: 'out',
        count: 1,
        amount: '0',
        undecryptable: 0,
        restricted: 1,
      },
    ]);
  });
});
