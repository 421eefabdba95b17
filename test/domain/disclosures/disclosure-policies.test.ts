import { describe, expect, it } from '@jest/globals';
import { setTimeout } from 'node:timers/promises';
import { lockOrganization } from '../../../src/domain/access/index.js';
import type { DisclosurePolicyInput } from '../../../src/domain/disclosures/policies/disclosure-policy.js';
import { createDisclosurePolicy } from '../../../src/domain/disclosures/index.js';
import { listDisclosurePolicies } from '../../../src/domain/disclosures/policies/list-disclosure-policies.js';
import { randomAddress } from '../../kit/ledger/confidential-records.js';
import { seedMember, seedOrganization } from '../../kit/seed.js';
import { openTwoOrganizations } from '../../kit/two-organizations.js';
import { AUTHORIZE_ALL, logOf } from './kit.js';

const { foundation, acme, other } = await openTwoOrganizations();

describe('disclosure policies', () => {
  const create = (input: Partial<DisclosurePolicyInput>, organization = acme) =>
    createDisclosurePolicy(foundation, organization.owner.principal, { ...AUTHORIZE_ALL, ...input });

  it('are created with their rules, which the log contains', async () => {
    const account = randomAddress();
    const policy = await create({
      key: 'monthly-audit',
      maximumSpanSeconds: 2_678_400,
      maximumRecords: 500,
      allowedAccounts: [account],
      outside: 'review',
    });
    expect(policy).toMatchObject({
      id: expect.stringMatching(/^dpl_/),
      rules: {
        maximumSpanSeconds: 2_678_400,
        maximumRecords: 500,
        allowedAccounts: [account],
        outside: 'review',
      },
    });
    expect(await logOf(foundation, policy.id)).toEqual(['policy.created']);
  });

  it('say that they were created after their wait for the organization, not when it began', async () => {
    const [locked, free] = [Promise.withResolvers(), Promise.withResolvers()];
    const holding = foundation.database.transaction(async (transaction) => {
      await lockOrganization(transaction, acme.organization.id);
      locked.resolve(null);
      await free.promise;
    });
    await locked.promise;
    const creating = create({ key: 'waits' });
    await setTimeout(50);
    const released = foundation.clock.now();
    free.resolve(null);
    await holding;
    expect((await creating).createdAt.getTime()).toBeGreaterThanOrEqual(released.getTime());
  });

  it('have a key that is unique in the organization, even in ten concurrent requests', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => create({ key: 'one' })));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'CONFLICT' });
    }
    expect((await create({ key: 'one' }, other)).key).toBe('one');
  });

  it('are listed newest first, to their own organization', async () => {
    const third = await seedOrganization(foundation, { name: 'Third' });
    for (const key of ['a', 'b', 'c']) await create({ key }, third);
    const keysOf = async (page: object) => {
      const { nodes, pageInfo } = await listDisclosurePolicies(foundation, third.owner.principal, page);
      return { keys: nodes.map(({ key }) => key), after: pageInfo.endCursor };
    };
    const first = await keysOf({ first: 2 });
    expect(first.keys).toEqual(['c', 'b']);
    expect((await keysOf({ first: 2, after: first.after })).keys).toEqual(['a']);
  });

  it('require the owner permission policies:manage', async () => {
    const { principal } = await seedMember(foundation, acme.organization.id, {
      owner: ['disclosures:decide'],
    });
    for (const caller of [principal, acme.apiKey.principal]) {
      await expect(createDisclosurePolicy(foundation, caller, AUTHORIZE_ALL)).rejects.toMatchObject({
        code: 'FORBIDDEN',
      });
      await expect(listDisclosurePolicies(foundation, caller, {})).rejects.toMatchObject({
        code: 'FORBIDDEN',
      });
    }
  });

  it('refuse an invalid rule, and name the member', async () => {
    const bad: [Partial<DisclosurePolicyInput>, RegExp][] = [
      [{ key: '' }, /key/],
      [{ key: 'dpl_01' }, /key/],
      [{ key: 'x'.repeat(65) }, /key/],
      [{ name: ' ' }, /name/],
      [{ allowedFields: [] }, /allowedFields/],
      [{ allowedFields: ['balance'] }, /allowedFields/],
      [{ allowedFormats: ['pdf'] }, /allowedFormats/],
      [{ allowedFormats: ['csv', 'csv'] }, /allowedFormats/],
      [{ maximumSpanSeconds: -1 }, /maximumSpanSeconds/],
      [{ maximumRecords: 10_001 }, /maximumRecords/],
      [{ maximumRecords: 1.5 }, /maximumRecords/],
      [{ allowedAccounts: ['x'] }, /allowedAccounts/],
      [{ inside: 'allow' }, /inside/],
      [{ outside: '' }, /outside/],
    ];
    for (const [input, message] of bad) {
      const refused = await create(input).catch((thrown: unknown) => thrown);
      expect(refused).toMatchObject({ code: 'BAD_USER_INPUT', message: expect.stringMatching(message) });
    }
  });
});
