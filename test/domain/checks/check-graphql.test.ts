import { describe, expect, it } from '@jest/globals';
import { graphql } from 'graphql';
import { createApplication } from '../../../src/domain/organizations/applications/create-application.js';
import { checkResolvers } from '../../../src/domain/checks/index.js';
import { executableSchema } from '../../../src/edge/graphql/index.js';
import type { Principal } from '../../../src/domain/access/index.js';
import { randomAddress } from '../../kit/ledger/confidential-records.js';
import { seedOrganization, openTestFoundation } from '../../kit/seed.js';
import { deskWith, scriptedProvider } from './kit.js';

const { foundation } = await openTestFoundation();
const acme = await seedOrganization(foundation);
const list = scriptedProvider('sanctions_list');
const schema = executableSchema(checkResolvers(deskWith(foundation, [list], 5)));

describe('addresses and their checks in GraphQL', () => {
  async function run(source: string, principal?: Principal, clientAddress = '192.0.2.1') {
    const answer = await graphql({
      schema,
      source,
      contextValue: { principal, requestId: 'r-1', clientAddress },
    });
    return JSON.parse(JSON.stringify(answer)) as {
      data: Record<string, unknown>;
      errors?: { message: string }[];
    };
  }
  const own = async (source: string) => (await run(source, acme.owner.principal)).data;
  const checkOf = (address: string, checkApplicationId = acme.application.checkApplicationId) => `mutation {
    checkAddress(input: { network: solana, address: "${address}", checkApplicationId: "${checkApplicationId}" }) {
      approved checkId metadataHash reason } }`;

  it('can be approved, checked and read again', async () => {
    const address = randomAddress();
    const subject = `foreignId: "payments", network: solana, address: "${address}"`;
    expect(
      await own(`mutation { approveAddress(input: { ${subject}, reason: "Known" }) {
        network address status reason changedBy changer { name } changedAt } }`),
    ).toEqual({
      approveAddress: {
        network: 'solana',
        address,
        status: 'approved',
        reason: 'Known',
        changedBy: acme.owner.principal.userId,
        changer: { name: expect.any(String) },
        changedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    });
    const { data } = await run(checkOf(address));
    const { checkId, metadataHash } = data['checkAddress'] as Record<string, string>;
    expect(data).toMatchObject({ checkAddress: { approved: true, reason: 'approved' } });
    const next = (await run(checkOf(address), undefined, '192.0.2.7')).data['checkAddress'] as Record<
      string,
      string
    >;
    const another = { foreignId: 'payroll', name: 'Payroll' };
    const payroll = await createApplication(foundation, acme.owner.principal, another);
    await run(checkOf(address, payroll.checkApplicationId));
    expect(await own('{ addressChecks(foreignId: "payments", first: 1) { nodes { id } } }')).toEqual({
      addressChecks: { nodes: [{ id: next['checkId'] }] },
    });
    const elsewhere = (await run(checkOf(randomAddress()))).data['checkAddress'] as Record<string, string>;
    expect(await own('{ addressChecks(foreignId: "payments", first: 1) { nodes { id } } }')).toEqual({
      addressChecks: { nodes: [{ id: elsewhere['checkId'] }] },
    });
    expect(
      await own(`{ addressChecks(foreignId: "payments", address: "${address}") { nodes { id approved } } }`),
    ).toEqual({
      addressChecks: {
        nodes: [
          { id: next['checkId'], approved: true },
          { id: checkId, approved: true },
        ],
      },
    });
    expect(
      await own(
        `{ addressCheck(id: "${checkId}") { id address reason decidedBy policyVersion metadataHash } }`,
      ),
    ).toEqual({
      addressCheck: {
        ...{
          id: checkId,
          address,
          reason: 'approved',
          decidedBy: 'address_list',
          policyVersion: 1,
          metadataHash,
        },
      },
    });
    await own(`mutation { revokeAddress(input: { ${subject}, reason: "Left" }) { status } }`);
    expect(
      await own(`{ addresses(foreignId: "payments", status: revoked) {
        nodes { address status } edges { cursor } pageInfo { hasNextPage } } addressPolicy(foreignId: "payments") {
        approvedByDefault version } }`),
    ).toEqual({
      addresses: {
        nodes: [{ address, status: 'revoked' }],
        edges: [{ cursor: expect.any(String) }],
        pageInfo: { hasNextPage: false },
      },
      addressPolicy: { approvedByDefault: false, version: 2 },
    });
    expect(
      await own(`mutation { setAddressDefault(input: { foreignId: "payments", approvedByDefault: true, reason: "Open" }) {
        approvedByDefault version } }`),
    ).toEqual({ setAddressDefault: { approvedByDefault: true, version: 3 } });
  });

  it('are rate-limited by client network, for any address in the network', async () => {
    const asks = (host: number) =>
      run(checkOf(randomAddress()), undefined, `2001:db8:7:7::${host.toString(16)}`);
    const answers = await Promise.all(Array.from({ length: 11 }, (_, host) => asks(host)));
    // If a minute ends in between, ten pass in each of two windows.
    expect(
      answers.some(({ errors }) => errors?.[0]?.message.startsWith('More than 5 requests') ?? false),
    ).toBe(true);
    expect((await run(checkOf(randomAddress()), undefined, '2001:db8:7:8::1')).errors).toBeUndefined();
  });
});
