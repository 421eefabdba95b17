import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createSealer } from '../../src/crypto/index.js';
import { sql, withIdempotencyKey, type Database, type IdempotentRequest } from '../../src/database/index.js';
import { newId, type Id } from '../../src/kernel/ids.js';
import { systemRandom } from '../../src/kernel/random.js';
import { createTestDatabase } from '../kit/database.js';

describe('an idempotency key', () => {
  let database: Database;
  let organizationId: Id<'org'>;
  let now: Date;
  let created: number;
  const sealer = createSealer(systemRandom(32));

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(async () => database[Symbol.asyncDispose]());
  beforeEach(async () => {
    now = new Date('2026-11-21T10:00:00.000Z');
    created = 0;
    organizationId = newId('org');
    await addOrganization(organizationId);
  });

  const addOrganization = (id: Id<'org'>) =>
    database.rows(sql`insert into organizations (id, name, created_at) values (${id}, 'Acme', ${now})`);

  const act = (request: Partial<IdempotentRequest>, fail = false) =>
    database.transaction((transaction) =>
      withIdempotencyKey(
        transaction,
        { sealer, clock: { now: () => now } },
        { organizationId, key: 'k-1', operation: 'act', request: { a: 1, b: 'x' }, ...request },
        () => {
          created += 1;
          if (fail) throw new Error('stop');
          return Promise.resolve({ resourceId: `thing-${created}`, answer: { number: created, at: now } });
        },
      ),
    );

  it('gives the first answer again, dates and all, whatever the order of the members', async () => {
    const first = await act({});
    now = new Date(now.getTime() + 3_600_000);
    expect(await act({ request: { b: 'x', a: 1 } })).toEqual(first);
    expect(first.at).toEqual(new Date('2026-11-21T10:00:00.000Z'));
    expect(created).toBe(1);
  });

  it('is refused with another body or for another operation', async () => {
    await act({});
    await expect(act({ request: { a: 2, b: 'x' } })).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(act({ operation: 'other' })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(created).toBe(1);
  });

  it('is another key in another organization', async () => {
    await act({});
    const other = newId('org');
    await addOrganization(other);
    expect(await act({ organizationId: other, request: 'different' })).toMatchObject({ number: 2 });
  });

  it('carries one action out for twenty requests at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => act({})));
    expect(created).toBe(1);
    expect(new Set(answers.map((answer) => answer.number))).toEqual(new Set([1]));
  });

  it('is free again when the action failed', async () => {
    await expect(act({}, true)).rejects.toThrow('stop');
    expect(await act({ request: 'another body' })).toMatchObject({ number: 2 });
  });

  it('is kept for 24 hours to the millisecond', async () => {
    await act({});
    now = new Date('2026-11-22T09:59:59.999Z');
    await expect(act({ request: 'later' })).rejects.toMatchObject({ code: 'CONFLICT' });
    now = new Date('2026-11-22T10:00:00.000Z');
    expect(await act({ request: 'later' })).toMatchObject({ number: 2 });
  });

  it('is removed after its time, when another one is used', async () => {
    await act({ key: 'old' });
    const kept = async () => {
      const rows = await database.rows(sql<{ key: string }>`
        select key from idempotency_keys where organization_id = ${organizationId} order by key`);
      return rows.map(({ key }) => key);
    };
    now = new Date('2026-11-22T09:59:59.999Z');
    await act({ key: 'one' });
    expect(await kept()).toEqual(['old', 'one']);
    now = new Date('2026-11-22T10:00:00.000Z');
    await act({ key: 'two' });
    expect(await kept()).toEqual(['one', 'two']);
  });

  it('must be 1 to 255 printable characters, and may be absent', async () => {
    for (const key of ['', 'k'.repeat(256), 'line\nbreak', 'é']) {
      await expect(act({ key })).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
    }
    await act({ key: '~'.repeat(255) });
    await act({ key: undefined });
    await act({ key: null });
    expect(created).toBe(3);
  });

  it('keeps its answer sealed', async () => {
    await database.transaction((transaction) =>
      withIdempotencyKey(
        transaction,
        { sealer, clock: { now: () => now } },
        { organizationId, key: 'k-1', operation: 'act', request: null },
        () => Promise.resolve({ resourceId: 'r', answer: { secret: 'plaintext-marker' } }),
      ),
    );
    const [row] = await database.rows(sql<{ sealed: Uint8Array }>`
      select sealed_answer as sealed from idempotency_keys where organization_id = ${organizationId}`);
    expect(Buffer.from(row!.sealed).includes('plaintext-marker')).toBe(false);
  });
});
