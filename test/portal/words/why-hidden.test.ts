import { describe, expect, it } from '@jest/globals';
import { fc } from '../../kit/properties.js';
import { randomBytes } from 'node:crypto';
import { missingFlag, type Maskable } from '../../../portal/src/screens/cases/why-hidden.ts';
import { maskTransaction } from '../../../src/domain/cases/records/case-transaction.js';
import { CASE_TRANSACTION_TYPES } from '../../../src/domain/cases/records/case-transaction-types.js';
import { newId } from '../../../src/platform/kernel/ids.js';
import { randomAddress, randomSignature } from '../../kit/ledger/confidential-records.js';

const flags = fc.record({
  fullTxIds: fc.boolean(),
  senderInformation: fc.boolean(),
  withdrawalDetails: fc.boolean(),
});

describe('the portal’s explanation why a value is hidden', () => {
  const EXPLAINED = [
    'id',
    'networkTransactionId',
    'blockTime',
    'signer',
    'authority',
    'sourceAccount',
    'destinationAccount',
    'amount',
  ] as const satisfies readonly Maskable[];
  const source = randomAddress();

  it('names for each member exactly the grant with which the gateway shows it', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...CASE_TRANSACTION_TYPES),
        flags,
        fc.constantFrom(source, randomAddress()),
        (type, granted, destinationAccount) => {
          const row = {
            id: newId('txn'),
            assetId: newId('ast'),
            position: 1,
            networkTransactionId: randomSignature(),
            type,
            slot: 1,
            blockTime: 1,
            signer: source,
            authority: randomAddress(),
            publicAmount: null,
            ciphertexts: {},
            sourceAccount: source,
            destinationAccount,
            symbol: 'PUSD',
            decimals: 6,
            reference: randomBytes(16).toString('hex'),
          };
          const hidden = maskTransaction(row, '7', granted).restrictions;
          for (const { member, flag } of hidden)
            expect([member, missingFlag(member, type)]).toEqual([member, flag]);
          for (const member of EXPLAINED) {
            const flag = missingFlag(member, type);
            const hiddenWith = (grants: typeof granted) =>
              maskTransaction(row, '7', grants).restricted.includes(member);
            const others = {
              fullTxIds: true,
              senderInformation: true,
              withdrawalDetails: true,
              [flag]: false,
            };
            const none = { fullTxIds: false, senderInformation: false, withdrawalDetails: false };
            expect([member, hiddenWith(others)]).toEqual([member, hiddenWith(none)]);
            const wider = { ...granted, [missingFlag(member, type)]: true };
            expect(maskTransaction(row, '7', wider).restricted).not.toContain(member);
          }
        },
      ),
    );
  });
});
