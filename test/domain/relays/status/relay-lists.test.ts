import { describe, expect, it } from '@jest/globals';
import type { Database } from '../../../../src/platform/database/index.js';
import { createApplication } from '../../../../src/domain/organizations/applications/create-application.js';
import { listPools } from '../../../../src/domain/relays/pools/list-pools.js';
import { followRelays } from '../../../../src/domain/relays/status/follow-relays.js';
import { change, freshPackage, POOL, TO_SUBMITTED } from '../desk-kit.js';
import { hinting, openLists } from './lists-kit.js';
import { forFile } from '../../../kit/for-file.js';

const { database, foundation, desk, home, other, submit, list, idsOf } = forFile(await openLists());

describe('lists of relays', () => {
  it('are sent to subscribers when a relay begins and when it changes, without polling', async () => {
    const changes = await followRelays(foundation, home.owner.principal, { pollMs: 3_600_000 });
    await submit(freshPackage(hinting(other)));
    const id = await submit(freshPackage(hinting(home)));
    expect((await changes.next()).value).toMatchObject({ id, status: 'accepted', sequence: 1 });
    await change(foundation, id, ...TO_SUBMITTED);
    let newest;
    do {
      newest = (await changes.next()).value;
      expect(newest).toMatchObject({ id });
    } while (newest?.status !== 'submitted');
    await changes.return();
    await expect(followRelays(foundation, other.apiKey.principal)).rejects.toThrow();
  });

  it('are read from the database again only after a change', async () => {
    const ids = [await submit(freshPackage(hinting(home))), await submit(freshPackage(hinting(home)))];
    const read: object[] = [];
    const watched: Database = {
      ...database,
      async rows(statement) {
        const rows = await database.rows(statement);
        read.push(
          ...rows.filter((row) => Object.hasOwn(row as object, 'packageDigest')).map((row) => row as object),
        );
        return rows;
      },
    };
    const followed = { database: watched, signals: foundation.signals };
    const changes = await followRelays(followed, home.owner.principal, { pollMs: 3_600_000 });
    const next = changes.next();
    await change(foundation, ids[1]!, { to: 'rejected', reason: 'kyt_rejected' });
    expect((await next).value).toMatchObject({ id: ids[1], status: 'rejected' });
    await changes.return();
    expect(read).toMatchObject([{ id: ids[1] }]);
  });

  it('can be filtered by the application that their packages name', async () => {
    const second = await createApplication(foundation, home.owner.principal, {
      foreignId: 'second',
      name: 'Second',
    });
    const { checkApplicationId } = home.application;
    const [both, first] = [
      await submit(freshPackage({ applicationIdHints: [checkApplicationId, second.checkApplicationId] })),
      await submit(freshPackage(hinting(home))),
    ];
    const { principal } = home.owner;
    expect(await idsOf(principal, { foreignId: 'second' })).toEqual([both]);
    const page = await list(principal, { foreignId: home.application.foreignId, first: 1 });
    expect(page.nodes.map(({ id }) => id)).toEqual([first]);
    const { endCursor: after } = page.pageInfo;
    expect(
      (await list(principal, { foreignId: home.application.foreignId, first: 1, after })).nodes,
    ).toMatchObject([{ id: both }]);
    expect(await idsOf(principal, { foreignId: 'second', status: 'rejected' })).toEqual([]);
    await expect(list(principal, { foreignId: 'second', after })).rejects.toThrow('other filters');
    // An application of another organization is like an unknown one.
    for (const foreignId of [other.application.foreignId, 'nowhere'])
      await expect(list(principal, { foreignId })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('can be filtered by pool, and the pools are listed with their names', async () => {
    const pools = await listPools(desk, home.owner.principal);
    expect(pools.find(({ selector }) => selector === POOL)).toEqual({
      selector: POOL,
      name: expect.any(String),
    });
    expect(pools.map(({ selector }) => selector)).toEqual([...desk.pools.keys()].sort());
    await expect(listPools(desk, home.apiKey.principal)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  it('name no pool that only applications of another organization serve', async () => {
    const pool = desk.pools.get(POOL)!;
    const applications = [other.application.checkApplicationId];
    const pools = new Map([[POOL, { ...pool, screening: { ...pool.screening, applications } }]]);
    expect(await listPools({ foundation, pools }, home.owner.principal)).toEqual([]);
    expect(await listPools({ foundation, pools }, other.owner.principal)).toMatchObject([{ selector: POOL }]);
  });

  it('can be filtered by the time of acceptance', async () => {
    const id = await submit(freshPackage(hinting(home)));
    const { createdAt } = (await list(home.owner.principal, { first: 1 })).nodes[0]!;
    const at = (ms: number) => new Date(createdAt.getTime() + ms);
    expect(await idsOf(home.owner.principal, { from: createdAt, to: createdAt })).toContain(id);
    expect(await idsOf(home.owner.principal, { from: at(1) })).not.toContain(id);
    expect(await idsOf(home.owner.principal, { to: at(-1) })).not.toContain(id);
    await expect(list(home.owner.principal, { from: at(1), to: at(0) })).rejects.toThrow('from');
  });
});
