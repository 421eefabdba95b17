import { beforeAll, describe, expect, it } from '@jest/globals';
import { approveAddress, revokeAddress } from '../../../src/domain/checks/addresses/set-address-status.js';
import { findAddressPolicy } from '../../../src/domain/checks/addresses/find-address-policy.js';
import {
  listAddresses,
  type ListAddressesInput,
} from '../../../src/domain/checks/addresses/list-addresses.js';
import { setAddressDefault } from '../../../src/domain/checks/addresses/set-address-default.js';
import { sql } from '../../../src/platform/database/index.js';
import type { Principal } from '../../../src/domain/access/index.js';
import { randomAddress } from '../../kit/ledger/confidential-records.js';
import { seedMember, seedOrganization, openTestFoundation } from '../../kit/seed.js';

const { database, foundation } = await openTestFoundation();
const acme = await seedOrganization(foundation);

describe('the addresses of an application', () => {
  let administrator: Principal;

  beforeAll(async () => {
    const permissions = { applications: [{ foreignId: 'payments', administrator: ['addresses:manage'] }] };
    administrator = (await seedMember(foundation, acme.organization.id, permissions)).principal;
  });

  const input = (address: string) => ({
    foreignId: 'payments',
    network: 'solana',
    address,
    reason: 'Customer of ours',
  });
  const approve = (address: string) => approveAddress(foundation, administrator, input(address));
  const revoke = (address: string) => revokeAddress(foundation, administrator, input(address));
  const version = async () => (await findAddressPolicy(foundation, administrator, 'payments')).version;
  const logOf = (address: string) =>
    database.rows(sql<{ type: string; details: object }>`
      select event_type as type, entry -> 'details' as details from activity_entries
      where entry -> 'object' ->> 'address' = ${address} order by sequence`);

  it('are approved and revoked, each time with a reason and the next version', async () => {
    const address = randomAddress();
    const before = await version();
    expect(await approve(address)).toMatchObject({ address, status: 'approved', reason: 'Customer of ours' });
    expect(await revoke(address)).toMatchObject({ address, status: 'revoked' });
    expect(await approve(address)).toMatchObject({ address, status: 'approved' });
    const details = (policy_version: number) => ({ reason: 'Customer of ours', policy_version });
    expect(await logOf(address)).toEqual([
      { type: 'address.approved', details: details(before + 1) },
      { type: 'address.revoked', details: details(before + 2) },
      { type: 'address.approved', details: details(before + 3) },
    ]);
    expect(await version()).toBe(before + 3);
  });

  it('do not change if they already have the status, and nothing is logged', async () => {
    const address = randomAddress();
    const first = await approve(address);
    const before = await version();
    expect(
      await approveAddress(foundation, acme.owner.principal, { ...input(address), reason: 'Again' }),
    ).toEqual(first);
    expect(await version()).toBe(before);
    expect(await logOf(address)).toHaveLength(1);
  });

  it('change once for twenty concurrent requests for the same change', async () => {
    const address = randomAddress();
    const before = await version();
    await Promise.all(Array.from({ length: 20 }, () => revoke(address)));
    expect(await version()).toBe(before + 1);
    expect(await logOf(address)).toHaveLength(1);
  });

  it('get one version per change, also for concurrent changes', async () => {
    const before = await version();
    const addresses = Array.from({ length: 10 }, randomAddress);
    await Promise.all(addresses.map(approve));
    const logs = await Promise.all(addresses.map(logOf));
    const versions = logs.flat().map(({ details }) => (details as { policy_version: number }).policy_version);
    expect(versions.toSorted((one, other) => one - other)).toEqual(
      addresses.map((_, index) => before + index + 1),
    );
  });

  it('are listed in character order, page by page, by status', async () => {
    const third = await seedOrganization(foundation, { name: 'Third' });
    const caller = third.owner.principal;
    const approved = Array.from({ length: 5 }, randomAddress).sort();
    const revoked = Array.from({ length: 2 }, randomAddress);
    for (const address of approved) await approveAddress(foundation, caller, input(address));
    for (const address of revoked) await revokeAddress(foundation, caller, input(address));
    const page = async (filters: Partial<ListAddressesInput> = {}) => {
      const { nodes, pageInfo } = await listAddresses(foundation, caller, {
        foreignId: 'payments',
        ...filters,
      });
      return { addresses: nodes.map(({ address }) => address), ...pageInfo };
    };
    expect((await page()).addresses).toEqual([...approved, ...revoked].sort());
    const [one] = approved;
    for (const length of [1, 5, 44]) {
      const search = one!.slice(0, length);
      const found = [...approved, ...revoked].filter((address) => address.startsWith(search)).sort();
      expect((await page({ search })).addresses).toEqual(found);
      expect((await page({ search, status: 'revoked' })).addresses).toEqual(
        found.filter((address) => !approved.includes(address)),
      );
    }
    for (const search of ['', '0', '%', 'a'.repeat(45)])
      await expect(page({ search })).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
    const first = await page({ status: 'approved', first: 3 });
    const second = await page({ status: 'approved', first: 3, after: first.endCursor });
    expect([...first.addresses, ...second.addresses]).toEqual(approved);
    expect([first.hasNextPage, second.hasNextPage]).toEqual([true, false]);
    await expect(page({ status: 'revoked', after: first.endCursor })).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
    });
  });

  it('follow a default if they are not listed, which is off until it is set', async () => {
    const third = await seedOrganization(foundation, { name: 'Fourth' });
    const caller = third.owner.principal;
    const set = (approvedByDefault: boolean) =>
      setAddressDefault(foundation, caller, {
        foreignId: 'payments',
        approvedByDefault,
        reason: 'Open house',
      });
    expect(await findAddressPolicy(foundation, caller, 'payments')).toEqual({
      approvedByDefault: false,
      version: 0,
    });
    expect(await set(false)).toEqual({ approvedByDefault: false, version: 0 });
    expect(await set(true)).toEqual({ approvedByDefault: true, version: 1 });
    expect(await set(true)).toEqual({ approvedByDefault: true, version: 1 });
    expect(await set(false)).toEqual({ approvedByDefault: false, version: 2 });
    const log = await database.rows(sql`
      select entry -> 'details' as details from activity_entries
      where organization_id = ${third.organization.id} and event_type = 'application.updated' order by sequence`);
    const details = (addresses_approved_by_default: boolean, policy_version: number) => ({
      details: { addresses_approved_by_default, policy_version, reason: 'Open house' },
    });
    expect(log).toEqual([details(true, 1), details(false, 2)]);
  });

  it('are managed only by holders of addresses:manage; others get the same refusal for every application', async () => {
    const other = await seedOrganization(foundation, { name: 'Other', foreignId: 'theirs' });
    const member = await seedMember(foundation, acme.organization.id, {
      owner: ['policies:manage'],
      applications: [{ foreignId: 'payments', administrator: ['cases:list'], auditor: ['cases:create'] }],
    });
    const attempts: [Principal | undefined, string][] = [
      [administrator, 'theirs'],
      [administrator, 'nowhere'],
      [member.principal, 'payments'],
      [member.principal, 'theirs'],
    ];
    const operations = [approveAddress, revokeAddress, listAddresses, setAddressDefault] as const;
    const refusals = new Set<string>();
    for (const [principal, foreignId] of attempts) {
      for (const operation of operations) {
        const everything = { ...input('not read'), foreignId, approvedByDefault: true };
        const thrown: unknown = await operation(foundation, principal, everything).catch(
          (error: unknown) => error,
        );
        expect(thrown).toMatchObject({ code: 'FORBIDDEN' });
        refusals.add((thrown as Error).message);
      }
    }
    expect(refusals.size).toBe(1);
    for (const [owner, foreignId] of [
      [acme, 'theirs'],
      [acme, 'nowhere'],
      [other, 'payments'],
    ] as const) {
      const wrong = { ...input(randomAddress()), foreignId };
      await expect(approveAddress(foundation, owner.owner.principal, wrong)).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    }
    for (const operation of operations) {
      const everything = { ...input('not read'), approvedByDefault: true };
      await expect(operation(foundation, undefined, everything)).rejects.toMatchObject({
        code: 'UNAUTHENTICATED',
      });
      await expect(operation(foundation, acme.apiKey.principal, everything)).rejects.toMatchObject({
        code: 'FORBIDDEN',
      });
    }
  });

  it.each([
    [{ network: 'ethereum' }, /^network/],
    [{ address: '0x00000000219ab540356cBB839Cbe05303d7705Fa' }, /^address/],
    [{ address: '' }, /^address/],
    [{ reason: ' ' }, /^reason/],
    [{ reason: 'x'.repeat(2_001) }, /^reason/],
  ])('are refused if they are not addresses or have no reason: %j', async (change, message) => {
    const wrong = { ...input(randomAddress()), ...change };
    await expect(approveAddress(foundation, administrator, wrong)).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      message: expect.stringMatching(message),
    });
  });
});
