import { describe, expect, it, jest } from '@jest/globals';
import { transactionLines, transactionResolvers } from '../../../../src/domain/transactions/index.js';
import { compileOperation, executableSchema } from '../../../../src/edge/graphql/index.js';
import { absencesOf, answerWriter } from '../../../../src/edge/rest/answer-writer.js';
import { restDocument } from '../../../../src/edge/rest/documents.js';
import { TransactionPageSchema, TransactionSchema } from '../../../../src/edge/rest/schemas/transaction.js';
import { stringify } from '../../../../src/platform/kernel/encoding/json-text.js';
import { UnknownForm } from '../../../../src/platform/kernel/encoding/lines.js';
import type { JsonObject } from '../../../../src/platform/kernel/encoding/json.js';
import {
  type Address,
  CONFIDENTIAL_EVENT_TYPES,
  type Signature,
} from '../../../../src/platform/ledger/index.js';
import {
  randomAddress,
  randomSignature,
  seedAsset,
  seedRecords,
} from '../../../kit/ledger/confidential-records.js';
import { fc } from '../../../kit/properties.js';
import { seedApiKey, seedOrganization, openTestFoundation } from '../../../kit/seed.js';

const MEMBERS = [
  ...['id', 'assetId', 'network', 'networkTransactionId', 'type', 'slot', 'blockTime', 'signer', 'indexedAt'],
  ...['sourceAccount', 'destinationAccount'],
];
const PUBLIC_MEMBERS = [
  ...['amount', 'credits', 'enabled', 'decimals', 'authority', 'elGamalRegistry', 'instructionPath'],
  ...['instructionIndex', 'auditorElGamalPubkey', 'autoApproveNewAccounts', 'permissionedBurnAuthority'],
  ...['maximumPendingBalanceCreditCounter', 'expectedPendingBalanceCreditCounter'],
];

/** Some of the members, in any order, possibly one of them with an alias. */
const selected = (members: readonly string[]) =>
  fc
    .tuple(fc.shuffledSubarray([...members], { minLength: 1 }), fc.boolean())
    .map(([names, isRenamed]) =>
      names.map((name, at) => (isRenamed && at === 0 ? `other: ${name}` : name)).join(' '),
    );

const details = fc.record(
  {
    publicData: selected(PUBLIC_MEMBERS).map((members) => `publicData { ${members} }`),
    ciphertexts: fc.constantFrom('ciphertexts { auditor { lo hi } }', 'ciphertexts { a: auditor { hi } }'),
  },
  { requiredKeys: [] },
);

const nodes = fc
  .record({ members: selected(MEMBERS), details, isFragment: fc.boolean() })
  .map(({ members, details: { publicData = '', ciphertexts = '' }, isFragment }) => {
    const selection = `${publicData} ${members} ${ciphertexts}`;
    return isFragment ? `... on IndexedTransaction { ${selection} }` : selection;
  });

const documentOf = (
  node: string,
) => `query ($assetId: ID!, $first: Int, $after: String, $type: ConfidentialEventType,
    $account: String, $from: DateTimeISO, $to: DateTimeISO) {
  list: transactions(assetId: $assetId, first: $first, after: $after, type: $type, account: $account, from: $from,
    to: $to) {
    nodes { ${node} } pageInfo { endCursor hasNextPage }
  }
}`;

const text = fc.oneof(
  { weight: 40, arbitrary: fc.constant(undefined) },
  {
    weight: 1,
    arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }).map((chars) => chars.replaceAll('\0', '')),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      '-',
      '+',
      '"',
      '\\',
      'a\tb',
      'a\nb',
      '\u0001',
      '\u0011',
      '\u0012',
      '\u001f',
      '\u2028',
      'null',
    ),
  },
);

