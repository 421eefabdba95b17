import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createWallet } from '../../../devnet/index.js';
import { generateElGamalKeypair } from '../../../src/platform/crypto/index.js';
import { base64 } from '../../../src/platform/kernel/encoding/bytes.js';
import { eventually } from '../../kit/eventually.js';
import { forFile } from '../../kit/for-file.js';
import { bearer, graphql, sessionOf, startTestApp } from '../../kit/app.js';

interface Range {
  readonly fromSlot: number;
  readonly toSlot: number | null;
  readonly auditorElGamalPubkey?: string;
}

/** The answer that docs/concepts.md shows. */
async function documented(): Promise<Range[]> {
  const text = await readFile(path.resolve(import.meta.dirname, '../../../docs/concepts.md'), 'utf8');
  const [, answer] = /```json\n(\{[^`]*"auditorKeyCoverage"[^`]*)```/.exec(text)!;
  const { data } = JSON.parse(answer!) as { data: { asset: { auditorKeyCoverage: { nodes: Range[] } } } };
  return data.asset.auditorKeyCoverage.nodes;
}

/** With the slots and keys replaced by their ordinal numbers, because they differ in each run. */
function shapeOf(ranges: readonly Range[]): object[] {
  const slots = new Set(ranges.flatMap(({ fromSlot, toSlot }) => [fromSlot, toSlot]));
  const keys = new Set(ranges.map((range) => range.auditorElGamalPubkey));
  const slot = (value: number | null) => (value === null ? null : [...slots].indexOf(value));
  return ranges.map((range) => ({
    ...range,
    ...{ fromSlot: slot(range.fromSlot), toSlot: slot(range.toSlot) },
    auditorElGamalPubkey: [...keys].indexOf(range.auditorElGamalPubkey),
  }));
}

const app = forFile(await startTestApp());

