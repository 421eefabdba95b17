import { beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { screenAddress, type CheckSubject } from '../../../src/domain/checks/index.js';
import { findAddressCheck } from '../../../src/domain/checks/find-address-check.js';
import { approveAddress, revokeAddress } from '../../../src/domain/checks/addresses/set-address-status.js';
import { setAddressDefault } from '../../../src/domain/checks/addresses/set-address-default.js';
import type { ScreeningProvider } from '../../../src/domain/checks/screening/screening-provider.js';
import { sql } from '../../../src/platform/database/index.js';
import { newId } from '../../../src/platform/kernel/ids.js';
import type { Address } from '../../../src/platform/ledger/index.js';
import { randomAddress } from '../../kit/ledger/confidential-records.js';
import { seedMember, seedOrganization } from '../../kit/seed.js';
import { openTwoOrganizations } from '../../kit/two-organizations.js';
import { deskWith, scriptedProvider, standingClock } from './kit.js';

const { database, foundation, acme, other } = await openTwoOrganizations();

describe('a check of an address', () => {
  let address: Address;

  beforeEach(() => {
    address = randomAddress();
  });

  const subject = (checkApplicationId = acme.application.checkApplicationId): CheckSubject => ({
    network: 'solana',
    address,
    checkApplicationId,
  });
  const check = (...providers: ScreeningProvider[]) =>
    screenAddress(deskWith(foundation, providers), subject());
  const say = (change: typeof approveAddress, foreignId = 'payments') =>
    change(foundation, acme.owner.principal, { foreignId, network: 'solana', address, reason: 'Known' });
  const read = (id: string, organization = acme) =>
    findAddressCheck(foundation, organization.owner.principal, id);

  it('is not approved unless the application has listed it or set a default', async () => {
    expect(await check()).toMatchObject({ approved: false, reason: 'not_approved', decidedBy: 'default' });
    await say(approveAddress);
    expect(await check()).toMatchObject({ approved: true, reason: 'approved', decidedBy: 'address_list' });
    await say(revokeAddress);
    expect(await check()).toMatchObject({ approved: false, reason: 'revoked', decidedBy: 'address_list' });
  });

  it('follows the application’s default for an unlisted address, and no other application’s list', async () => {
    const third = await seedOrganization(foundation, { name: 'Third' });
    await say(revokeAddress);
    const ofThird = () => screenAddress(deskWith(foundation), subject(third.application.checkApplicationId));
    expect(await ofThird()).toMatchObject({ reason: 'not_approved', policyVersion: 0 });
    const input = { foreignId: 'payments', approvedByDefault: true, reason: 'Open' };
    await setAddressDefault(foundation, third.owner.principal, input);
    expect(await ofThird()).toMatchObject({ reason: 'approved', decidedBy: 'default', policyVersion: 1 });
  });

  it('runs no screening step for an unknown application, and is recorded for no one', async () => {
    const provider = scriptedProvider('sanctions_list');
    const desk = deskWith(foundation, [provider]);
    const checked = await screenAddress(desk, subject('check_nobodys'));
    expect(checked).toMatchObject({
      approved: false,
      reason: 'unknown_application',
      policyVersion: null,
      listVersion: null,
    });
    expect(provider.asked).toBe(0);
    expect(await database.rows(sql`select id from address_checks where id = ${checked.id}`)).toHaveLength(1);
    await expect(read(checked.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('refuses an approved address if a screening step does not clear it, and names the first such step', async () => {
    await say(approveAddress);
    const list = scriptedProvider('sanctions_list', 'sanctioned');
    const service = scriptedProvider('screening_service', 'unavailable');
    expect(await check(list, service)).toMatchObject({ reason: 'sanctioned', decidedBy: 'sanctions_list' });
    expect(service.asked).toBe(0);
    list.answers = 'clear';
    expect(await check(list, service)).toMatchObject({
      reason: 'screening_unavailable',
      decidedBy: 'screening_service',
    });
    service.answers = 'sanctioned';
    expect(await check(list, service)).toMatchObject({
      reason: 'sanctioned',
      decidedBy: 'screening_service',
      listVersion: '2026-11-03/scripted',
    });
    service.answers = 'clear';
    expect(await check(list, service)).toMatchObject({ reason: 'approved', decidedBy: 'address_list' });
  });

  it('is not approved when a screening step fails', async () => {
    await say(approveAddress);
    const broken = scriptedProvider('screening_service', new Error('broken'));
    expect(await check(broken)).toMatchObject({ approved: false, reason: 'screening_unavailable' });
  });

  it('sees addresses that are revoked while it waits for a screening service', async () => {
    await say(approveAddress);
    const provider: ScreeningProvider = {
      step: 'screening_service',
      screen: async () => {
        await say(revokeAddress);
        return { outcome: 'clear' };
      },
    };
    expect(await check(provider)).toMatchObject({ reason: 'revoked' });
  });

  it('can be read with everything that its hash covers', async () => {
    const clock = standingClock('2026-11-21T12:34:56.007Z');
    await say(approveAddress);
    const desk = deskWith({ ...foundation, clock }, [scriptedProvider('sanctions_list')]);
    const checked = await screenAddress(desk, subject());
    const recorded = await read(checked.id);
    expect(recorded).toEqual(checked);
    // RFC 8785 by hand: members sorted by name, no white space.
    const text =
      `{"address":"${address}","applicationId":"${acme.application.checkApplicationId}","approved":true,` +
      `"checkedAt":"2026-11-21T12:34:56.007Z","listVersion":"2026-11-03/scripted","network":"solana",` +
      `"policyVersion":${recorded.policyVersion},"reason":"approved"}`;
    expect(recorded.metadataHash).toBe(createHash('sha256').update(text).digest('hex'));
  });

  it('does not change when the application changes its decision', async () => {
    await say(approveAddress);
    const before = await check();
    await say(revokeAddress);
    expect(await read(before.id)).toEqual(before);
    expect((await check()).policyVersion).toBe(before.policyVersion! + 1);
  });

  it('cannot be changed or deleted', async () => {
    const { id } = await check();
    const statements = [
      sql`update address_checks set approved = approved where id = ${id}`,
      sql`delete from address_checks where id = ${id}`,
      sql`truncate address_checks`,
    ];
    for (const statement of statements)
      await expect(database.rows(statement)).rejects.toThrow(/Rows of address_checks never change/);
    expect(await read(id)).toMatchObject({ id });
  });

  it('is visible to the application’s administrators and the owner, and to no one else', async () => {
    const { id } = await check();
    const { id: organizationId } = acme.organization;
    const holding = (administrator: string[]) =>
      seedMember(foundation, organizationId, { applications: [{ foreignId: 'payments', administrator }] });
    const administrator = await holding(['addresses:manage']);
    const approver = await holding(['cases:list']);
    expect(await findAddressCheck(foundation, administrator.principal, id)).toMatchObject({ id });
    await expect(findAddressCheck(foundation, approver.principal, id)).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    await expect(findAddressCheck(foundation, acme.apiKey.principal, id)).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    for (const [caller, named] of [
      [other, id],
      [acme, newId('chk')],
      [acme, 'chk_1'],
    ] as const)
      await expect(read(named, caller)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
