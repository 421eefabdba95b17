import { beforeEach, describe, expect, it } from '@jest/globals';
import { approveAddress, revokeAddress } from '../../../src/domain/checks/addresses/set-address-status.js';
import { screenForPool, type PoolScreening } from '../../../src/domain/checks/index.js';
import { sql } from '../../../src/platform/database/index.js';
import type { Address } from '../../../src/platform/ledger/index.js';
import { randomAddress } from '../../kit/ledger/confidential-records.js';
import { seedOrganization, type SeededOrganization, openTestFoundation } from '../../kit/seed.js';
import { deskWith, scriptedProvider } from './kit.js';

const { database, foundation } = await openTestFoundation();
const bank = await seedOrganization(foundation, { name: 'Bank' });
const partner = await seedOrganization(foundation, { name: 'Partner' });
const stranger = await seedOrganization(foundation, { name: 'Stranger' });

describe('screening for a pool', () => {
  let recipient: Address;

  beforeEach(async () => {
    recipient = randomAddress();
    for (const organization of [bank, partner, stranger]) await list(approveAddress, organization);
  });

  const list = (change: typeof approveAddress, organization: SeededOrganization, address = recipient) =>
    change(foundation, organization.owner.principal, {
      foreignId: 'payments',
      network: 'solana',
      address,
      reason: 'Known',
    });
  const idOf = ({ application }: SeededOrganization) => application.checkApplicationId;
  const screen = (
    screening: Partial<PoolScreening> = {},
    ...providers: ReturnType<typeof scriptedProvider>[]
  ) =>
    screenForPool(deskWith(foundation, providers), {
      network: 'solana',
      addresses: [recipient],
      applications: [idOf(bank), idOf(partner)],
      hints: [],
      screensWithoutApplication: true,
      ...screening,
    });
  const checksOf = async ({ organization }: SeededOrganization) => {
    const rows = await database.rows(sql`
      select id from address_checks where organization_id = ${organization.id} and address = ${recipient}`);
    return rows.length;
  };

  it('refuses a revoked recipient even if the submitter names no application', async () => {
    await list(revokeAddress, bank);
    expect((await screen()).at(-1)).toMatchObject({ approved: false, reason: 'revoked' });
  });

  it('refuses a revoked recipient even if the submitter names only an application that approves', async () => {
    await list(revokeAddress, bank);
    for (const hint of [partner, stranger]) {
      expect((await screen({ hints: [idOf(hint)] })).at(-1)).toMatchObject({
        approved: false,
        reason: 'revoked',
      });
    }
  });

  it('asks every application of the pool, and approves if all approve', async () => {
    const checks = await screen();
    expect(checks.map(({ checkApplicationId, approved }) => [checkApplicationId, approved])).toEqual([
      [idOf(bank), true],
      [idOf(partner), true],
    ]);
  });

  it('asks the application that the submitter names first, and only once', async () => {
    const checks = await screen({ hints: [idOf(partner), idOf(partner)] });
    expect(checks.map(({ checkApplicationId }) => checkApplicationId)).toEqual([idOf(partner), idOf(bank)]);
  });

  it('records nothing for an organization that does not serve the pool', async () => {
    expect(await screen({ hints: [idOf(stranger)] })).toHaveLength(2);
    expect(await checksOf(stranger)).toBe(0);
    expect(await checksOf(bank)).toBe(1);
  });

  it('covers the accounts derived from the recipient', async () => {
    const derived = randomAddress();
    for (const organization of [bank, partner]) await list(approveAddress, organization, derived);
    expect(await screen({ addresses: [recipient, derived, recipient] })).toHaveLength(4);
    await list(revokeAddress, partner, derived);
    expect((await screen({ addresses: [recipient, derived] })).at(-1)).toMatchObject({
      address: derived,
      reason: 'revoked',
    });
  });

  it('leaves the decision to the screening steps if the pool names no application, regardless of hints', async () => {
    const list = scriptedProvider('sanctions_list', 'sanctioned');
    const alone = { applications: [], hints: [idOf(stranger)] };
    expect(await screen(alone, list)).toMatchObject([{ reason: 'sanctioned', checkApplicationId: null }]);
    expect(await checksOf(stranger)).toBe(0);
    expect(await screen({ ...alone, screensWithoutApplication: false }, list)).toEqual([]);
  });

  it('approves nothing for an application that does not exist', async () => {
    expect((await screen({ applications: ['check_nobody'] })).at(-1)).toMatchObject({
      approved: false,
      reason: 'unknown_application',
    });
  });

  it('stops at the first screening step that gives no answer', async () => {
    const checks = await screen({}, scriptedProvider('screening_service', 'unavailable'));
    expect(checks).toMatchObject([{ approved: false, reason: 'screening_unavailable' }]);
  });
});
