import { afterEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../../src/platform/database/index.js';
import { LeaseLost } from '../../../../src/platform/jobs/index.js';
import { DUE_RELAYS_TOPIC } from '../../../../src/domain/relays/relay.js';
import { recordStep } from '../../../../src/domain/relays/execution/record-step.js';
import {
  claimRelays,
  releaseRelay,
  renewLeases,
} from '../../../../src/domain/relays/execution/relay-lease.js';
import { atLeast, eventually } from '../../../kit/eventually.js';
import { forFile } from '../../../kit/for-file.js';
import { openGate } from '../../../kit/process/gate.js';
import { openRelayRoom } from '../kit.js';

/** The terms of a claim by a worker that has no requests. */
const TERMS = { durationMs: 60_000, limit: 10, underWay: [], early: [], canSign: true };

const room = forFile(await openRelayRoom());

describe('the relayer’s lease of a request', () => {
  afterEach(() => room.rest());

  it('prevents other workers from claiming, renewing, releasing or writing, even if the request has not changed', async () => {
    const { foundation } = room;
    const id = await room.submit();
    const claim = async (owner: string) => {
      return (await claimRelays(foundation.database, { ...TERMS, owner })).filter((relay) => relay.id === id);
    };
    const expire = () =>
      foundation.database.rows(sql`
        update relay_requests set lease_expires_at = now() - interval '1 second' where id = ${id}`);
    const holder = async () => {
      const [row] = await foundation.database.rows(sql`
        select lease_owner as owner, lease_expires_at > now() as "isHeld" from relay_requests where id = ${id}`);
      return row;
    };
    const validating = { kind: 'change', change: { to: 'validating', evidence: {} } } as const;

    const [lost] = await claim('first');
    expect(await claim('second')).toEqual([]);
    await expire();
    const [held] = await claim('second');
    expect([lost!.isTakenOver, held!.isTakenOver]).toEqual([false, true]);
    await expect(recordStep(foundation, lost!, lost!.fencingToken, validating)).rejects.toThrow(LeaseLost);
    await releaseRelay(foundation.database, lost!, { failedLooks: 0, nextLookInMs: 0, waitingFor: null });
    expect(await holder()).toEqual({ owner: 'second', isHeld: true });
    await expire();
    await renewLeases(foundation.database, { owner: 'first', durationMs: 60_000 }, [id]);
    expect(await holder()).toEqual({ owner: 'second', isHeld: false });
    await renewLeases(foundation.database, { owner: 'second', durationMs: 60_000 }, [id]);
    expect(await holder()).toEqual({ owner: 'second', isHeld: true });

    expect(await recordStep(foundation, held!, held!.fencingToken, validating)).toMatchObject({
      sequence: 2,
    });
    await expect(recordStep(foundation, held!, held!.fencingToken, validating)).rejects.toThrow(LeaseLost);
    expect((await room.events(id)).map(({ sequence }) => sequence)).toEqual([1, 2]);

    // As a worker whose commit was not confirmed.
    const relay = await room.read(id);
    const end = { to: 'rejected', reason: 'kyt_rejected', evidence: {} } as const;
    await recordStep(foundation, relay, held!.fencingToken, { kind: 'change', change: end });
    await releaseRelay(foundation.database, held!, { failedLooks: 1, nextLookInMs: 0, waitingFor: null });
    expect(await room.read(id)).toMatchObject({ status: 'rejected', failedLooks: 0 });
    await expire();
    expect(await claim('third')).toEqual([]);
  });

  it('is claimed early by a hint only if a transaction was signed', async () => {
    const { database } = room.foundation;
    const id = await room.submit();
    const claims = async (status: string) => {
      await database.rows(sql`
        update relay_requests set status = ${status}, next_look_at = now() + interval '1 hour',
          lease_owner = null, lease_expires_at = null where id = ${id}`);
      return (await claimRelays(database, { ...TERMS, owner: 'hinted', early: [id] })).length;
    };
    for (const status of ['accepted', 'validating', 'queued']) expect(await claims(status)).toBe(0);
    for (const status of ['submitted', 'reconciling']) expect(await claims(status)).toBe(1);
  });

  it('is claimed for a request with a hint before requests that are due longer', async () => {
    const { database } = room.foundation;
    const [due, hinted] = [await room.submit(), await room.submit()];
    await database.rows(sql`
      update relay_requests set status = 'submitted', next_look_at = now() + interval '1 hour' where id = ${hinted}`);
    const asked = { ...TERMS, owner: 'hinted', limit: 1, early: [hinted] };
    const claims = async () => (await claimRelays(database, asked)).map(({ id }) => id);
    expect(await claims()).toEqual([hinted]);
    expect(await claims()).toEqual([due]);
  });

  it('is renewed while the relayer works on the request', async () => {
    const nodes = room.nodes(1);
    using gate = openGate();
    nodes.fail({ method: 'simulate' }, { kind: 'delay', until: gate.until }, 1);
    const id = await room.submit();
    room.worker({ nodes, timing: { leaseDurationMs: 30 } });
    const expiresAt = async () => {
      const [row] = await room.foundation.database.rows(sql<{ at: Date | null }>`
        select lease_expires_at as at from relay_requests where id = ${id}`);
      return row?.at?.getTime() ?? 0;
    };
    await room.until(id, ({ status }) => status === 'queued');
    const first = await expiresAt();
    await eventually(expiresAt, atLeast(first + 1));
    gate.release();
    expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
  });

  it('lets the relayer change nothing once it is lost', async () => {
    const nodes = room.nodes(1);
    using gate = openGate();
    nodes.fail({ method: 'simulate' }, { kind: 'delay', until: gate.until });
    const id = await room.submit();
    const slow = room.worker({ nodes });
    await gate.arrived;
    await room.foundation.database.rows(sql`
      update relay_requests set lease_expires_at = now() - interval '1 second' where id = ${id}`);
    room.worker();
    expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
    gate.release();
    await slow.stop();
    expect(await room.attempts(id)).toHaveLength(1);
    expect(nodes.reached).toEqual([]);
  });

  it('is released when the relayer stops', async () => {
    const nodes = room.nodes(1);
    nodes.fail({ method: 'send' }, { kind: 'swallowed' });
    const id = await room.submit();
    const worker = room.worker({ nodes });
    await room.until(id, ({ status }) => status === 'submitted');
    await worker.stop();
    const [row] = await room.foundation.database.rows(sql`
      select lease_owner as owner, next_look_at is not null as "isDue" from relay_requests where id = ${id}`);
    expect(row).toEqual({ owner: null, isDue: true });
  });

  it('lasts until the step in progress is written when the relayer stops, and no other step begins', async () => {
    const nodes = room.nodes(1);
    using gate = openGate();
    nodes.fail({ method: 'accountOwners' }, { kind: 'delay', until: gate.until }, 1);
    const id = await room.submit();
    const worker = room.worker({ nodes });
    await gate.arrived;
    const stopped = worker.stop();
    gate.release();
    await stopped;
    expect(await room.read(id)).toMatchObject({ status: 'queued' });
    expect(await room.attempts(id)).toEqual([]);
    room.worker();
    expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded', attemptNumber: 1 });
  });

  it('is not claimed again by a worker that lost it and still works on the request', async () => {
    const { database, signals } = room.foundation;
    const nodes = room.nodes(1);
    using gate = openGate();
    nodes.fail({ method: 'simulate' }, { kind: 'delay', until: gate.until }, 1);
    const id = await room.submit();
    room.worker({ nodes });
    await gate.arrived;
    await database.rows(sql`
      update relay_requests set lease_expires_at = now() - interval '1 second', next_look_at = now() where id = ${id}`);
    for (let look = 0; look < 20; look += 1) {
      signals.publish(DUE_RELAYS_TOPIC);
      const rows = await database.rows(sql`
        select fencing_token as claims from relay_requests where id = ${id}`);
      expect(rows).toEqual([{ claims: 1 }]);
    }
    gate.release();
    expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
  });
});
