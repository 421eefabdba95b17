import { LeaseLost } from '../../../src/platform/jobs/index.js';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { sequenceEntries } from '../../../src/domain/activity-log/index.js';
import { createDecryptionPool } from '../../../src/platform/crypto/index.js';
import { sql } from '../../../src/platform/database/index.js';
import {
  createDisclosureWorker,
  createFulfilment,
  findDisclosure,
  requestDisclosure,
  verifyDisclosureFile,
  type Fulfilment,
} from '../../../src/domain/disclosures/index.js';
import { unavailable } from '../../../src/platform/kernel/errors.js';
import type { Id } from '../../../src/platform/kernel/ids.js';
import { createKeptSigningKeys, parseKeyUri } from '../../../src/platform/keys/index.js';
import { eventually } from '../../kit/eventually.js';
import { seedOrganization, openTestFoundation } from '../../kit/seed.js';
import { createHangingStore } from '../../platform/keys/stores/hanging-store.js';
import { disclosureDesk, disclosureFile, logOf, seedTransfers } from './kit.js';

const { database, foundation } = await openTestFoundation();
const acme = await seedOrganization(foundation);
await disclosureDesk(foundation).policy(acme.owner.principal);

describe('fulfilling an authorized disclosure', () => {
  let desk: ReturnType<typeof disclosureDesk>;

  beforeEach(() => {
    desk = disclosureDesk(foundation);
  });

  async function request(idempotencyKey: string | null = null, answerWithin?: number) {
    const { asset, ids } = await seedTransfers(foundation, acme, [11n, 22n], 'open');
    const input = {
      assetId: asset.id,
      purpose: 'Audit',
      scope: { transactionIds: ids, fields: ['amount'] },
      format: 'json',
      idempotencyKey,
    };
    return desk.request(acme.apiKey.principal, input, answerWithin);
  }
  const find = (id: string) => findDisclosure(foundation, acme.apiKey.principal, id);
  /** The lease expires, so that another instance may try. */
  const leaseEnds = (id: string) =>
    database.rows(
      sql`update disclosures set lease_expires_at = now() - interval '1 second', next_attempt_at = null where id = ${id}`,
    );
  const receipts = async (id: string) =>
    (await database.rows(sql`select id from receipts where disclosure_id = ${id}`)).length;

  async function workUntilAvailable(id: string, fulfilment = desk.fulfilment) {
    await using worker = createDisclosureWorker({ foundation, fulfilment, pollMs: 5 });
    worker.start();
    return await eventually(
      () => find(id),
      ({ status }) => status === 'available',
    );
  }

  it('is completed by a worker if it failed after the decision', async () => {
    desk.pool.before = () => {
      throw new Error('the process ends here');
    };
    const disclosure = await request();
    expect(disclosure).toMatchObject({ status: 'pending', decision: 'authorize', receiptId: null });
    expect(await logOf(foundation, disclosure.id)).toEqual(['disclosure.requested', 'disclosure.decided']);

    desk.pool.before = () => undefined;
    await leaseEnds(disclosure.id);
    const available = await workUntilAvailable(disclosure.id);
    expect((await desk.result(available)).records.map(({ amount }) => amount)).toEqual(['11', '22']);
    expect(await receipts(disclosure.id)).toBe(1);
  });

  it('takes organizations in turn, so that one with many disclosures does not delay another', async () => {
    const other = await seedOrganization(foundation, { name: 'Other', foreignId: 'other' });
    await disclosureDesk(foundation).policy(other.owner.principal);
    desk.pool.before = () => {
      throw new Error('left for the worker');
    };
    const ids: string[] = [];
    for (const organization of [acme, acme, acme, other]) {
      const { asset, ids: records } = await seedTransfers(foundation, organization, [1n], 'open');
      const scope = { transactionIds: records, fields: ['amount'] };
      const input = { assetId: asset.id, purpose: 'Audit', scope, format: 'json' };
      ids.push((await desk.request(organization.apiKey.principal, input)).id);
    }
    for (const id of ids) await leaseEnds(id);

    const made: string[] = [];
    const fulfilment: Fulfilment = {
      ...desk.fulfilment,
      async fulfill(id) {
        desk.pool.before = () => undefined;
        await desk.fulfilment.fulfill(id);
        if (ids.includes(id)) made.push(id);
      },
    };
    await workUntilAvailable(ids[2]!, fulfilment);
    expect(made.indexOf(ids[3]!)).toBeLessThanOrEqual(1);
    expect(made).toHaveLength(4);
  });

  it('is not delayed by another organization’s key store that does not answer', async () => {
    const store = createHangingStore();
    const signingKeys = createKeptSigningKeys(store.stores, parseKeyUri('vault:transit/log'));
    const keeping = { ...foundation, signingKeys };
    const stuck = await seedOrganization(keeping, { name: 'Stuck', foreignId: 'stuck' });
    const left: string[] = [];
    for (const [organization, gateway] of [
      [stuck, keeping],
      [acme, foundation],
    ] as const) {
      const made = disclosureDesk(gateway);
      if (organization === stuck) await made.policy(stuck.owner.principal);
      made.pool.before = () => {
        throw new Error('left for the worker');
      };
      const { asset, ids: records } = await seedTransfers(gateway, organization, [1n], 'open');
      const scope = { transactionIds: records, fields: ['amount'] };
      const input = { assetId: asset.id, purpose: 'Audit', scope, format: 'json' };
      left.push((await made.request(organization.apiKey.principal, input)).id);
    }
    // The key of the organization is created, and then hangs.
    await sequenceEntries(keeping, { organizationId: stuck.organization.id, publicHost: 'lucarne.example' });
    store.hang('log');
    const { fulfilment } = disclosureDesk({
      ...foundation,
      signingKeys: createKeptSigningKeys(store.stores),
    });
    const [hung, other] = left as [string, string];
    await leaseEnds(hung);
    await using worker = createDisclosureWorker({ foundation, fulfilment, pollMs: 5 });
    worker.start();
    while (store.unanswered('log') === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await leaseEnds(other);
    while ((await find(other)).status !== 'available') await new Promise((resolve) => setTimeout(resolve, 5));
    expect(store.unanswered('log')).toBe(1);
    store.letGo('log');
  });

  it('is retried only after a pause when it failed', async () => {
    desk.pool.before = () => {
      throw new Error('not now');
    };
    const { id } = await request();
    const asked = desk.pool.asked;
    await desk.fulfilment.fulfill(id);
    expect(desk.pool.asked).toBe(asked);
  });

  it('remains pending if the decryption queue is full', async () => {
    desk.pool.before = () => {
      throw unavailable('Too many decryptions are waiting.');
    };
    const disclosure = await request();
    expect(disclosure).toMatchObject({ status: 'pending', decision: 'authorize' });
  });

  it('issues one receipt, even if many instances do it concurrently', async () => {
    desk.pool.before = () => {
      throw new Error('left for the others');
    };
    const { id } = await request();
    await leaseEnds(id);
    const instances = Array.from({ length: 8 }, () => disclosureDesk(foundation).fulfilment);
    await Promise.all(instances.map((instance) => instance.fulfill(id)));
    expect((await find(id)).status).toBe('available');
    expect(await receipts(id)).toBe(1);
  });

  it('stores nothing for a worker whose lease was taken over', async () => {
    desk.pool.before = () => {
      throw new Error('left for the others');
    };
    const { id } = await request();
    await leaseEnds(id);
    const slow = disclosureDesk(foundation);
    slow.pool.before = async () => {
      // While it decrypts, its lease ends and another instance finishes.
      await leaseEnds(id);
      await disclosureDesk(foundation).fulfilment.fulfill(id);
    };
    await expect(slow.fulfilment.fulfill(id)).rejects.toThrow(LeaseLost);
    const disclosure = await find(id);
    expect((await desk.result(disclosure)).receiptId).toBe(disclosure.receiptId);
    expect(await receipts(id)).toBe(1);
    expect((await logOf(foundation, id)).filter((type) => type === 'disclosure.available')).toHaveLength(1);
  });

  it('is made for two disclosures of an organization at a time, however many are requested', async () => {
    let underWay = 0;
    let most = 0;
    const two = Promise.withResolvers<undefined>();
    desk.pool.before = async () => {
      most = Math.max(most, (underWay += 1));
      if (underWay === 2) two.resolve(undefined);
      await two.promise;
      // More would begin while these wait for their statements.
      for (let statement = 0; statement < 20; statement += 1) await database.rows(sql`select 1`);
      underWay -= 1;
    };
    const disclosures = await Promise.all(Array.from({ length: 8 }, () => request()));
    expect(disclosures.map(({ status }) => status)).toEqual(disclosures.map(() => 'available'));
    expect(most).toBe(2);
  });

  it('continues after the request timed out', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
    desk.pool.before = () => released;
    const disclosure = await request(null, 20);
    expect(disclosure.status).toBe('pending');
    release(undefined);
    expect((await workUntilAvailable(disclosure.id)).status).toBe('available');
  });

  it('is awaited by a repeated request whose first response was lost', async () => {
    const { asset, ids } = await seedTransfers(foundation, acme, [33n], 'open');
    const input = {
      assetId: asset.id,
      purpose: 'Audit',
      scope: { transactionIds: ids, fields: ['amount'] },
      format: 'json',
      idempotencyKey: 'unanswered',
    };
    const died = {
      ...desk.fulfilment,
      fulfillWithTimeout: () => Promise.reject(new Error('the process ends here')),
    };
    const send = (fulfilment: Fulfilment) =>
      requestDisclosure(foundation, fulfilment, acme.apiKey.principal, input);
    await expect(send(died)).rejects.toThrow('the process ends here');
    expect((await send(desk.fulfilment)).status).toBe('available');
    const [row] = await database.rows(sql<{ count: number }>`
      select count(*) as count from disclosures where asset_id = ${asset.id}`);
    expect(row!.count).toBe(1);
  });

  it('does not start for a disclosure that waits for a person', async () => {
    const { asset, ids } = await seedTransfers(foundation, acme, [44n]);
    const disclosure = await desk.request(acme.apiKey.principal, {
      assetId: asset.id,
      purpose: 'Audit',
      scope: { transactionIds: ids, fields: ['amount'] },
      format: 'json',
    });
    await desk.fulfilment.fulfill(disclosure.id);
    expect((await find(disclosure.id)).status).toBe('pending');
    expect(desk.pool.asked).toBe(0);
  });

  it('refuses requests while too many wait for their results, with a time to retry', async () => {
    desk.pool.before = () => {
      throw new Error('stuck');
    };
    const { id } = await request();
    const stuck = await database.rows(sql<{ id: Id<'dsc'> }>`
      insert into disclosures (id, organization_id, asset_id, purpose, scope, format, status, requested_by,
        requested_at, decision, decided_at, as_of_position, next_attempt_at)
      select 'dsc_' || n, organization_id, asset_id, purpose, scope, format, status, requested_by, requested_at,
        decision, decided_at, as_of_position, now() + interval '1 hour'
      from disclosures, generate_series(1, 1000) as n where id = ${id} returning id`);
    await expect(request()).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: 10 });
    await database.rows(sql`delete from disclosures where id = any(${stuck.map((row) => row.id)}::text[])`);
    expect((await request()).status).toBe('pending');
  });

  it('works with real worker threads', async () => {
    await using pool = createDecryptionPool({ workers: 1, queueLimit: 100 });
    const { asset, ids } = await seedTransfers(foundation, acme, [0n, (1n << 40n) - 1n], 'open');
    const disclosure = await requestDisclosure(
      foundation,
      createFulfilment(foundation, pool),
      acme.apiKey.principal,
      {
        assetId: asset.id,
        purpose: 'Audit',
        scope: { transactionIds: ids, fields: ['amount'] },
        format: 'csv',
      },
    );
    const result = await desk.result(disclosure);
    expect(result.records.map(({ amount }) => amount)).toEqual(['0', '1099511627775']);
    expect(verifyDisclosureFile(disclosureFile(disclosure, result)).valid).toBe(true);
  });
});
