import { describe, expect, it } from '@jest/globals';
import { type TSchema, Type } from 'typebox';
import { answerWriter } from '../../../../src/edge/rest/answer-writer.js';
import { AssetSchema } from '../../../../src/edge/rest/schemas/asset.js';
import { DisclosureSchema } from '../../../../src/edge/rest/schemas/disclosure.js';
import { TransactionPageSchema } from '../../../../src/edge/rest/schemas/transaction.js';

const writer = (schema: TSchema) => {
  const write = answerWriter(schema);
  return async (answer: unknown) => String(await write(answer));
};

describe('the response writer', () => {
  it('omits optional members that are unset', async () => {
    const write = writer(AssetSchema);
    expect(
      JSON.parse(await write({ id: 'ast_1', name: 'Euro', mintAddress: null, workspaceId: 'w' })),
    ).toEqual({
      id: 'ast_1',
      name: 'Euro',
      workspaceId: 'w',
    });
  });

  it('writes null for a required member', async () => {
    const write = writer(TransactionPageSchema);
    expect(await write({ assetId: 'ast_1', transactions: [], nextCursor: null })).toBe(
      '{"assetId":"ast_1","transactions":[],"nextCursor":null}',
    );
  });

  it('omits them in every item of a list', async () => {
    const write = writer(TransactionPageSchema);
    const page = {
      transactions: [
        { id: 'txn_1', blockTime: null },
        { id: 'txn_2', blockTime: 7 },
      ],
    };
    expect(JSON.parse(await write(page))).toEqual({
      transactions: [{ id: 'txn_1' }, { id: 'txn_2', blockTime: 7 }],
    });
  });

  it('writes null for an optional nullable member, such as an amount that does not decrypt', async () => {
    const write = writer(DisclosureSchema);
    const disclosure = { result: { records: [{ transactionId: 'txn_1', amount: null }] } };
    expect(JSON.parse(await write(disclosure))).toEqual(disclosure);
  });

  it('leaves opaque JSON unchanged, including nulls', async () => {
    const write = writer(Type.Object({ publicData: Type.Object({}) }));
    expect(await write({ publicData: { auditorElGamalPubkey: null } })).toBe(
      '{"publicData":{"auditorElGamalPubkey":null}}',
    );
  });

  it('writes null for an absent whole', async () => {
    expect(await writer(DisclosureSchema)({ id: 'dsc_1', result: null })).toBe(
      '{"id":"dsc_1","result":null}',
    );
  });
});
