import { describe, expect, it } from '@jest/globals';
import { followActivity, type AddedActivity } from '../../../src/domain/activity-log/index.js';
import { act, sequence } from './kit.js';
import { seedMember } from '../../kit/seed.js';
import { openTwoOrganizations } from '../../kit/two-organizations.js';

const { foundation, acme, other } = await openTwoOrganizations();
await sequence(foundation);

describe('the subscription to sequenced log entries', () => {
  const owner = () => acme.owner.principal;
  async function take(events: AsyncGenerator<AddedActivity, void>, count: number) {
    const taken: AddedActivity[] = [];
    while (taken.length < count) taken.push((await events.next()).value as AddedActivity);
    return taken;
  }

  it('delivers entries in log order, each once, and resumes after a cursor', async () => {
    const events = await followActivity(foundation, owner(), {});
    const first = events.next();
    const ids = await act(foundation, acme.organization.id, 3);
    await sequence(foundation);
    const seen = [(await first).value as AddedActivity, ...(await take(events, 2))];
    expect(seen.map(({ entry }) => entry.id)).toEqual(ids);
    const indexes = seen.map(({ entry }) => entry.index);
    expect(indexes).toEqual(indexes.map((_, at) => indexes[0]! + at));
    await events.return();

    const again = await followActivity(foundation, owner(), { after: seen[0]!.cursor });
    expect((await take(again, 2)).map(({ entry }) => entry.id)).toEqual(ids.slice(1));
    await again.return();
  });

  it('delivers only an application’s entries to callers who may see no others', async () => {
    const member = await seedMember(foundation, acme.organization.id, {
      applications: [{ foreignId: 'payments', common: ['logs:view_activity'] }],
    });
    const events = await followActivity(foundation, member.principal, { foreignId: 'payments' });
    const next = events.next();
    await act(foundation, acme.organization.id, 2);
    const [shown] = await act(foundation, acme.organization.id, 1, { application: acme.application });
    await act(foundation, other.organization.id, 1);
    await sequence(foundation);
    expect(((await next).value as AddedActivity).entry.id).toBe(shown);
    await events.return();
    await expect(followActivity(foundation, member.principal, {})).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
  });

  it('cannot resume with a cursor of another log', async () => {
    const events = await followActivity(foundation, owner(), {});
    const next = events.next();
    await act(foundation, acme.organization.id, 1);
    await sequence(foundation);
    const { cursor } = (await next).value as AddedActivity;
    await events.return();
    await expect(followActivity(foundation, other.owner.principal, { after: cursor })).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
    });
  });
});
