import { beforeEach, describe, expect, it } from '@jest/globals';
import { bindMint, createAsset } from '../../../src/domain/assets/index.js';
import { assignAsset } from '../../../src/domain/assets/assign-asset.js';
import { disableAsset } from '../../../src/domain/assets/disable-asset.js';
import { findAsset } from '../../../src/domain/assets/find-asset.js';
import { unbindMint } from '../../../src/domain/assets/unbind-mint.js';
import { endCase } from '../../../src/domain/cases/running/end-case.js';
import { sql } from '../../../src/platform/database/index.js';
import { atLeast, eventually } from '../../kit/eventually.js';
import { itOnPostgresql } from '../../kit/database/on-postgresql.js';
import { randomAddress } from '../../kit/ledger/confidential-records.js';
import { openGate } from '../../kit/process/gate.js';
import { openTestFoundation } from '../../kit/seed.js';
import { disclosureDesk } from '../disclosures/kit.js';
import { codeOf, DAY, openOffice, setClock } from './kit.js';

const clock = setClock();
const { database, foundation } = await openTestFoundation(clock);
const office = await openOffice(foundation);
const { owner, apiKey, foreignId } = office;
const desk = disclosureDesk(foundation);

const NEW_ASSET = { name: 'Confidential Euro', symbol: 'CEUR', decimals: 6, workspaceId: foreignId };
const reason = 'The wrong mint';
const create = async () => (await createAsset(foundation, apiKey.principal, NEW_ASSET)).id;
const bind = (assetId: string, mintAddress: string) =>
  bindMint(foundation, apiKey.principal, { assetId, mintAddress });
const unbind = (assetId: string, principal = owner.principal) =>
  unbindMint(foundation, principal, { assetId, reason });
const request = (...assetIds: string[]) => office.request(office.ana.principal, { assetIds });
const open = async (assetId: string) => office.approve((await request(assetId)).id);
const end = (id: string) =>
  endCase(foundation, office.administrator.principal, { foreignId, id, reason: 'Done' });
const disclosureOf = (assetId: string) =>
  desk.request(apiKey.principal, {
    assetId,
    purpose: 'Audit',
    scope: { account: randomAddress(), fields: ['amount'] },
    format: 'json',
  });
const refusedFor = (what: string) => ({
  code: 'CONFLICT',
  message: expect.stringContaining(`covered by ${what}, which must not show`),
});

