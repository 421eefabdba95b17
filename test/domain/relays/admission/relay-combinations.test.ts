import { afterEach, describe, expect, it } from '@jest/globals';
import type { Database, Transaction } from '../../../../src/platform/database/index.js';
import { sql } from '../../../../src/platform/database/index.js';
import { keyPairSigner } from '../../../../src/domain/relays/index.js';
import { isTerminal } from '../../../../src/domain/relays/relay-state.js';
import { newCapabilityId, type Id } from '../../../../src/platform/kernel/ids.js';
import type { Address, LedgerNode, LedgerNodes } from '../../../../src/platform/ledger/index.js';
import { eventually } from '../../../kit/eventually.js';
import { forFile } from '../../../kit/for-file.js';
import type { FaultyNodes } from '../../../kit/ledger/faulty-nodes.js';
import { openGate } from '../../../kit/process/gate.js';
import { LOCAL_POOL_PROGRAM_ID } from '../../../../devnet/index.js';
import { openRelayRoom, relayerKey } from '../kit.js';

const room = forFile(await openRelayRoom());

describe('a relay with several faults at once', () => {
  afterEach(() => room.rest());

  const looks = (nodes: FaultyNodes) =>
    nodes.calls.filter(({ node, method }) => node === 2 && method === 'signatureStatuses').length;

  /** After a transaction is sent, the first node invents a success, with its transaction and accounts. */
  const inventing = (nodes: FaultyNodes): LedgerNodes => {
    const honest = nodes.nodes[0]!;
    let isSent = false;
    const liar: LedgerNode = {
      ...honest,
      send: () => {
        isSent = true;
        return Promise.resolve();
      },
      async signatureStatuses(signatures) {
        const { slot } = await honest.signatureStatuses(signatures);
        const status = { slot: slot - 1, commitment: 'finalized', failure: null } as const;
        return { slot, statuses: signatures.map(() => status) };
      },
      async finalizedOutcome(signature) {
        const { slot } = await honest.signatureStatuses([signature]);
        return { slot: slot - 1, failure: null, fee: 5_000, isFeePaid: true, paidLamports: 5_000 };
      },
      async accountOwners(addresses, asOf) {
        const { slot, owners } = await honest.accountOwners(addresses, asOf);
        return { slot, owners: isSent ? addresses.map(() => LOCAL_POOL_PROGRAM_ID as Address) : owners };
      },
    };
    return { ...nodes, nodes: [liar, ...nodes.nodes.slice(1)] };
  };

  it('ends once and correctly with two workers whose clocks differ by 20 minutes, a lying provider and one that hangs', async () => {
    using hanging = openGate();
    const ids = await Promise.all([1, 2, 3, 4].map(() => room.submit()));
    const workers = [-600_000, 600_000].map((ahead) => {
      const nodes = room.nodes(3);
      nodes.fail({ node: 1 }, { kind: 'delay', until: hanging.until });
      nodes.fail({ node: 2, method: 'send' }, { kind: 'swallowed' });
      const foundation = { ...room.foundation, clock: { now: () => new Date(Date.now() + ahead) } };
      room.worker({ nodes: inventing(nodes), foundation, timing: { patienceMs: 100 } });
      return nodes;
    });
    for (const id of ids)
      await room.until(id, ({ status, waitingFor }) => isTerminal(status) || waitingFor !== null);
    const before = workers.map(looks);
    const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count);
    await eventually(
      () => workers.map(looks),
      (now) => sum(now) >= 20 + sum(before),
    );
    for (const id of ids) expect(isTerminal((await room.read(id)).status)).toBe(false);
    for (const nodes of workers) nodes.heal();
    hanging.release();
    for (const id of ids) {
      const { createdAt, updatedAt } = await room.untilEnded(id);
      expect(await room.read(id)).toMatchObject({ status: 'succeeded', attemptNumber: 1 });
      expect((await room.landed(id)).succeeded).toHaveLength(1);
      expect(updatedAt.getTime()).toBeGreaterThanOrEqual(createdAt.getTime());
    }
    const [backwards] = await room.foundation.database.rows(sql<{ count: number }>`
      select count(*)::integer as count from relay_events as one join relay_events as other
        on other.request_id = one.request_id and other.sequence > one.sequence
      where other.created_at < one.created_at`);
    expect(backwards).toEqual({ count: 0 });
  });

  it('is paid by another payer if a retiring payer’s key store hangs, and a late signature is not sent', async () => {
    const [retiring, staying] = [keyPairSigner(relayerKey()), keyPairSigner(relayerKey())];
    for (const { address } of [retiring, staying]) room.ledger.airdrop(address, 10_000_000_000);
    using store = openGate();
    const late = {
      ...retiring,
      sign: async (message: Uint8Array) => {
        await store.until();
        return retiring.sign(message);
      },
    };
    const before = room.payers([late, staying]);
    let id: Id<'rly'>;
    do id = newCapabilityId('rly');
    while ((await before.choose({ id, attemptNumber: 1, failedLooks: 0 })).address !== retiring.address);
    await room.submit({}, id);
    const silent = room.nodes(1);
    const failures: string[] = [];
    const metrics = { lookFailed: (cause: string) => void failures.push(cause) };
    const old = room.worker({ nodes: silent, payers: before, metrics });
    await store.arrived;
    // Its process is cut off for longer than its lease, and the other processes know which payer retires.
    await room.foundation.database.rows(sql`
      update relay_requests set lease_expires_at = now() - interval '1 second' where id = ${id}`);
    room.worker({ payers: room.payers([late, staying], { retiring: [retiring.address] }) });
    expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded', attemptNumber: 1 });
    store.release();
    await old.stop();
    expect((await room.attempts(id)).map(({ payer }) => payer)).toEqual([staying.address]);
    expect(silent.reached).toEqual([]);
    // A lost lease is expected.
    expect(failures).toEqual([]);
  });

  /** A database where one statement, or the end of one transaction, fails before or after it takes effect. */
  function failingAt(
    database: Database,
    at: number,
    when: 'before' | 'after',
  ): { readonly database: Database; readonly counted: () => number } {
    let count = 0;
    const guarded = async <Result>(work: () => Promise<Result>): Promise<Result> => {
      count += 1;
      const isNow = count === at;
      if (isNow && when === 'before') throw new Error('The connection broke.');
      const result = await work();
      if (isNow) throw new Error('The connection broke.');
      return result;
    };
    const within = <Target extends object>(target: Target, members: object): Target =>
      new Proxy(target, {
        get: (_, key) => {
          const own =
            (members as Record<PropertyKey, unknown>)[key] ?? (target as Record<PropertyKey, unknown>)[key];
          return typeof own === 'function' && !(key in members) ? (own.bind(target) as unknown) : own;
        },
      });
    const rows: Database['rows'] = (statement) => guarded(() => database.rows(statement));
    const transaction: Database['transaction'] = (work) =>
      guarded(() =>
        database.transaction((open) => {
          const statements: Transaction['rows'] = (statement) => guarded(() => open.rows(statement));
          return work(within(open, { rows: statements }));
        }),
      );
    return { database: within(database, { rows, transaction }), counted: () => count };
  }

  it.each(['before', 'after'] as const)(
    'lands one transaction and signs no other if the database fails at any statement of an attempt %s it took effect',
    async (when) => {
      let isPast = false;
      for (let at = 1; !isPast; at += 1) {
        const { database, counted } = failingAt(room.foundation.database, at, when);
        const id = await room.submit();
        // A claim that took effect although its worker does not know it is free after its lease has expired.
        const timing = { leaseDurationMs: 500 };
        const worker = room.worker({ foundation: { ...room.foundation, database }, timing });
        expect({ at, ...(await room.untilEnded(id)) }).toMatchObject({ at, status: 'succeeded' });
        await worker.stop();
        expect({ at, attempts: (await room.attempts(id)).length }).toEqual({ at, attempts: 1 });
        expect((await room.landed(id)).succeeded).toHaveLength(1);
        isPast = counted() < at;
      }
    },
  );
});
