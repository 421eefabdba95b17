import { afterEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../../src/platform/database/index.js';
import { openRelayRoom } from '../kit.js';
import { forFile } from '../../../kit/for-file.js';

const room = forFile(await openRelayRoom());

describe('the relayer', () => {
  afterEach(() => room.rest());

  it('dates no change earlier than the previous one, even if the clock of the database was set back', async () => {
    const { database } = room.foundation;
    const id = await room.submit();
    // As if the request had been accepted before the clock was set back by an hour.
    const [accepted] = await database.rows(sql<{ at: Date }>`
      update relay_requests set updated_at = now() + interval '1 hour' where id = ${id}
      returning updated_at as at`);
    room.worker();
    const ended = await room.untilEnded(id);
    expect(ended.updatedAt).toEqual(accepted!.at);
    const changes = await database.rows(sql<{ at: Date }>`
      select created_at as at from relay_events where request_id = ${id} and sequence > 1`);
    expect(changes).toEqual(Array(4).fill(accepted));
  });

  it('dates changes and signatures by the clock of the database, even if the clock of the process is 20 minutes late', async () => {
    const late = { now: () => new Date(Date.now() - 1_200_000) };
    const id = await room.submit();
    room.worker({ foundation: { ...room.foundation, clock: late } });
    await room.untilEnded(id);
    const dates = await room.foundation.database.rows(sql<{ at: Date; accepted: Date }>`
      select dated.created_at as at, requests.created_at as accepted from relay_requests as requests join
        (select request_id, created_at from relay_events union all select request_id, created_at from relay_attempts)
        as dated on dated.request_id = requests.id
      where requests.id = ${id}`);
    expect(dates).toHaveLength(6);
    for (const { at, accepted } of dates) expect(at.getTime()).toBeGreaterThanOrEqual(accepted.getTime());
  });
});
