import { describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { countRelays } from '../../../../src/domain/relays/status/count-relays.js';
import { showRelay } from '../../../../src/domain/relays/index.js';
import { WAIT_BOUNDS, WAITS } from '../../../../src/domain/relays/waits.js';
import { sql } from '../../../../src/platform/database/index.js';
import { openRelayRoom } from '../kit.js';
import { eventually } from '../../../kit/eventually.js';
import { forFile } from '../../../kit/for-file.js';

const room = forFile(await openRelayRoom());

describe('a relay as shown to an operator', () => {
  it('has what it waits for, the limit of that wait, and the answer of each provider by name', async () => {
    const nodes = room.nodes(3);
    nodes.fail({ method: 'send' }, { kind: 'swallowed' });
    nodes.fail({ node: 2, method: 'signatureStatuses' }, { kind: 'status', status: 500 });
    const id = await room.submit();
    room.worker({ nodes });
    await room.until(id, ({ waitingFor }) => waitingFor === 'landing');
    const labels = nodes.nodes.map(({ label }) => label);
    const heard = async () => (await showRelay(room.foundation.database, id)).lastLook?.evidence['providers'];
    await eventually(heard, (providers) => providers !== undefined);
    const shown = await showRelay(room.foundation.database, id);
    expect(shown).toMatchObject({
      ...{ id, status: 'submitted', failedLooks: 0 },
      waitingFor: { wait: 'landing', bound: WAIT_BOUNDS.landing },
      attempts: [{ number: 1, outcome: null }],
      lastLook: {
        evidence: {
          providers: [
            { node: labels[0], statuses: { statuses: [{ status: null }] } },
            { node: labels[1], statuses: { statuses: [{ status: null }] } },
            { node: labels[2], errors: { statuses: 'unreachable' } },
          ],
          heights: labels.map((node) => ({ node, slot: expect.any(Number) })),
        },
      },
    });
    expect(shown.lastLook!.at.getTime()).toBeGreaterThan(shown.createdAt.getTime());
    const text = JSON.stringify(shown);
    expect(text).not.toContain('http://');
    expect(text).not.toMatch(/"transaction"|sealed|proof/);

    nodes.heal();
    await room.untilEnded(id);
    expect(await showRelay(room.foundation.database, id)).toMatchObject({
      ...{ status: 'succeeded', waitingFor: null, nextLookAt: null },
      events: ['accepted', 'validating', 'queued', 'submitted', 'succeeded'].map((status) => ({ status })),
    });
  });

  it('is NOT_FOUND for an unknown id', async () => {
    await expect(showRelay(room.foundation.database, 'rly_nope')).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('has a limit for every wait, or the reason why there is none, and the documentation has the same text', async () => {
    const documented = (await readFile('docs/relaying.md', 'utf8')).replaceAll(/ +/g, ' ');
    for (const wait of WAITS) {
      expect(WAIT_BOUNDS[wait]).toMatch(/at most|the shortest time|no time limit, because/i);
      expect(documented).toContain(`| \`${wait}\` | ${WAIT_BOUNDS[wait]} |`);
    }
  });

  it('counts for the alert if it is submitted for longer than a relay may take', async () => {
    const { database } = room.foundation;
    const id = await room.submit();
    const submittedAgo = async (interval: string) => {
      await database.rows(sql`
        update relay_requests set status = 'submitted', next_look_at = now() + interval '1 hour',
          updated_at = now() - ${interval}::interval where id = ${id}`);
      return (await countRelays(database)).reconciling;
    };
    expect(await submittedAgo('14 minutes')).toBe(0);
    expect(await submittedAgo('16 minutes')).toBe(1);
  });

  it('counts for the alert if its end waits for a signing key', async () => {
    const { database } = room.foundation;
    const before = (await countRelays(database)).reconciling;
    const id = await room.submit();
    await database.rows(sql`
      update relay_requests set waiting_for = 'signing_key', next_look_at = now() + interval '1 hour' where id = ${id}`);
    expect((await countRelays(database)).reconciling).toBe(before + 1);
  });
});