describe('an asset that a case, a request or a disclosure covers', () => {
  let id: string;
  let mint: string;
  const isBound = async () => (await findAsset(foundation, owner.principal, id)).mintAddress === mint;

  beforeEach(async () => {
    [id, mint] = [await create(), randomAddress()];
    await bind(id, mint);
  });

  it('keeps its mint while a request is pending, until it is withdrawn or closed', async () => {
    const settlements = [(known: string) => office.withdraw(known), (known: string) => office.close(known)];
    for (const settle of settlements) {
      const { id: requestId } = await request(id, office.asset.id);
      await expect(unbind(id)).rejects.toMatchObject(refusedFor('a pending case request'));
      expect(await isBound()).toBe(true);
      await settle(requestId);
    }
    expect(await unbind(id)).toMatchObject({ status: 'pending', mintAddress: null });
  });

  it('keeps its mint while a case is active, until it ends', async () => {
    const running = await open(id);
    await expect(unbind(id)).rejects.toMatchObject(refusedFor('an active case'));
    expect(await isBound()).toBe(true);
    await end(running.id);
    expect(await unbind(id)).toMatchObject({ status: 'pending' });
  });

  it('can be unbound from the instant at which the window of the case ends', async () => {
    const { expiresAt } = await open(id);
    clock.set(expiresAt.getTime() - 1);
    await expect(unbind(id)).rejects.toMatchObject(refusedFor('an active case'));
    clock.set(expiresAt);
    expect(await unbind(id)).toMatchObject({ status: 'pending' });
  });

  it('keeps its mint while a disclosure waits for a decision', async () => {
    const disclosure = await disclosureOf(id);
    await expect(unbind(id)).rejects.toMatchObject(refusedFor('a pending disclosure'));
    await desk.decide(owner.principal, disclosure.id, 'reject');
    expect(await unbind(id)).toMatchObject({ status: 'pending' });
  });

  it('keeps its mint even while it is in no application, because it can come back', async () => {
    const running = await open(id);
    await assignAsset(foundation, owner.principal, { assetId: id, foreignId: null });
    await expect(unbind(id)).rejects.toMatchObject(refusedFor('an active case'));
    await end(running.id);
    expect(await unbind(id)).toMatchObject({ status: 'pending' });
  });

  it('is refused with all that covers it', async () => {
    await open(id);
    await request(id);
    await disclosureOf(id);
    const all = 'an active case and a pending case request and a pending disclosure';
    await expect(unbind(id)).rejects.toMatchObject(refusedFor(all));
  });

  it('does not keep other assets from being unbound', async () => {
    await open(id);
    const other = await create();
    await bind(other, randomAddress());
    expect(await unbind(other)).toMatchObject({ status: 'pending' });
  });

  it('keeps its mint if it was covered between the proposal and the second person', async () => {
    await database.rows(sql`
      update organizations set require_second_person = true where id = ${office.organization.id}`);
    const { administrator } = office;
    await database.rows(sql`
      insert into permission_grants (organization_id, user_id, bucket, permission)
      values (${office.organization.id}, ${administrator.principal.userId}, 'owner', 'applications:create')`);
    const second = {
      ...administrator.principal,
      grants: { ...administrator.principal.grants, owner: owner.principal.grants.owner },
    };
    try {
      await expect(unbind(id, second)).rejects.toMatchObject({ reason: 'second_person_required' });
      const { id: requestId } = await request(id);
      await expect(unbind(id)).rejects.toMatchObject(refusedFor('a pending case request'));
      expect(await isBound()).toBe(true);
      await office.withdraw(requestId);
      expect(await unbind(id)).toMatchObject({ status: 'pending' });
    } finally {
      await database.rows(sql`
        update organizations set require_second_person = false where id = ${office.organization.id}`);
    }
  });

  itOnPostgresql('keeps its mint if a request that is about to be committed covers it', async () => {
    using gate = openGate();
    // Requests wait for the application after they read the assets.
    const holding = database.transaction(async (transaction) => {
      await transaction.rows(
        sql`select id from applications where foreign_id = ${foreignId} for no key update`,
      );
      await gate.until();
    });
    await gate.arrived;
    const requesting = request(id);
    await untilWaiting(1);
    const unbinding = codeOf(unbind(id));
    await Promise.race([untilWaiting(2), unbinding]);
    gate.release();
    await holding;
    expect((await requesting).assetIds).toEqual([id]);
    expect(await unbinding).toBe('CONFLICT');
    expect(await isBound()).toBe(true);
  });

  const waiting = sql`
    select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  const untilWaiting = (count: number) =>
    eventually(async () => (await database.rows(waiting)).length, atLeast(count));
});

describe('an asset without a mint that a case covers', () => {
  it('gets its first mint', async () => {
    const id = await create();
    await open(id);
    expect(await bind(id, randomAddress())).toMatchObject({ status: 'active' });
  });

  it('does not get a mint that another asset of the organization had, as long as it is covered', async () => {
    const [earlier, id] = [await create(), await create()];
    const mint = randomAddress();
    await bind(earlier, mint);
    const running = await open(id);
    await disableAsset(foundation, owner.principal, { assetId: earlier, reason });
    await expect(bind(id, mint)).rejects.toMatchObject(refusedFor('an active case'));
    expect(await findAsset(foundation, owner.principal, id)).toMatchObject({
      status: 'pending',
      mintAddress: null,
    });
    clock.set(running.createdAt.getTime() + 30 * DAY);
    expect(await bind(id, mint)).toMatchObject({ mintAddress: mint });
  });

  it('does not get a mint either that was unbound from another asset, as long as it is covered', async () => {
    const [earlier, id] = [await create(), await create()];
    const mint = randomAddress();
    await bind(earlier, mint);
    await unbind(earlier);
    const running = await open(id);
    await expect(bind(id, mint)).rejects.toMatchObject(refusedFor('an active case'));
    // The asset that had it can have it again, and so can one that nothing covers.
    expect(await bind(earlier, mint)).toMatchObject({ mintAddress: mint });
    await unbind(earlier);
    await end(running.id);
    expect(await bind(id, mint)).toMatchObject({ mintAddress: mint });
  });
});
