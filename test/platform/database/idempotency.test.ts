import { beforeEach, describe, expect, it } from '@jest/globals';
import { createSealer } from '../../../src/platform/crypto/index.js';
import {
  sql,
  sweepIdempotencyKeys,
  withIdempotencyKey,
  type IdempotentRequest,
} from '../../../src/platform/database/index.js';
import { newId, type Id } from '../../../src/platform/kernel/ids.js';
import { systemRandom } from '../../../src/platform/kernel/random.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { forFile } from '../../kit/for-file.js';

const database = forFile(await createTestDatabase());

describe('an idempotency key', () => {
  let organizationId: Id<'org'>;
  let created: number;
  const sealer = createSealer(systemRandom(32));

  beforeEach(async () => {
    created = 0;
    organizationId = newId('org');
    await addOrganization(organizationId);
  });

  const addOrganization = (id: Id<'org'>) =>
    database.rows(sql`insert into organizations (id, name, created_at) values (${id}, 'Acme', now())`);

  const BY_ORGANIZATION = { person: null, requireStill: () => Promise.resolve() };
  const AT = new Date('2026-11-21T10:00:00.000Z');

  /** `age`: how long ago, according to the database, the keys of the organization were used. */
  const act = (request: Partial<IdempotentRequest>, { fail = false, age = '0 hours' } = {}) =>
    database.transaction(async (transaction) => {
      await transaction.rows(sql`
        update idempotency_keys set created_at = date_trunc('milliseconds', now()) - ${age}::interval
        where organization_id = ${organizationId}`);
      return withIdempotencyKey(
        transaction,
        { sealer },
        {
          ...BY_ORGANIZATION,
          organizationId,
          key: 'k-1',
          operation: 'act',
          request: { a: 1, b: 'x' },
          ...request,
        },
        () => {
          created += 1;
          if (fail) throw new Error('stop');
          return Promise.resolve({ resourceId: `thing-${created}`, answer: { number: created, at: AT } });
        },
      );
    });

  it('returns the first response again, including dates, for any member order', async () => {
    const first = await act({});
    expect(await act({ request: { b: 'x', a: 1 } }, { age: '1 hour' })).toEqual(first);
    expect(first.at).toEqual(AT);
    expect(created).toBe(1);
  });

  it('is refused with another body or for another operation', async () => {
    await act({});
    await expect(act({ request: { a: 2, b: 'x' } })).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(act({ operation: 'other' })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(created).toBe(1);
  });

  it('is independent in each organization', async () => {
    await act({});
    const other = newId('org');
    await addOrganization(other);
    expect(await act({ organizationId: other, request: 'different' })).toMatchObject({ number: 2 });
  });

  it('runs one action for twenty concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => act({})));
    expect(created).toBe(1);
    expect(new Set(answers.map((answer) => answer.number))).toEqual(new Set([1]));
  });

  it('is free again if the action failed', async () => {
    await expect(act({}, { fail: true })).rejects.toThrow('stop');
    expect(await act({ request: 'another body' })).toMatchObject({ number: 2 });
  });

  it('is valid for 24 hours, to the millisecond', async () => {
    await act({});
    const later = (age: string) => act({ request: 'later' }, { age });
    await expect(later('23:59:59.999')).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await later('24:00:00')).toMatchObject({ number: 2 });
  });

  it('is deleted by the sweep after it expires, in batches, and not before', async () => {
    const sweep = (limit: number) => sweepIdempotencyKeys(database).sweep(limit);
    await sweep(10_000);
    const age = (since: string) =>
      database.rows(sql`update idempotency_keys set created_at = now() - ${since}::interval
        where organization_id = ${organizationId}`);
    for (const key of ['one', 'two', 'three']) await act({ key });
    await age('23:59:00');
    expect(await sweep(2)).toBe(0);
    await age('24:00:00.001');
    expect([await sweep(2), await sweep(2), await sweep(2)]).toEqual([2, 1, 0]);
  });

  it('must be 1 to 255 printable characters, and is optional', async () => {
    for (const key of ['', 'k'.repeat(256), 'line\nbreak', 'é']) {
      await expect(act({ key })).rejects.toMatchObject({
        ...{ code: 'BAD_USER_INPUT', members: [{ member: 'idempotencyKey' }] },
      });
    }
    await act({ key: '~'.repeat(255) });
    await act({ key: undefined });
    await act({ key: null });
    expect(created).toBe(3);
  });

  it('stores its response encrypted', async () => {
    await database.transaction((transaction) =>
      withIdempotencyKey(
        transaction,
        { sealer },
        { ...BY_ORGANIZATION, organizationId, key: 'k-1', operation: 'act', request: null },
        () => Promise.resolve({ resourceId: 'r', answer: { secret: 'plaintext-marker' } }),
      ),
    );
    const [row] = await database.rows(sql<{ sealed: Uint8Array }>`
      select sealed_answer as sealed from idempotency_keys where organization_id = ${organizationId}`);
    expect(Buffer.from(row!.sealed).includes('plaintext-marker')).toBe(false);
  });
});
