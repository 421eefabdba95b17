import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import {
  type Activity,
  EVENT_TYPES,
  openPersonalValues,
  personal,
  recordActivity,
  type Salts,
} from '../../../src/domain/activity-log/index.js';
import { OPERATOR } from '../../../src/domain/access/index.js';
import { sql } from '../../../src/platform/database/index.js';
import type { JsonObject } from '../../../src/platform/kernel/encoding/json.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { forFile } from '../../kit/for-file.js';
import { seedOrganization, testFoundation } from '../../kit/seed.js';

interface Row {
  readonly entry: JsonObject;
  readonly salts: Salts;
  readonly raw: string;
}

const database = forFile(await createTestDatabase());
const seed = await seedOrganization(testFoundation(database));

describe('an entry of the activity log', () => {
  const activity = (members: Partial<Activity> = {}): Activity => ({
    organizationId: seed.organization.id,
    eventType: 'case_request.created',
    actor: { id: seed.owner.principal.userId, name: 'Ana Auditor' },
    object: { type: 'case_request', id: 'crq_1', reason: personal('Inquiry into Bob'), period: ['a', 'b'] },
    at: new Date('2026-03-04T05:06:07.089Z'),
    ...members,
  });
  const record = (members?: Partial<Activity>) =>
    database.transaction((transaction) => recordActivity(transaction, activity(members)));

  async function read(id: string): Promise<Row> {
    const [row] = await database.rows(sql<Row>`
      select entry, salts, entry::text as raw from activity_entries where id = ${id}`);
    return row!;
  }

  it('records what, who, when, and for which application and case', async () => {
    const { application } = seed;
    const id = await record({
      application,
      caseId: 'cas_1' as Activity['caseId'],
      details: { days: 3, note: null },
    });
    const { entry, salts } = await read(id);
    expect(openPersonalValues(entry, salts)).toEqual({
      event_type: 'case_request.created',
      user: 'Ana Auditor',
      user_id: seed.owner.principal.userId,
      object: { type: 'case_request', id: 'crq_1', reason: 'Inquiry into Bob', period: ['a', 'b'] },
      details: { days: 3, note: null },
      application_foreign_id: application.foreignId,
      case_id: 'cas_1',
      created_at: '2026-03-04T05:06:07.089Z',
    });
    const [columns] = await database.rows(sql`
      select organization_id as "organizationId", application_id as "applicationId", case_id as "caseId",
        event_type as "eventType", actor_id as "actorId", created_at as "createdAt", log_index as "logIndex"
      from activity_entries where id = ${id}`);
    expect(columns).toEqual({
      organizationId: seed.organization.id,
      applicationId: application.id,
      caseId: 'cas_1',
      eventType: 'case_request.created',
      actorId: seed.owner.principal.userId,
      createdAt: new Date('2026-03-04T05:06:07.089Z'),
      logIndex: null,
    });
  });

  it('contains only digests of personal values, which its salts open', async () => {
    const { entry, salts, raw } = await read(await record());
    expect(raw).not.toMatch(/Ana|Bob/);
    expect(Object.keys(salts).sort()).toEqual(['/object/reason', '/user']);
    const { salt, value } = salts['/object/reason']!;
    const digest = createHash('sha256').update(Buffer.from(salt, 'base64')).update(value).digest('hex');
    expect(entry['object']).toMatchObject({ reason: { sha256: digest } });
  });

  it('has different digests for the same person each time', async () => {
    const [one, two] = [await read(await record()), await read(await record())];
    expect(one.entry['user']).not.toEqual(two.entry['user']);
  });

  it('does not change when a person’s values are erased, and then shows their digests', async () => {
    const id = await record();
    const before = await read(id);
    await database.rows(sql`update activity_entries set salts = '{}' where id = ${id}`);
    const after = await read(id);
    expect(after.raw).toBe(before.raw);
    expect(openPersonalValues(after.entry, after.salts)).toEqual(before.entry);
  });

  it('is rolled back if its action fails later, and the action is rolled back if the entry fails', async () => {
    const rename = sql`update organizations set name = 'Renamed' where id = ${seed.organization.id}`;
    const count = () =>
      database.rows(sql`
        select count(*) as entries, (select count(*) from organizations where name = 'Renamed') as renamed
        from activity_entries`);
    const before = await count();
    await expect(
      database.transaction(async (transaction) => {
        await transaction.rows(rename);
        await recordActivity(transaction, activity());
        throw new Error('stop');
      }),
    ).rejects.toThrow('stop');
    await expect(
      database.transaction(async (transaction) => {
        await transaction.rows(rename);
        await recordActivity(
          transaction,
          activity({ organizationId: 'org_0' as Activity['organizationId'] }),
        );
      }),
    ).rejects.toThrow(/foreign key/);
    expect(await count()).toEqual(before);
  });

  it('can be of every event type', async () => {
    for (const eventType of EVENT_TYPES) {
      const { entry } = await read(await record({ eventType, actor: OPERATOR }));
      expect(entry).toMatchObject({ event_type: eventType, user_id: 'operator', case_id: null });
    }
  });
});