const publicData: fc.Arbitrary<JsonObject> = fc.record(
  {
    amount: fc.oneof(
      fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String),
      fc.constantFrom<unknown>(5, null),
    ),
    credits: fc.constantFrom('confidential', 'non_confidential', null),
    enabled: fc.constantFrom<unknown>(true, false, null, true, false, null, true, false, null, 1),
    decimals: fc.oneof(
      { weight: 9, arbitrary: fc.nat(255) },
      { weight: 1, arbitrary: fc.constantFrom(2 ** 31, 0.5) },
    ),
    authority: fc.string(),
    instructionPath: fc.constantFrom([0, 0, 0], [2 ** 31 - 1, 1, 0]),
    auditorElGamalPubkey: fc.constantFrom(null, 'AAAA', undefined),
    autoApproveNewAccounts: fc.constantFrom(null, true, undefined),
    unknown: fc.constant([{ a: 'b' }]),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<JsonObject>;

const record = fc
  .record({
    type: fc.constantFrom(...CONFIDENTIAL_EVENT_TYPES),
    slot: fc.maxSafeNat(),
    blockTime: fc.option(fc.maxSafeInteger()),
    sourceAccount: fc.oneof(fc.constant(null), text),
    destinationAccount: fc.oneof(fc.constant(null), text),
    signature: text,
    publicData,
    ciphertexts: fc.constantFrom({}, { auditor: { lo: 'bG8=', hi: 'aGk=' } }),
    indexedAt: fc.date({ min: new Date(0), max: new Date('2999-12-31'), noInvalidDate: true }),
  })
  .map(({ sourceAccount, destinationAccount, signature, ...others }) => ({
    ...others,
    signature: `${randomSignature()}${signature ?? ''}` as Signature,
    sourceAccount: (sourceAccount === undefined ? randomAddress() : sourceAccount) as Address | null,
    destinationAccount: (destinationAccount === undefined
      ? randomAddress()
      : destinationAccount) as Address | null,
  }));

const { foundation } = await openTestFoundation();
const schema = executableSchema(transactionResolvers(foundation));
const acme = await seedOrganization(foundation, { name: 'Acme' });

describe('a page read as JSON lines', () => {
  const context = { principal: acme.apiKey.principal, requestId: 'id', clientAddress: '192.0.2.1' };

  const byLines = jest.fn<(page: unknown) => void>();
  const both = (source: string, absences?: ReturnType<typeof absencesOf>) => {
    const { members, list } = transactionLines(foundation);
    const lineFields = {
      transactions: {
        members,
        list: async (...asked: Parameters<typeof list>) => {
          const page = await list(...asked);
          byLines(page);
          return page;
        },
      },
    };
    return {
      rows: compileOperation(schema, source),
      lines: compileOperation(schema, source, { fields: lineFields, absences }),
    };
  };

  const variables = (cursors: readonly string[], accounts: readonly string[]) =>
    fc.record(
      {
        first: fc.constantFrom<unknown>(1, 2, 3, 200, 1, 2, 200, 0, null, 'text'),
        after: fc.constantFrom<unknown>(...cursors, ...cursors, null, null, 'AAAA'),
        type: fc.constantFrom<unknown>(null, null, null, null, 'confidential_transfer', 'none'),
        account: fc.constantFrom(...accounts, null, null, null, 'text'),
        from: fc.constantFrom<unknown>('1965-01-01T00:00:00Z', '1990-01-01T00:00:00Z', null, null, 5),
        to: fc.constantFrom<unknown>('2500-01-01T00:00:00Z', null),
      },
      { requiredKeys: [] },
    );

  it('equals the page of rows byte for byte, for any selection and records', async () => {
    byLines.mockClear();
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { maxLength: 5 }),
        fc.array(nodes, { minLength: 1, maxLength: 4 }),
        fc.gen(),
        async (records, selections, draw) => {
          const asset = await seedAsset(foundation, acme.organization.id);
          await seedRecords(foundation, asset, records);
          const accounts = records.flatMap(({ sourceAccount }) => sourceAccount ?? []);
          for (const selection of selections) {
            const { rows, lines } = both(documentOf(selection));
            let cursors: string[] = [];
            for (let times = 0; times < 3; times += 1) {
              const asked = { assetId: asset.id, ...(draw(variables, cursors, accounts) as object) };
              const expected = await rows(context, asked);
              const answered = await lines(context, asked);
              expect(stringify(answered)).toBe(JSON.stringify(expected));
              const end = (expected.data?.['list'] as { pageInfo?: { endCursor?: string } } | null)?.pageInfo;
              cursors = end?.endCursor ? [end.endCursor] : [];
            }
          }
        },
      ),
      { numRuns: 40 },
    );
    expect(byLines.mock.calls.length).toBeGreaterThan(40);
  }, 480_000);

  it('omits what REST omits', async () => {
    byLines.mockClear();
    const { rows, lines } = both(restDocument('list-transactions'), absencesOf(TransactionSchema));
    const write = answerWriter(TransactionPageSchema);
    const taken = ({ data }: Awaited<ReturnType<typeof rows>>) => {
      const page = data?.['page'] as { transactions: unknown } | null | undefined;
      return page && { assetId: 'id', transactions: page.transactions, nextCursor: null };
    };
    await fc.assert(
      fc.asyncProperty(fc.array(record, { maxLength: 6 }), async (records) => {
        const asset = await seedAsset(foundation, acme.organization.id);
        await seedRecords(foundation, asset, records);
        const expected = taken(await rows(context, { id: asset.id }));
        const answered = taken(await lines(context, { id: asset.id }));
        expect(answered && write(answered)).toBe(expected && write(expected));
      }),
      { numRuns: 60 },
    );
    expect(byLines.mock.calls.length).toBeGreaterThan(30);
  }, 480_000);

  it('requires access to the asset', async () => {
    const asset = await seedAsset(foundation, acme.organization.id);
    await seedRecords(foundation, asset, [{}]);
    const { lines } = both(documentOf('id'));
    const other = await seedOrganization(foundation, { name: 'Other' });
    const scopeless = await seedApiKey(foundation, acme.organization.id, ['assets:read']);
    for (const [principal, message] of [
      [other.apiKey.principal, /no such asset/i],
      [scopeless.principal, /transactions:read/],
      [undefined, /./],
    ] as const) {
      const { data, errors } = await lines({ ...context, principal }, { assetId: asset.id });
      expect(data).toEqual({ list: null });
      expect(errors?.[0]?.message).toMatch(message);
    }
  });

  it('is read again as rows only if a record does not fit on a line', async () => {
    const asset = await seedAsset(foundation, acme.organization.id);
    await seedRecords(foundation, asset, [{}]);
    const failing = (thrown: Error) =>
      compileOperation(schema, documentOf('slot'), {
        fields: {
          transactions: { ...transactionLines(foundation), list: () => Promise.reject(thrown) },
        },
      })(context, { assetId: asset.id });
    const away = new Error('The database is away.');
    const { data, errors } = await failing(away);
    expect(data).toEqual({ list: null });
    expect(errors).toEqual([expect.objectContaining({ path: ['list'], originalError: away })]);
    expect(await failing(new UnknownForm('A record of an unknown form.'))).toMatchObject({
      data: { list: { nodes: [{}] } },
    });
  });
});
