import { beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../kit/eventually.js';
import { sql } from '../../../../src/platform/database/index.js';
import { keyPairSigner, type RelayDesk } from '../../../../src/domain/relays/index.js';
import type { Address } from '../../../../src/platform/ledger/index.js';
import { retryRelay } from '../../../../src/domain/relays/admission/retry-relay.js';
import { submitRelay } from '../../../../src/domain/relays/admission/submit-relay.js';
import { standingClock } from '../../checks/kit.js';
import {
  badProof,
  change,
  CIPHERTEXT_POOL,
  freshPackage,
  scriptedNodes,
  TO_FAILED,
  TO_SUBMITTED,
  type TestPackage,
} from '../desk-kit.js';
import { relayerKey } from '../kit.js';
import { submissionStories } from './submission-stories.js';

const stories = submissionStories();
const { open, submit, refusalOf } = stories;

describe('a relayer', () => {
  it('accepts nothing without a key', async () => {
    const without = await open({ signers: [] });
    expect(await refusalOf(submit(freshPackage(), without))).toMatchObject({
      code: 'UNAVAILABLE',
      reason: 'relayer_unavailable',
      wait: expect.any(Number),
    });
  });

  it('accepts nothing if it cannot pay, and uses the lower balance of two providers', async () => {
    const low = scriptedNodes(1_000_000_000, 49_999_999);
    const refused = await open({ nodes: low });
    expect(await refusalOf(submit(freshPackage(), refused))).toMatchObject({
      code: 'UNAVAILABLE',
      reason: 'low_balance',
      wait: expect.any(Number),
    });
    const enough = await open({ nodes: scriptedNodes(50_000_000, new Error('down')) });
    expect(await submit(freshPackage(), enough)).toMatchObject({ status: 'accepted' });
  });

  it('is not stopped by one of three providers that returns no balance, and names it', async () => {
    const lies: string[] = [];
    const lied = (provider: string) => void lies.push(provider);
    const lying = await open({ nodes: scriptedNodes(0, 1_000_000_000, 1_000_000_000), lied });
    expect(await submit(freshPackage(), lying)).toMatchObject({ status: 'accepted' });
    expect(lies).toEqual(['provider 0']);
  });

  it('accepts while one of several payers has its reserve, and does not treat an unknown balance as low', async () => {
    const signers = [keyPairSigner(relayerKey()), keyPairSigner(relayerKey())];
    const balances = new Map(signers.map(({ address }) => [address, 49_999_999]));
    const clock = standingClock();
    const balance = (address: Address) => {
      const lamports = balances.get(address);
      return lamports === undefined
        ? Promise.reject(new Error('down'))
        : Promise.resolve({ slot: 1, lamports });
    };
    const two = await open(
      { signers, nodes: { nodes: [{ label: 'the only one', balance }] } },
      { ...stories.foundation, clock },
    );
    expect(await refusalOf(submit(freshPackage(), two))).toMatchObject({ reason: 'low_balance' });
    balances.set(signers[1]!.address, 50_000_000);
    clock.advance(60_000);
    expect(await submit(freshPackage(), two)).toMatchObject({ status: 'accepted' });
    balances.delete(signers[1]!.address);
    clock.advance(60_000);
    expect(await refusalOf(submit(freshPackage(), two))).toMatchObject({ reason: 'relayer_unavailable' });
  });

  it('asks for its balance every few seconds, for all requests together', async () => {
    const clock = standingClock();
    const nodes = scriptedNodes(1_000_000_000);
    const shared = await open({ nodes }, { ...stories.foundation, clock });
    await Promise.all([1, 2, 3].map(() => submit(freshPackage(), shared)));
    expect(nodes.answers.asked).toBe(1);
    clock.advance(3_000);
    await Promise.all([1, 2, 3].map(() => submit(freshPackage(), shared)));
    expect(nodes.answers.asked).toBe(2);
  });

  it('continues for a minute after its balance becomes unknown, and then accepts nothing until it is known', async () => {
    const clock = standingClock();
    const nodes = scriptedNodes(1_000_000_000);
    const lonely = await open({ nodes }, { ...stories.foundation, clock });
    await submit(freshPackage(), lonely);
    nodes.answers.lamports = [new Error('down')];
    clock.advance(59_999);
    expect(await submit(freshPackage(), lonely)).toMatchObject({ status: 'accepted' });
    clock.advance(3_000);
    expect(await refusalOf(submit(freshPackage(), lonely))).toMatchObject({ reason: 'relayer_unavailable' });
    nodes.answers.lamports = [1_000_000_000];
    clock.advance(3_000);
    expect(await submit(freshPackage(), lonely)).toMatchObject({ status: 'accepted' });
  });

  it('asks again when its clock was set back, and does not use a balance with a later time', async () => {
    const clock = standingClock();
    const nodes = scriptedNodes(1_000_000_000);
    const moved = await open({ nodes }, { ...stories.foundation, clock });
    await submit(freshPackage(), moved);
    nodes.answers.lamports = [1];
    clock.advance(-3_600_000);
    expect(await refusalOf(submit(freshPackage(), moved))).toMatchObject({ reason: 'low_balance' });
  });

  it('accepts no more requests when its queue is full', async () => {
    const full = await open({ limits: { queue: 1 } });
    const known = freshPackage();
    const { relayRequestId } = await submit(known);
    expect(await refusalOf(submit(freshPackage(), full))).toMatchObject({
      code: 'UNAVAILABLE',
      reason: 'queue_at_capacity',
      wait: expect.any(Number),
    });
    // A repeated package needs no place in the queue.
    expect(await submit(known, full)).toMatchObject({ relayRequestId });
  });

  it('finds the request of a package until it is rejected, and then needs a place in the queue for it', async () => {
    const known = freshPackage();
    const { relayRequestId } = await submit(known);
    await change(
      stories.foundation,
      relayRequestId,
      { to: 'validating' },
      { to: 'rejected', reason: 'kyt_rejected' },
    );
    const other = freshPackage();
    await submit(other);
    const full = await open({ limits: { queue: 1 } });
    expect(await refusalOf(submit(known, full))).toMatchObject({ reason: 'queue_at_capacity' });
    const again = await submit(known);
    expect(again.status).toBe('accepted');
    expect(again.relayRequestId).not.toBe(relayRequestId);
  });

  it('counts submissions by their outcome', async () => {
    const outcomes: string[] = [];
    const counting = await open({
      metrics: { submitted: (outcome) => void outcomes.push(outcome), budgetUsedUp: () => undefined },
    });
    const relayPackage = freshPackage();
    await submit(relayPackage, counting);
    await submit(relayPackage, counting);
    await submit(badProof(freshPackage()), counting);
    await submit({}, counting).catch(() => undefined);
    expect(outcomes).toEqual(['accepted', 'repeated', 'rejected', 'refused']);
  });
});

describe('the limits per minute', () => {
  /** The windows are minutes of the database's clock. None may change during a test. */
  beforeEach(async () => {
    await eventually(
      () =>
        stories.database.rows(sql<{ second: number }>`select extract(second from now())::float8 as second`),
      ([row]) => row!.second < 35,
    );
    await stories.database.rows(sql`delete from rate_windows`);
  }, 480_000);

  it('are for a client, across all instances, and repeats count', async () => {
    // The clocks of the instances differ, but they share one window.
    const late = { ...stories.foundation, clock: standingClock('2026-11-21T13:20:00.000Z') };
    const limits = { perClient: 4 };
    const [one, other] = [await open({ limits }), await open({ limits }, late)];
    const relayPackage = freshPackage();
    const from = (client: string, at: RelayDesk) => submitRelay(at, client, relayPackage);
    for (const at of [one, other, one, other]) await from('198.51.100.1', at);
    for (const at of [one, other])
      expect(await refusalOf(from('198.51.100.1', at))).toMatchObject({
        code: 'TOO_MANY_REQUESTS',
        reason: 'rate_limited',
        wait: expect.any(Number),
      });
    await from('198.51.100.2', one);
  });

  it('are for the whole network of an IPv6 client, also for invalid proofs', async () => {
    for (const [limit, reason] of [
      ['perClient', freshPackage],
      ['invalidPerClient', () => badProof(freshPackage())],
    ] as const) {
      const limited = await open({ limits: { [limit]: 1 } });
      const from = (host: string) => submitRelay(limited, `2001:db8:${host}`, reason());
      await from('1::1');
      expect(await refusalOf(from('1:0::2'))).toMatchObject({ reason: 'rate_limited' });
      expect(await from('1:1::1')).toMatchObject({ relayRequestId: expect.any(String) });
      await stories.database.rows(sql`delete from rate_windows`);
    }
  });

  it('are for the whole network of an IPv6 client, for submissions and attempts together', async () => {
    const limited = await open({ limits: { perClient: 1 } });
    const { relayRequestId } = await submitRelay(limited, '2001:db8:2:0::1', freshPackage());
    const again = (client: string) => refusalOf(retryRelay(limited, client, relayRequestId));
    expect(await again('2001:db8:2:0::2')).toMatchObject({ reason: 'rate_limited' });
    expect(await again('2001:db8:2:1::1')).toMatchObject({ reason: 'retry_not_allowed' });
  });

  it('are counted for a pool over all clients', async () => {
    const limited = await open({ limits: { perPool: 2 } });
    const submitFrom = (client: string, relayPackage: object) => submitRelay(limited, client, relayPackage);
    const first = freshPackage({ poolSelector: CIPHERTEXT_POOL, ciphertextBytes: '01' });
    await submitFrom('198.51.100.3', first);
    await submitFrom('198.51.100.4', freshPackage({ poolSelector: CIPHERTEXT_POOL, ciphertextBytes: '01' }));
    const third = freshPackage({ poolSelector: CIPHERTEXT_POOL, ciphertextBytes: '01' });
    expect(await refusalOf(submitFrom('198.51.100.5', third))).toMatchObject({ reason: 'rate_limited' });
    // A known package does not count for the pool.
    expect(await submitFrom('198.51.100.5', first)).toMatchObject({ status: 'accepted' });
    expect(await submitFrom('198.51.100.5', freshPackage())).toMatchObject({ status: 'accepted' });
  });

  it('are not used up for a pool by packages with invalid proofs, from any number of addresses', async () => {
    const limited = await open({ limits: { perPool: 1 } });
    for (let at = 0; at < 11; at += 1)
      await submitRelay(limited, `203.0.113.${at}`, badProof(freshPackage()));
    expect(await submitRelay(limited, '203.0.113.99', freshPackage())).toMatchObject({ status: 'accepted' });
  });

  /** Packages that differ from a package only in what its proof does not cover. */
  const replaysOf = (relayPackage: TestPackage, count: number, first = 0) =>
    Array.from({ length: count }, (_, at) => ({
      ...relayPackage,
      ...(at % 2 === 0 ? { applicationIdHints: [`${first} ${at}`] } : { keyVersionHints: [first, at] }),
    }));

  it('are not used up for a pool by a proof that was used before, whatever hints come with it', async () => {
    const limited = await open({ limits: { perClient: 6, perPool: 60 } });
    const spent = freshPackage();
    const { relayRequestId } = await submitRelay(limited, '203.0.113.99', spent);
    await change(stories.foundation, relayRequestId, ...TO_SUBMITTED, { to: 'succeeded' });
    for (let client = 0; client < 11; client += 1)
      for (const replay of replaysOf(spent, 6, client))
        expect(await refusalOf(submitRelay(limited, `203.0.113.${client}`, replay))).toMatchObject({
          code: 'CONFLICT',
          reason: 'conflicting_payload',
        });
    // Each of them counts for its client.
    expect(await refusalOf(submitRelay(limited, '203.0.113.0', freshPackage()))).toMatchObject({
      reason: 'rate_limited',
    });
    expect(await submitRelay(limited, '203.0.113.11', freshPackage())).toMatchObject({ status: 'accepted' });
  });

  it('count for a pool one of many different packages for one nullifier that arrive together', async () => {
    const limited = await open({ limits: { perPool: 2 } });
    const answers = await Promise.allSettled(
      replaysOf(freshPackage(), 24).map((replay, at) => submitRelay(limited, `203.0.113.${at}`, replay)),
    );
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const answer of answers)
      if (answer.status === 'rejected')
        expect(answer).toMatchObject({ reason: { reason: 'conflicting_payload' } });
    expect(await submitRelay(limited, '203.0.113.99', freshPackage())).toMatchObject({ status: 'accepted' });
  });

  it('do not count attempts for a pool that the relayer has no room for, nor those that lose to another', async () => {
    const limits = { perPool: 4 };
    const [full, limited] = [await open({ limits: { ...limits, queue: 1 } }), await open({ limits })];
    const { relayRequestId } = await submitRelay(limited, '203.0.113.1', freshPackage());
    await change(stories.foundation, relayRequestId, ...TO_FAILED);
    await submit(freshPackage());
    for (let at = 0; at < 4; at += 1)
      expect(await refusalOf(retryRelay(full, `203.0.113.${at}`, relayRequestId))).toMatchObject({
        reason: 'queue_at_capacity',
      });
    const attempts = await Promise.allSettled(
      Array.from({ length: 8 }, (_, at) => retryRelay(limited, `203.0.113.${at}`, relayRequestId)),
    );
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const attempt of attempts)
      if (attempt.status === 'rejected')
        expect(attempt).toMatchObject({ reason: { reason: 'retry_not_allowed' } });
    expect(await submitRelay(limited, '203.0.113.99', freshPackage())).toMatchObject({ status: 'accepted' });
  });

  it('allow ten invalid proofs of a client: then its next proof is not verified, and other clients are not limited', async () => {
    const limited = await open({ limits: { invalidPerClient: 10 } });
    const client = '203.0.113.200';
    for (let at = 0; at < 10; at += 1)
      expect(await submitRelay(limited, client, badProof(freshPackage()))).toMatchObject({
        publicReason: 'invalid_proof',
      });
    const { finished } = stories.proofs.stats;
    expect(await refusalOf(submitRelay(limited, client, freshPackage()))).toMatchObject({
      code: 'TOO_MANY_REQUESTS',
      reason: 'rate_limited',
    });
    expect(stories.proofs.stats.finished).toBe(finished);
    expect(await submitRelay(limited, '203.0.113.201', freshPackage())).toMatchObject({ status: 'accepted' });
  });

  it('do not count packages whose circuit is not relayed as invalid proofs', async () => {
    const limited = await open({ limits: { invalidPerClient: 1 } });
    for (let at = 0; at < 2; at += 1)
      expect(await submitRelay(limited, '203.0.113.220', freshPackage({ zkConfigNonce: '9' }))).toMatchObject(
        {
          publicReason: 'zk_config_missing',
        },
      );
    expect(await submitRelay(limited, '203.0.113.220', freshPackage())).toMatchObject({ status: 'accepted' });
  });

  it('count refused packages: an unknown pool, and an unreadable package', async () => {
    const limited = await open({ limits: { perClient: 2 } });
    const client = '203.0.113.210';
    for (const relayPackage of [freshPackage({ poolSelector: 'nobodys' }), { version: 2 }])
      expect(await refusalOf(submitRelay(limited, client, relayPackage))).toMatchObject({
        code: 'BAD_USER_INPUT',
      });
    expect(await refusalOf(submitRelay(limited, client, freshPackage()))).toMatchObject({
      reason: 'rate_limited',
    });
  });
});
