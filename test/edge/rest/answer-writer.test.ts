import { describe, expect, it } from '@jest/globals';
import { Type } from 'typebox';
import { answerWriter } from '../../../src/edge/rest/answer-writer.js';
import { AssetSchema } from '../../../src/edge/rest/schemas/asset.js';
import { DisclosureSchema } from '../../../src/edge/rest/schemas/disclosure.js';
import { TransactionPageSchema } from '../../../src/edge/rest/schemas/transaction.js';

describe('the response writer', () => {
  it('omits optional members that are unset', () => {
    const write = answerWriter(AssetSchema);
    expect(JSON.parse(write({ id: 'ast_1', name: 'Euro', mintAddress: null, workspaceId: 'w' }))).toEqual({
      id: 'ast_1',
      name: 'Euro',
      workspaceId: 'w',
    });
  });

  it('writes null for a required member', () => {
    const write = answerWriter(TransactionPageSchema);
    expect(write({ assetId: 'ast_1', transactions: [], nextCursor: null })).toBe(
      '{"assetId":"ast_1","transactions":[],"nextCursor":null}',
    );
  });

  it('omits them in every item of a list', () => {
    const write = answerWriter(TransactionPageSchema);
    const page = {
      transactions: [
        { id: 'txn_1', blockTime: null },
        { id: 'txn_2', blockTime: 7 },
      ],
    };
    expect(JSON.parse(write(page))).toEqual({
      transactions: [{ id: 'txn_1' }, { id: 'txn_2', blockTime: 7 }],
    });
  });

  it('writes null for an optional nullable member, such as an amount that does not decrypt', () => {
    const write = answerWriter(DisclosureSchema);
    const disclosure = { result: { records: [{ transactionId: 'txn_1', amount: null }] } };
    expect(JSON.parse(write(disclosure))).toEqual(disclosure);
  });

  it('leaves opaque JSON unchanged, including nulls', () => {
    const write = answerWriter(Type.Object({ publicData: Type.Object({}) }));
    expect(write({ publicData: { auditorElGamalPubkey: null } })).toBe(
      '{"publicData":{"auditorElGamalPubkey":null}}',
    );
  });

  it('writes null for an absent whole', () => {
    expect(answerWriter(DisclosureSchema)({ id: 'dsc_1', result: null })).toBe(
      '{"id":"dsc_1","result":null}',
    );
  });
});
