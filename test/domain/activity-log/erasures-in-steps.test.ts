import { beforeEach, describe, expect, it } from '@jest/globals';
import { listActivity, sweepErasures } from '../../../src/domain/activity-log/index.js';
import {
  erasePersonalValues,
  removeMember,
  setPermissions,
} from '../../../src/domain/organizations/index.js';
import { placeLegalHold } from '../../../src/domain/organizations/retention/place-legal-hold.js';
import { releaseLegalHold } from '../../../src/domain/organizations/retention/release-legal-hold.js';
import { acrossOrganizations, sql } from '../../../src/platform/database/index.js';
import { overtakenBy } from '../../kit/database/overtaken.js';
import {
  type SeededOrganization,
  type SeededUser,
  seedMember,
  seedOrganization,
  openTestFoundation,
} from '../../kit/seed.js';
import { act, faultsOfLog, sequence } from './kit.js';

const { database, foundation } = await openTestFoundation();

/** More than two steps erase. */
const MANY = 1_200;
/** One checks whether the erasure is possible, one decides it, and each further one is a step. */
const SECOND_STEP = 4;

describe('an erasure of a person whom many entries name', () => {
  let seed: SeededOrganization;
  let leaver: SeededUser;
  let named: number;
  beforeEach(async () => {
    seed = await seedOrganization(foundation);
    leaver = await seedMember(foundation, seed.organization.id, {}, 'Lea Leaver');
    const { userId, name } = leaver.principal;
    await act(foundation, seed.organization.id, MANY, { actor: { id: userId, name } });
    await removeMember(foundation, seed.owner.principal, userId);
    await sequence(foundation);
    named = await entriesThatName();
  });

  const erase = (parts = foundation, by = seed.owner) =>
    erasePersonalValues(parts, by.principal, leaver.principal.userId);
  const entriesThatName = async () => {
    const [row] = await database.rows(sql<{ count: number }>`
      select count(*)::integer as count from activity_entries where organization_id = ${seed.organization.id}
        and (strpos(salts::text, 'Lea Leaver') > 0 or strpos(salts::text, ${leaver.email}) > 0)`);
    return row!.count;
  };
  const logged = async () => {
    const { nodes } = await listActivity(foundation, seed.owner.principal, { eventType: 'member.erased' });
    return nodes.map(({ userId, object, details }) => ({ userId, object, details }));
  };
  const erasedOnce = (entries = named) => [
    {
      userId: seed.owner.principal.userId,
      object: { user_id: leaver.principal.userId },
      details: { entries, values: expect.any(Number) },
    },
  ];
  const killed = () => Promise.reject(new Error('The process was killed.'));
  const killedErasure = async (by = seed.owner) => {
    await expect(erase(overtakenBy(foundation, killed, SECOND_STEP), by)).rejects.toThrow('killed');
    const left = await entriesThatName();
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(named);
    expect(await logged()).toEqual([]);
  };
  const leaseEnds = () =>
    database.rows(
      sql`update erasures set lease_expires_at = now() where organization_id = ${seed.organization.id}`,
    );
  const sweep = () => acrossOrganizations(() => sweepErasures(foundation).sweep(100));

  it('lets other changes of the organization commit meanwhile', async () => {
    const member = await seedMember(foundation, seed.organization.id, {});
    const left: number[] = [];
    const inTheMiddle = async () => {
      await setPermissions(foundation, seed.owner.principal, {
        memberId: member.principal.userId,
        permissions: { owner: ['applications:read'] },
      });
      left.push(await entriesThatName());
    };
    const erased = await erase(overtakenBy(foundation, inTheMiddle, SECOND_STEP));
    expect(left).toEqual([named - 500]);
    expect(erased.entries).toBe(named);
    expect(await entriesThatName()).toBe(0);
    expect(await logged()).toEqual(erasedOnce());
    await sequence(foundation);
    expect(await faultsOfLog(database, seed.organization.id)).toEqual([]);
  });

  it('is completed by running it again if it was killed, with the same result and one entry', async () => {
    await killedErasure();
    expect((await erase()).entries).toBe(named);
    expect(await entriesThatName()).toBe(0);
    expect(await logged()).toEqual(erasedOnce());
    const [user] = await database.rows(sql`select name from users where id = ${leaver.principal.userId}`);
    expect(user).toEqual({ name: 'Erased' });
    expect(await erase()).toMatchObject({ entries: 0, values: 0 });
    expect(await logged()).toHaveLength(1);
  });

  it('that two persons decided needs no other decision if it was killed', async () => {
    await database.rows(
      sql`update organizations set require_second_person = true where id = ${seed.organization.id}`,
    );
    const second = await seedMember(foundation, seed.organization.id, { owner: ['members:manage'] });
    const refused = { reason: 'second_person_required' };
    await expect(erase(foundation, second)).rejects.toMatchObject(refused);
    await killedErasure();
    expect((await erase()).entries).toBe(named);
    expect(await logged()).toEqual(erasedOnce());
    // It has ended: the next one needs two persons again.
    await expect(erase()).rejects.toMatchObject(refused);
  });

  it('is completed by a gateway if it was killed and nobody runs it again', async () => {
    await killedErasure();
    expect(await sweep()).toBe(0);
    await leaseEnds();
    expect(await sweep()).toBe(1);
    expect(await entriesThatName()).toBe(0);
    expect(await logged()).toEqual(erasedOnce());
    expect(await sweep()).toBe(0);
  });

  it('stops at a legal hold that is placed meanwhile, and continues after its release', async () => {
    const hold = { reason: 'The bank asked for it.' };
    const held = Promise.withResolvers<string>();
    const place = async () => {
      const { id } = await placeLegalHold(foundation, seed.owner.principal, hold);
      held.resolve(id);
    };
    await expect(erase(overtakenBy(foundation, place, SECOND_STEP))).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(await held.promise),
    });
    await leaseEnds();
    expect(await sweep()).toBe(0);
    expect(await entriesThatName()).toBe(named - 500);
    await releaseLegalHold(foundation, seed.owner.principal, { id: await held.promise, ...hold });
    expect(await sweep()).toBe(1);
    expect(await entriesThatName()).toBe(0);
    expect(await logged()).toEqual(erasedOnce());
  });

  it('is carried out once if two calls request it at the same time', async () => {
    let other: Promise<unknown> = Promise.resolve();
    const overtaken = erase(overtakenBy(foundation, () => (other = erase()), SECOND_STEP));
    await expect(overtaken).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'Another call continues this erasure.',
    });
    expect(await other).toMatchObject({ entries: named });
    expect(await logged()).toEqual(erasedOnce());
  });
});
