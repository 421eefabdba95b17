import { describe, expect, it } from '@jest/globals';
import { sweepRejectedRelays } from '../../../../src/domain/relays/index.js';
import { sql } from '../../../../src/platform/database/index.js';
import { badProof, change, freshPackage } from '../desk-kit.js';
import { submissionStories } from './submission-stories.js';

const stories = submissionStories();
const { submit } = stories;

describe('a package that was rejected at admission', () => {
  const age = (id: string, hours: number) =>
    stories.database.rows(sql`
      update relay_requests set updated_at = now() - ${hours} * interval '1 hour' where id = ${id}`);
  const isKept = async (id: string) =>
    (await stories.database.rows(sql`select from relay_requests where id = ${id}`)).length === 1;

  it('is deleted after a day with its history, and not earlier', async () => {
    const [old, recent] = [await submit(badProof(freshPackage())), await submit(badProof(freshPackage()))];
    await age(old.relayRequestId, 25);
    await age(recent.relayRequestId, 23);
    expect(await sweepRejectedRelays(stories.database).sweep(10)).toBe(1);
    expect(await isKept(old.relayRequestId)).toBe(false);
    expect(await isKept(recent.relayRequestId)).toBe(true);
    const events = await stories.database.rows(
      sql`select from relay_events where request_id = ${old.relayRequestId}`,
    );
    expect(events).toEqual([]);
  });

  it('is deleted in batches', async () => {
    const three = await Promise.all([1, 2, 3].map(() => submit(badProof(freshPackage()))));
    for (const { relayRequestId } of three) await age(relayRequestId, 25);
    const { sweep } = sweepRejectedRelays(stories.database);
    expect([await sweep(2), await sweep(2), await sweep(2)]).toEqual([2, 1, 0]);
  });

  it('is the only kind of request whose history the database deletes', async () => {
    const accepted = await submit(freshPackage());
    await change(
      stories.foundation,
      accepted.relayRequestId,
      { to: 'validating' },
      { to: 'rejected', reason: 'kyt_rejected' },
    );
    const refused = await submit(badProof(freshPackage()));
    await age(accepted.relayRequestId, 48);
    for (const { relayRequestId } of [accepted, refused])
      await expect(
        stories.database.rows(sql`delete from relay_events where request_id = ${relayRequestId}`),
      ).rejects.toThrow();
    await age(refused.relayRequestId, 48);
    await sweepRejectedRelays(stories.database).sweep(10);
    expect(await isKept(accepted.relayRequestId)).toBe(true);
    expect(await isKept(refused.relayRequestId)).toBe(false);
  });
});
