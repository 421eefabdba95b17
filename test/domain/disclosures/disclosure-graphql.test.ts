import { describe, expect, it } from '@jest/globals';
import { graphql, parse, subscribe, type ExecutionResult } from 'graphql';
import { assetResolvers } from '../../../src/domain/assets/index.js';
import { disclosureResolvers, verifyDisclosureFile } from '../../../src/domain/disclosures/index.js';
import { executableSchema } from '../../../src/edge/graphql/index.js';
import type { Principal } from '../../../src/domain/access/index.js';
import { transactionResolvers } from '../../../src/domain/transactions/index.js';
import { randomAddress, seedRecords } from '../../kit/ledger/confidential-records.js';
import { openTestFoundation, seedMember, seedOrganization } from '../../kit/seed.js';
import { disclosureDesk, seedTransfers } from './kit.js';

const { foundation } = await openTestFoundation();
const acme = await seedOrganization(foundation);
const schema = executableSchema([
  ...assetResolvers.map((Resolver) => new Resolver(foundation)),
  ...transactionResolvers(foundation),
  ...disclosureResolvers(foundation, disclosureDesk(foundation).fulfilment),
]);

describe('transactions and disclosures in GraphQL', () => {
  const contextOf = (principal: Principal) => ({ principal, requestId: 'test', clientAddress: '192.0.2.1' });

  async function run(principal: Principal, source: string, variableValues: object = {}) {
    const answer = await graphql({
      schema,
      source,
      contextValue: contextOf(principal),
      variableValues: variableValues as Record<string, unknown>,
    });
    expect(answer.errors).toBeUndefined();
    return JSON.parse(JSON.stringify(answer.data)) as Record<string, never>;
  }

  const DISCLOSURE = `id assetId purpose format status externalReference requestedAt resolvedAt decision policyId
    scope { transactionIds account from to fields }
    result { format generatedAt receiptId content salt
      records { transactionId networkTransactionId type slot blockTime sourceAccount destinationAccount decimals
        proof { amount { auditorElGamalPubkey ciphertext { lo hi } proof __typename } }
        amount public undecryptable fee unavailable __typename }
      proof { scheme group statement check } receipt { id body signature verifierKey } }`;

  it('take a disclosure from its policy to a file that verifies', async () => {
    const { createDisclosurePolicy } = await run(
      acme.owner.principal,
      `mutation ($input: CreateDisclosurePolicyInput!) { createDisclosurePolicy(input: $input) {
        id key rules { allowedFields maximumRecords inside } } }`,
      {
        input: {
          key: 'graphql',
          name: 'GraphQL',
          allowedFields: ['amount'],
          allowedFormats: ['json'],
          maximumRecords: 2,
          inside: 'authorize',
          outside: 'review',
        },
      },
    );
    expect(createDisclosurePolicy).toMatchObject({ key: 'graphql', rules: { allowedFields: ['amount'] } });

    const { asset, ids } = await seedTransfers(foundation, acme, [3n, 4n], 'graphql');
    const { requestDisclosure } = await run(
      acme.apiKey.principal,
      `mutation ($input: RequestDisclosureInput!) { requestDisclosure(input: $input) { ${DISCLOSURE} } }`,
      {
        input: {
          idempotencyKey: 'g-1',
          assetId: asset.id,
          purpose: 'Audit',
          scope: { transactionIds: ids, fields: ['amount'] },
          format: 'json',
        },
      },
    );
    expect(requestDisclosure).toMatchObject({
      status: 'available',
      scope: { transactionIds: ids, account: null },
    });
    const { id } = requestDisclosure as unknown as { id: string };
    const read = await run(
      acme.apiKey.principal,
      `query ($id: ID!) { disclosure(id: $id) { ${DISCLOSURE} } }`,
      {
        id,
      },
    );
    expect(read['disclosure']).toEqual(requestDisclosure);
    const POLICY = 'query ($id: ID!) { disclosure(id: $id) { policyId policy { id key name } } }';
    const { id: policyId } = createDisclosurePolicy as unknown as { id: string };
    const policy = { id: policyId, key: 'graphql', name: 'GraphQL' };
    const toOwner = await run(acme.owner.principal, POLICY, { id });
    expect(toOwner).toEqual({ disclosure: { policyId, policy } });
    const toApiKey = await run(acme.apiKey.principal, POLICY, { id });
    expect(toApiKey).toEqual({ disclosure: { policyId, policy: null } });
    expect(verifyDisclosureFile({ data: read })).toMatchObject({ valid: true });
  });

  it('name the policy that left a disclosure to a person, and none that was created after it, even if the clock shows no later time', async () => {
    const desk = disclosureDesk(foundation);
    const { asset, ids } = await seedTransfers(foundation, acme, [3n], 'review-later');
    const ask = () =>
      desk.request(acme.apiKey.principal, {
        assetId: asset.id,
        purpose: 'Audit',
        scope: { transactionIds: ids, fields: ['amount'] },
        format: 'json',
      });
    const before = await ask();
    const policy = await disclosureDesk({
      ...foundation,
      clock: { ...foundation.clock, now: () => before.requestedAt },
    }).policy(acme.owner.principal, { key: 'review-later', inside: 'review' });
    const after = await ask();
    const { disclosures } = await run(
      acme.owner.principal,
      'query ($asset: ID!) { disclosures(assetId: $asset) { nodes { id policyId policy { id key name } } } }',
      { asset: asset.id },
    );
    expect(disclosures).toEqual({
      nodes: [
        {
          id: after.id,
          policyId: null,
          policy: { id: policy.id, key: 'review-later', name: 'Everything at once' },
        },
        { id: before.id, policyId: null, policy: null },
      ],
    });
  });

  const ABOUT_RECORDS = `query ($id: ID!, $after: String) { disclosure(id: $id) {
    preview { records byType { type count } earliest latest accounts }
    chosenRecords(first: 2, after: $after) { nodes { id type blockTime } pageInfo { hasNextPage endCursor } } } }`;

  it('show what a disclosure selects before it is decided: in numbers, and record by record', async () => {
    const { asset, ids } = await seedTransfers(foundation, acme, [3n]);
    const [source, destination] = [randomAddress(), randomAddress()];
    const records = await seedRecords(foundation, asset, [
      { blockTime: 1_700_000_000, sourceAccount: source, destinationAccount: destination },
      { type: 'confidential_deposit', blockTime: 1_700_086_400, sourceAccount: source },
      // Not chosen.
      { blockTime: 1_600_000_000 },
    ]);
    const chosen = [...records.slice(0, 2).map((record) => record.id), ids[0]!];
    const ask = (scope: object) =>
      disclosureDesk(foundation).request(acme.apiKey.principal, {
        assetId: asset.id,
        purpose: 'Audit',
        scope: { fields: ['amount'], ...scope },
        format: 'json',
      });
    const { id } = await ask({ transactionIds: chosen });
    const read = async (variables: object) =>
      (await run(acme.owner.principal, ABOUT_RECORDS, variables))['disclosure'] as unknown as {
        preview: Record<string, unknown>;
        chosenRecords: { nodes: { id: string }[]; pageInfo: { hasNextPage: boolean; endCursor: string } };
      };
    const first = await read({ id });
    expect(first.preview).toMatchObject({
      records: 3,
      byType: [
        { type: 'confidential_deposit', count: 1 },
        { type: 'confidential_transfer', count: 2 },
      ],
      earliest: 1_700_000_000,
    });
    const { endCursor } = first.chosenRecords.pageInfo;
    const second = await read({ id, after: endCursor });
    expect([first, second].map(({ chosenRecords }) => chosenRecords.pageInfo.hasNextPage)).toEqual([
      true,
      false,
    ]);
    expect(
      [first, second].flatMap(({ chosenRecords }) => chosenRecords.nodes.map((node) => node.id)),
    ).toEqual(chosen);

    const ofAccount = await read({ id: (await ask({ account: destination })).id });
    expect(ofAccount).toEqual({
      preview: {
        records: 1,
        byType: [{ type: 'confidential_transfer', count: 1 }],
        ...{ earliest: 1_700_000_000, latest: 1_700_000_000, accounts: 2 },
      },
      chosenRecords: null,
    });
    const none = await read({ id: (await ask({ account: randomAddress() })).id });
    expect(none.preview).toEqual({ records: 0, byType: [], earliest: null, latest: null, accounts: 0 });
  });

  it('show single records only to those who may list transactions', async () => {
    const { asset, ids } = await seedTransfers(foundation, acme, [3n]);
    const { id } = await disclosureDesk(foundation).request(acme.apiKey.principal, {
      ...{ assetId: asset.id, purpose: 'Audit', format: 'json' },
      scope: { transactionIds: ids, fields: ['amount'] },
    });
    const decider = await seedMember(foundation, acme.organization.id, {
      owner: [],
      applications: [{ foreignId: 'payments', administrator: ['disclosures:decide'] }],
    });
    const answer = await graphql({
      ...{ schema, source: ABOUT_RECORDS, variableValues: { id } },
      contextValue: contextOf(decider.principal),
    });
    expect(JSON.parse(JSON.stringify(answer))).toMatchObject({
      data: { disclosure: { preview: { records: 1 }, chosenRecords: null } },
      errors: [{ path: ['disclosure', 'chosenRecords'] }],
    });
  });

  it('accept a scope by account with times, and a decision', async () => {
    const { asset } = await seedTransfers(foundation, acme, [3n]);
    const { requestDisclosure } = await run(
      acme.apiKey.principal,
      `mutation ($input: RequestDisclosureInput!) { requestDisclosure(input: $input) { ${DISCLOSURE} } }`,
      {
        input: {
          assetId: asset.id,
          purpose: 'Audit',
          scope: {
            account: asset.mintAddress,
            from: '2023-01-01T00:00:00Z',
            to: '2030-01-01T00:00:00+01:00',
            fields: ['amount', 'fee'],
          },
          format: 'csv',
        },
      },
    );
    expect(requestDisclosure).toMatchObject({
      status: 'pending',
      result: null,
      scope: { from: '2023-01-01T00:00:00.000Z', to: '2029-12-31T23:00:00.000Z', transactionIds: null },
    });
    const { id } = requestDisclosure as unknown as { id: string };
    const { decideDisclosure } = await run(
      acme.owner.principal,
      `mutation ($id: ID!) { decideDisclosure(input: { id: $id, decision: authorize }) { ${DISCLOSURE} } }`,
      { id },
    );
    expect(decideDisclosure).toMatchObject({ status: 'available', decision: 'authorize' });
    expect(verifyDisclosureFile(decideDisclosure)).toMatchObject({ valid: true });
    const { receiptId } = (decideDisclosure as unknown as { result: { receiptId: string } }).result;
    const { receipt, disclosures } = await run(
      acme.apiKey.principal,
      `query ($id: ID!, $asset: ID!) {
        receipt(id: $id) { id body signature verifierKey }
        disclosures(first: 1, assetId: $asset, status: available) { nodes { id } edges { cursor } } }`,
      { id: receiptId, asset: asset.id },
    );
    expect(receipt).toMatchObject({ id: receiptId, body: { disclosureId: id } });
    expect(disclosures).toMatchObject({ nodes: [{ id }] });
  });

  it('list and find transactions', async () => {
    const { asset, ids } = await seedTransfers(foundation, acme, [3n]);
    const answer = await run(
      acme.apiKey.principal,
      `query ($asset: ID!, $id: ID!) {
        transactions(assetId: $asset, type: confidential_transfer, from: "2020-01-01T00:00:00Z") {
          nodes { id network type slot blockTime ciphertexts { auditor { lo hi } } indexedAt } pageInfo { hasNextPage endCursor } }
        transaction(id: $id) { id networkTransactionId publicData { instructionPath } } }`,
      { asset: asset.id, id: ids[0] },
    );
    expect(answer).toMatchObject({
      transactions: { nodes: [{ id: ids[0], network: 'solana', type: 'confidential_transfer' }] },
      transaction: { id: ids[0] },
    });
  });

  it('send transactions that are added after a cursor of the listing', async () => {
    const { asset } = await seedTransfers(foundation, acme, [3n]);
    const { transactions } = await run(
      acme.apiKey.principal,
      `query ($asset: ID!) { transactions(assetId: $asset) { pageInfo { endCursor } } }`,
      { asset: asset.id },
    );
    const follow = (principal: Principal) =>
      subscribe({
        schema,
        document: parse(`subscription ($asset: ID!, $after: String) {
          transactionAdded(assetId: $asset, after: $after) { cursor transaction { id } } }`),
        contextValue: contextOf(principal),
        variableValues: {
          asset: asset.id,
          after: (transactions as unknown as { pageInfo: { endCursor: string } }).pageInfo.endCursor,
        },
      });
    const stream = (await follow(acme.apiKey.principal)) as AsyncGenerator<ExecutionResult>;
    const next = stream.next();
    const [added] = await seedRecords(foundation, asset, [{}]);
    expect((await next).value).toMatchObject({
      data: { transactionAdded: { transaction: { id: added!.id }, cursor: expect.any(String) } },
    });
    await stream.return(undefined);

    const other = await seedOrganization(foundation, { name: 'Other' });
    expect(await follow(other.apiKey.principal)).toMatchObject({ errors: [{ message: 'No such asset.' }] });
  });
});