describe('a mint that has had three auditor keys', () => {
  async function ask<Data>(query: string, variables: object = {}, asOwner = false): Promise<Data> {
    const { secret } = app.organization.apiKey;
    const headers = asOwner ? sessionOf(app, app.organization.owner.sessionToken) : bearer(secret);
    const { data, errors } = await graphql(app, query, { variables, headers });
    expect(errors).toBeUndefined();
    return data as Data;
  }
  const coverage = async (id: string, page = '') => {
    const { asset } = await ask<{
      asset: {
        auditorKeyCoverage: { nodes: Range[]; pageInfo: { hasNextPage: boolean; endCursor: string } };
      };
    }>(
      `query ($id: ID!) { asset(id: $id) { auditorKeyCoverage${page} {
        nodes { fromSlot toSlot auditorElGamalPubkey epoch readable reason } pageInfo { hasNextPage endCursor } } } }`,
      { id },
    );
    return asset.auditorKeyCoverage;
  };

  it('lists each key with its slots, and a disclosure decrypts what was encrypted to the two known keys', async () => {
    const { createAsset } = await ask<{ createAsset: { id: string; auditorElGamalPubkey: string } }>(
      `mutation { createAsset(input: { name: "Euro", symbol: "EUR", decimals: 2 }) { id auditorElGamalPubkey } }`,
    );
    const { id, auditorElGamalPubkey: first } = createAsset;
    const wallet = await createWallet({ rpcUrl: app.ledger.rpcUrl });
    const mint = await wallet.deployMint({ decimals: 2, auditorPublicKey: base64.decode(first)! });
    const alice = await mint.configureAccount('alice');
    const bob = await mint.configureAccount('bob');
    await alice.fund(100n);
    await alice.deposit(100n);
    await alice.applyPending();
    await ask(
      'mutation ($id: ID!, $mint: String!) { bindMint(input: { assetId: $id, mintAddress: $mint }) { id } }',
      {
        id,
        mint: mint.address,
      },
    );

    await alice.transfer(bob, 1n);
    const foreign = generateElGamalKeypair().publicKey;
    await mint.rotateAuditor(foreign);
    await alice.transfer(bob, 2n);
    const { rotateAuditorKey } = await ask<{
      rotateAuditorKey: { epoch: number; auditorElGamalPubkey: string };
    }>(
      'mutation { rotateAuditorKey(input: { reason: "A leak", fromEpoch: 1 }) { epoch auditorElGamalPubkey } }',
      {},
      true,
    );
    const { epoch, auditorElGamalPubkey: second } = rotateAuditorKey;
    expect(epoch).toBe(2);
    expect(await ask('{ auditorKeys { epoch auditorElGamalPubkey } }')).toEqual({
      auditorKeys: [
        { epoch: 2, auditorElGamalPubkey: second },
        { epoch: 1, auditorElGamalPubkey: first },
      ],
    });
    await mint.rotateAuditor(base64.decode(second));
    await alice.transfer(bob, 3n);

    const { nodes: records } = await eventually(
      async () =>
        (
          await ask<{ transactions: { nodes: { id: string }[] } }>(
            'query ($id: ID!) { transactions(assetId: $id, type: confidential_transfer) { nodes { id } } }',
            { id },
          )
        ).transactions,
      ({ nodes }) => nodes.length === 3,
    );
    const ranges = (await coverage(id)).nodes;
    expect(ranges).toMatchObject([
      { auditorElGamalPubkey: first, epoch: 1, readable: true, reason: null },
      { auditorElGamalPubkey: base64.encode(foreign), epoch: null, readable: false, reason: 'foreign_key' },
      { auditorElGamalPubkey: second, epoch: 2, readable: true, reason: null, toSlot: null },
    ]);
    expect(shapeOf(ranges)).toEqual(shapeOf(await documented()));
    expect(ranges.slice(1).map(({ fromSlot }) => fromSlot)).toEqual(
      ranges.slice(0, -1).map(({ toSlot }) => toSlot),
    );

    expect(
      await ask('query ($id: ID!) { asset(id: $id) { mintAuditorKey { fromSlot toSlot epoch } } }', { id }),
    ).toEqual({
      asset: { mintAuditorKey: { fromSlot: ranges.at(-1)!.fromSlot, toSlot: null, epoch: 2 } },
    });

    const page = await coverage(id, '(first: 2)');
    expect(page).toEqual({
      nodes: ranges.slice(0, 2),
      pageInfo: { hasNextPage: true, endCursor: expect.any(String) },
    });
    const rest = await coverage(id, `(first: 2, after: "${page.pageInfo.endCursor}")`);
    expect(rest.nodes).toEqual(ranges.slice(2));

    const { requestDisclosure } = await ask<{ requestDisclosure: { id: string } }>(
      'mutation ($input: RequestDisclosureInput!) { requestDisclosure(input: $input) { id } }',
      {
        input: {
          assetId: id,
          purpose: 'Audit',
          format: 'json',
          scope: { transactionIds: records.map((record) => record.id), fields: ['amount'] },
        },
      },
    );
    const { decideDisclosure } = await ask<{ decideDisclosure: { result: { records: object[] } } }>(
      `mutation ($id: ID!) { decideDisclosure(input: { id: $id, decision: authorize }) {
        result { records { amount undecryptable proof { amount { auditorElGamalPubkey } } } } } }`,
      requestDisclosure,
      true,
    );
    expect(decideDisclosure.result.records).toMatchObject([
      { amount: '1', proof: { amount: { auditorElGamalPubkey: first } } },
      { amount: null, undecryptable: ['amount'], proof: null },
      { amount: '3', proof: { amount: { auditorElGamalPubkey: second } } },
    ]);
  }, 480_000);

  it('refuses a cursor of another asset, and an invalid one', async () => {
    const create = async () =>
      (
        await ask<{ createAsset: { id: string } }>(
          'mutation { createAsset(input: { name: "Euro", symbol: "EUR", decimals: 2 }) { id } }',
        )
      ).createAsset.id;
    const { coverageCursor } =
      await import('../../../src/domain/assets/auditor-keys/auditor-key-coverage.js');
    const [one, other] = [await create(), await create()];
    const place = { fromSlot: 1, position: 1 } as never;
    for (const after of [coverageCursor(other as never, place), 'bm9uZQ']) {
      const { errors } = await graphql(
        app,
        'query ($id: ID!, $after: String) { asset(id: $id) { auditorKeyCoverage(after: $after) { nodes { epoch } } } }',
        { variables: { id: one, after }, headers: bearer(app.organization.apiKey.secret) },
      );
      expect(errors?.[0]?.extensions).toMatchObject({
        code: 'BAD_USER_INPUT',
        members: [{ member: 'after' }],
      });
    }
  });
});
