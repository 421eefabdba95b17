import { afterEach, describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import {
  createPayerMetrics,
  createPayers,
  keyPairSigner,
  lastSignedAt,
  listPayers,
  type Payers,
  type RelaySigner,
} from '../../../../src/domain/relays/index.js';
import { DUE_RELAYS_TOPIC } from '../../../../src/domain/relays/relay.js';
import { ConfigurationError } from '../../../../src/platform/kernel/configuration-error.js';
import { LucarneError } from '../../../../src/platform/kernel/errors.js';
import { newCapabilityId, type Id } from '../../../../src/platform/kernel/ids.js';
import type { Address } from '../../../../src/platform/ledger/index.js';
import { openRelayRoom, relayerKey, type WorkerChanges } from '../kit.js';
import { atLeast, eventually } from '../../../kit/eventually.js';
import { forFile } from '../../../kit/for-file.js';
import { openGate } from '../../../kit/process/gate.js';

const RICH_LAMPORTS = 10_000_000_000;
const RESERVE_LAMPORTS = 50_000_000;

const room = forFile(await openRelayRoom());

describe('several payers', () => {
  afterEach(() => room.rest());

  /** Each story has new accounts, so that spending in one does not affect the next. */
  const open = (...lamports: [number, number]) => {
    const both = lamports.map((amount) => {
      const signer = keyPairSigner(relayerKey());
      room.ledger.airdrop(signer.address, amount);
      return signer;
    });
    return { one: both[0]!, other: both[1]!, both };
  };
  const paidBy = async (id: Id<'rly'>) => (await room.attempts(id)).map(({ payer }) => payer);
  /** A request whose first attempt is the turn of this payer. */
  const submitFor = async ({ address }: RelaySigner, payers: Payers): Promise<Id<'rly'>> => {
    for (;;) {
      const id = newCapabilityId('rly');
      if ((await payers.choose({ id, attemptNumber: 1, failedLooks: 0 })).address === address)
        return room.submit({}, id);
    }
  };
  const listed = async (payers: Pick<Payers, 'all'>, address: Address) =>
    (await listPayers(room.foundation.database, payers.all)).find((payer) => payer.address === address);

  /** Metrics, and the number of looks that found nothing before the one request of a story was signed. */
  const looks = () => {
    const counts = { failed: 0 };
    let isSigned = false;
    const metrics: WorkerChanges['metrics'] = {
      changed: (status) => void (isSigned ||= status === 'submitted'),
      lookFailed: () => void (counts.failed += isSigned ? 0 : 1),
    };
    return { counts, metrics };
  };

  it.each([
    ['no look', 0],
    ['one look', 1],
    ['two looks', 2],
  ])(
    'share relays, and every worker chooses the same payer for one relay: after %s that found nothing',
    async (_, failing) => {
      const { one, other, both } = open(RICH_LAMPORTS, RICH_LAMPORTS);
      const payers = room.payers(both);
      for (const first of [one, other]) {
        const { counts, metrics } = looks();
        const nodes = room.nodes(1);
        nodes.fail({ method: 'simulate' }, { kind: 'status', status: 500 }, failing);
        const id = await submitFor(first, payers);
        const workers = [payers, room.payers(both)].map((known) =>
          room.worker({ nodes, payers: known, metrics }),
        );
        expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
        for (const worker of workers) await worker.stop();
        expect(counts.failed).toBeGreaterThanOrEqual(failing);
        const turn = counts.failed % 2 === 0 ? first : first === one ? other : one;
        expect(await paidBy(id)).toEqual([turn.address]);
      }
    },
  );

  it('are listed, with their attempts and when they last signed', async () => {
    const { one } = open(RICH_LAMPORTS, RICH_LAMPORTS);
    const payers = room.payers([one]);
    const ids = [await room.submit()];
    room.worker({ payers });
    expect(await room.untilEnded(ids[0]!)).toMatchObject({ status: 'succeeded' });
    expect(await listed(payers, one.address)).toEqual({
      address: one.address,
      state: 'paying',
      openAttempts: 0,
    });
    const [attempt] = await room.attempts(ids[0]!);
    expect(await lastSignedAt(room.foundation.database, one.address)).toEqual(attempt!.createdAt);
  });

  it('have about equal numbers of relays, and another attempt uses the next payer', async () => {
    const { one, both } = open(RICH_LAMPORTS, RICH_LAMPORTS);
    const payers = room.payers(both);
    let ofOne = 0;
    for (let count = 0; count < 1_000; count += 1) {
      const id = newCapabilityId('rly');
      const [first, second, third] = await Promise.all(
        [1, 2, 3].map((attemptNumber) => payers.choose({ id, attemptNumber, failedLooks: 0 })),
      );
      expect(first).not.toBe(second);
      expect(third).toBe(first);
      if (first === one) ofOne += 1;
    }
    // By chance alone, this fails once in 10^23 runs.
    expect(Math.abs(ofOne - 500)).toBeLessThan(160);
  });

  it('continue while one of them is below its reserve', async () => {
    const { one, other, both } = open(RESERVE_LAMPORTS - 1, RICH_LAMPORTS);
    const turns = room.payers(both, { reserveLamports: 1 });
    const id = await submitFor(one, turns);
    const payers = room.payers(both, { reserveLamports: RESERVE_LAMPORTS });
    expect(await payers.canPay()).toBe(true);
    room.worker({ payers });
    expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
    expect(await paidBy(id)).toEqual([other.address]);
    expect(room.ledger.balance(one.address)).toBe(RESERVE_LAMPORTS - 1);
  });

  it('accept nothing if all are below their reserve, and the richest pays for accepted relays', async () => {
    const { one, other, both } = open(RESERVE_LAMPORTS - 1, RESERVE_LAMPORTS - 2);
    const id = await submitFor(other, room.payers(both, { reserveLamports: 1 }));
    const payers = room.payers(both, { reserveLamports: RESERVE_LAMPORTS });
    expect(await payers.canPay()).toBe(false);
    room.worker({ payers });
    expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
    expect(await paidBy(id)).toEqual([one.address]);
  });

  const away = new LucarneError('UNAVAILABLE', 'The key store does not answer.');
  const refused = new ConfigurationError('The key store refuses the token.');
  const failing = ({ address }: RelaySigner, thrown: Error): RelaySigner => ({
    address,
    sign: () => Promise.reject(thrown),
  });

  it.each([
    ['is unavailable', away],
    ['refuses', refused],
  ])('pass the turn to another payer if the key store of one %s', async (_, thrown) => {
    const { one, other } = open(RICH_LAMPORTS, RICH_LAMPORTS);
    const payers = room.payers([failing(one, thrown), other]);
    const ids = [await submitFor(one, payers), await submitFor(one, payers), await submitFor(other, payers)];
    room.worker({ payers });
    for (const id of ids) {
      expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded', attemptNumber: 1 });
      expect(await paidBy(id)).toEqual([other.address]);
    }
  });

  it('keep places of the worker for other payers while the key store of one hangs', async () => {
    const { one, other } = open(RICH_LAMPORTS, RICH_LAMPORTS);
    using gate = openGate();
    const hanging: RelaySigner = {
      address: one.address,
      async sign(message) {
        await gate.until();
        return one.sign(message);
      },
    };
    const payers = room.payers([hanging, other]);
    const waiting = await submitFor(one, payers);
    room.worker({ payers, maxConcurrent: 1 });
    await gate.arrived;
    const next = await submitFor(other, payers);
    expect(await room.untilEnded(next)).toMatchObject({ status: 'succeeded' });
    expect((await room.read(waiting)).status).toBe('queued');
    gate.release();
    expect(await room.untilEnded(waiting)).toMatchObject({ status: 'succeeded' });
    expect(await paidBy(waiting)).toEqual([one.address]);
  });

  it('hold a limited number of relays if their key stores hang, and leave the rest to other workers', async () => {
    const { one, other } = open(RICH_LAMPORTS, RICH_LAMPORTS);
    using gate = openGate();
    let asked = 0;
    const hanging: RelaySigner = {
      address: one.address,
      async sign(message) {
        asked += 1;
        await gate.until();
        return one.sign(message);
      },
    };
    const ids = [await room.submit(), await room.submit(), await room.submit()];
    room.worker({ payers: room.payers([hanging]), maxConcurrent: 1, maxAtStores: 2 });
    await eventually(() => asked, atLeast(ids.length));
    const next = await room.submit();
    for (let look = 0; look < 20; look += 1) {
      room.foundation.signals.publish(DUE_RELAYS_TOPIC);
      expect(await room.read(next)).toMatchObject({ status: 'accepted' });
    }
    room.worker({ payers: room.payers([other]) });
    expect(await room.untilEnded(next)).toMatchObject({ status: 'succeeded' });
    gate.release();
    for (const id of ids) {
      expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
      expect(await paidBy(id)).toEqual([one.address]);
    }
  });

  it('fail relays that they cannot sign because all key stores are unavailable, and these can be retried', async () => {
    const { one, both } = open(RICH_LAMPORTS, RICH_LAMPORTS);
    const id = await room.submit();
    const worker = room.worker({ payers: room.payers([failing(one, away)]) });
    expect(await room.untilEnded(id)).toMatchObject({ status: 'failed', reason: 'infrastructure_failed' });
    expect((await room.events(id)).at(-1)).toMatchObject({
      evidence: { cause: 'signer_unavailable', looks: 5, last: { payer: one.address } },
    });
    await worker.stop();
    expect(await room.retry(id)).toBe(true);
    room.worker({ payers: room.payers(both) });
    expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
  });

  it('leave no relay open when one retires while relays are in progress', async () => {
    const { one, other, both } = open(RICH_LAMPORTS, RICH_LAMPORTS);
    const before = room.payers(both);
    const nodes = room.nodes(2);
    nodes.fail({ method: 'send' }, { kind: 'swallowed' });
    const underWay = [await submitFor(one, before), await submitFor(other, before)];
    const first = room.worker({ nodes, payers: before });
    for (const id of underWay) await room.until(id, ({ status }) => status === 'submitted');
    await first.stop();

    const waiting = await submitFor(one, before);
    const after = room.payers(both, { retiring: [one.address] });
    expect(await listed(after, one.address)).toMatchObject({ state: 'retiring', openAttempts: 1 });
    nodes.heal();
    room.worker({ nodes, payers: after });
    for (const id of [...underWay, waiting])
      expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded', attemptNumber: 1 });
    expect(await paidBy(underWay[0]!)).toEqual([one.address]);
    expect(await paidBy(waiting)).toEqual([other.address]);
    expect(await listed(after, one.address)).toMatchObject({ state: 'retiring', openAttempts: 0 });
  });

  it('end the relay of a payer whose key was removed, and another payer signs the next attempt', async () => {
    const { one, other, both } = open(RICH_LAMPORTS, RICH_LAMPORTS);
    const before = room.payers(both);
    const nodes = room.nodes(2);
    nodes.fail({ method: 'send' }, { kind: 'swallowed' });
    const ids = [await submitFor(one, before), await submitFor(one, before)];
    const first = room.worker({ nodes, payers: before });
    for (const id of ids) await room.until(id, ({ status }) => status === 'submitted');
    await first.stop();

    const after = room.payers([other]);
    expect(await listed(after, one.address)).toMatchObject({ state: 'removed', openAttempts: 2 });
    const second = room.worker({ nodes, payers: after });
    room.ledger.skipBlocks(200);
    for (const id of ids) expect(await room.untilEnded(id)).toMatchObject({ reason: 'send_failed' });
    expect(await listed(after, one.address)).toBeUndefined();
    nodes.heal();
    expect(await room.retry(ids[0]!)).toBe(true);
    expect(await room.untilEnded(ids[0]!)).toMatchObject({ status: 'succeeded', attemptNumber: 2 });
    expect(await paidBy(ids[0]!)).toEqual([one.address, other.address]);
    await second.stop();
  });

  it('accept a key that becomes available later: until then the other payer signs', async () => {
    const { one, other } = open(RICH_LAMPORTS, RICH_LAMPORTS);
    const payers = room.payers([]);
    expect(payers.canSign).toBe(false);
    room.worker({ payers });
    const waiting = await room.submit();
    expect(payers.add(other)).toBe('paying');
    expect(await room.untilEnded(waiting)).toMatchObject({ status: 'succeeded' });
    expect(await paidBy(waiting)).toEqual([other.address]);

    expect(payers.add(one)).toBe('paying');
    expect(payers.add(one)).toBeUndefined();
    const id = await submitFor(one, payers);
    expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
    expect(await paidBy(id)).toEqual([one.address]);
    const retired = room.payers([], { retiring: [one.address] });
    expect([retired.add(one), retired.canSign]).toEqual(['retiring', false]);
    expect(retired.add(one)).toBeUndefined();
  });

  it('watch signed transactions without a key in this process, and leave the rest to other workers', async () => {
    const { one, both } = open(RICH_LAMPORTS, RICH_LAMPORTS);
    const before = room.payers(both);
    const nodes = room.nodes(2);
    nodes.fail({ method: 'send' }, { kind: 'swallowed' });
    const signed = await submitFor(one, before);
    const first = room.worker({ nodes, payers: before });
    await room.until(signed, ({ status }) => status === 'submitted');
    await first.stop();

    nodes.heal();
    const waiting = await room.submit();
    const without = room.payers([], { retiring: [one.address] });
    const second = room.worker({ nodes, payers: without });
    expect(await room.untilEnded(signed)).toMatchObject({ status: 'succeeded' });
    await second.stop();
    expect(await room.read(waiting)).toMatchObject({ status: 'accepted', failedLooks: 0 });
    expect(await without.canPay()).toBeUndefined();
    room.worker({ nodes, payers: before });
    expect(await room.untilEnded(waiting)).toMatchObject({ status: 'succeeded' });
  });

  it('have gauges of the balance of each, and of open attempts, including retiring and removed payers', async () => {
    const { one, other, both } = open(RICH_LAMPORTS, RESERVE_LAMPORTS);
    const before = room.payers(both);
    const nodes = room.nodes(1);
    nodes.fail({ method: 'send' }, { kind: 'swallowed' });
    const id = await submitFor(one, room.payers(both, { reserveLamports: 1 }));
    const worker = room.worker({ nodes, payers: before });
    await room.until(id, ({ status }) => status === 'submitted');
    await worker.stop();
    const scraped = async (options: { signers: RelaySigner[]; retiring: Address[] }) => {
      const registry = new Registry();
      const payers: Payers = createPayers({
        ...options,
        nodes: { nodes: [room.honest] },
        clock: room.foundation.clock,
        reserveLamports: RESERVE_LAMPORTS,
        ...createPayerMetrics(registry, room.foundation.database, () => payers),
      });
      await Promise.all(payers.all.map(({ balance }) => balance()));
      return registry.metrics();
    };

    const retiring = await scraped({ signers: both, retiring: [one.address] });
    expect(retiring).toContain(`open_attempts{payer="${one.address}",state="retiring"} 1\n`);
    expect(retiring).toContain(`open_attempts{payer="${other.address}",state="paying"} 0\n`);
    expect(retiring).toContain(
      `balance_lamports{payer="${one.address}",state="retiring"} ${RICH_LAMPORTS}\n`,
    );
    expect(retiring).toContain(`balance_lamports{payer="${other.address}",state="paying"} 50000000\n`);
    expect(retiring).toContain('lucarne_relayer_reserve_lamports 50000000\n');

    const removed = await scraped({ signers: [other], retiring: [] });
    expect(removed).toContain(`open_attempts{payer="${one.address}",state="removed"} 1\n`);
    expect(removed).not.toContain(`balance_lamports{payer="${one.address}"`);
    nodes.heal();
    room.worker({ nodes, payers: room.payers([other]) });
    await room.untilEnded(id);
    expect(await scraped({ signers: [other], retiring: [] })).not.toContain(one.address);
  });

  it('have no balance in the gauges after no provider returned it for a minute', async () => {
    const { one } = open(RICH_LAMPORTS, RICH_LAMPORTS);
    const nodes = room.nodes(1);
    const registry = new Registry();
    let now = 0;
    const payers: Payers = createPayers({
      ...{ signers: [one], nodes, clock: { now: () => new Date(now) } },
      ...createPayerMetrics(registry, room.foundation.database, () => payers),
    });
    await payers.all[0]!.balance();
    const balance = `balance_lamports{payer="${one.address}"`;
    expect(await registry.metrics()).toContain(balance);
    nodes.fail({ method: 'balance' }, { kind: 'drop' });
    now += 120_000;
    await registry.metrics();
    await payers.all[0]!.balance();
    expect(await registry.metrics()).not.toContain(balance);
  });
});
