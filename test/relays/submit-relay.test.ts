import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { fc } from '../kit/properties.js';
import { SCALAR_FIELD_ORDER, type ProofPool } from '../../src/crypto/index.js';
import { sql, type Database, type Foundation } from '../../src/database/index.js';
import { isLucarneError } from '../../src/kernel/errors.js';
import type { RelayDesk, RelayDeskOptions } from '../../src/relays/index.js';
import { openPackage } from '../../src/relays/sealed-package.js';
import { parseRelayPackage } from '../../src/relays/relay-package.js';
import { submitRelay } from '../../src/relays/submit-relay.js';
import { standingClock } from '../checks/kit.js';
import { createTestDatabase } from '../kit/database.js';
import { testFoundation } from '../kit/seed.js';
import {
  badProof,
  change,
  CIPHERTEXT_POOL,
  DEPRECATED,
  freshPackage,
  openDesk,
  openProofs,
  POOL,
  rivalOf,
  scriptedNodes,
  TO_FAILED,
  TO_SUBMITTED,
  word,
} from './desk-kit.js';

const CLIENT = '192.0.2.1';
const desks: RelayDesk[] = [];
let database: Database;
let foundation: Foundation;
let proofs: ProofPool;
let desk: RelayDesk;

const open = async (options: Partial<RelayDeskOptions> = {}, on = foundation) => {
  const opened = await openDesk(on, proofs, options);
  desks.push(opened);
  return opened;
};

beforeAll(async () => {
  database = await createTestDatabase();
  foundation = testFoundation(database);
  proofs = openProofs();
  desk = await openDesk(foundation, proofs);
}, 60_000);
afterEach(async () => {
  for (const opened of desks.splice(0)) await opened[Symbol.asyncDispose]();
});
afterAll(async () => {
  await desk[Symbol.asyncDispose]();
  await proofs[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const submit = (given: unknown, at = desk) => submitRelay(at, CLIENT, given);
const refusalOf = async (work: Promise<unknown>) => {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!isLucarneError(thrown)) throw new Error('It was not refused.', { cause: thrown });
  return {
    code: thrown.code,
    reason: thrown.reason,
    wait: thrown.retryAfterSeconds,
    message: thrown.message,
  };
};
const nullifiersHeld = async (id: string) =>
  (await database.rows(sql`select from relay_nullifiers where request_id = ${id}`)).length;
const requestsOf = async ({ publicSignals }: { readonly publicSignals: readonly string[] }) =>
  (
    await database.rows(sql`
      select distinct request_id from relay_nullifiers
      where encode(nullifier, 'hex') = any(${[publicSignals[3]!, publicSignals[4]!]}::text[])`)
  ).length;

describe('a submitted package', () => {
  it('is one request, due at once, with its package sealed and its nullifiers held', async () => {
    const given = freshPackage();
    const view = await submit(given);
    expect(view).toMatchObject({
      relayRequestId: expect.stringMatching(/^rly_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
      status: 'accepted',
      sequence: 1,
      retryAllowed: false,
      attemptNumber: null,
      transactionHash: null,
      publicReason: null,
    });
    const id = view.relayRequestId;
    const [row] = await database.rows(sql<{ sealed: Uint8Array; due: boolean }>`
      select sealed_package as sealed, next_look_at <= now() as due from relay_requests where id = ${id}`);
    expect(row!.due).toBe(true);
    expect(openPackage(foundation.sealer, id, row!.sealed)).toEqual(parseRelayPackage(given));
    expect(Buffer.from(row!.sealed).includes(Buffer.from(given.proofBytes.slice(0, 64), 'hex'))).toBe(false);
    expect(await nullifiersHeld(id)).toBe(2);
  });

  it('is the same request in whatever way it is written, and its proof is not verified again', async () => {
    const given = freshPackage();
    const { relayRequestId } = await submit(given);
    const { finished } = proofs.stats;
    const ways = [
      given,
      { ...given, zkConfigNonce: 3 },
      { ...given, proofBytes: `0x${given.proofBytes.toUpperCase()}` },
      { ...given, publicSignals: given.publicSignals.map((signal) => `0X${signal.toUpperCase()}`) },
      { ...given, publicSignals: given.publicSignals.join('') },
      { ...given, sdkVersion: '9.1', keyVersionHints: [], recipient: null },
    ];
    for (const way of ways) expect(await submit(way)).toMatchObject({ relayRequestId, sequence: 1 });
    expect(proofs.stats.finished).toBe(finished);
  });

  it('is one request when it arrives fifty times at once', async () => {
    const given = freshPackage();
    const views = await Promise.all(Array.from({ length: 50 }, () => submit(given)));
    expect(new Set(views.map(({ relayRequestId }) => relayRequestId)).size).toBe(1);
    expect(await requestsOf(given)).toBe(1);
  });

  it('wins alone over others on its nullifiers that arrive at once, in whatever order they name them', async () => {
    const first = freshPackage();
    const nullifiers = [3, 4].map((at) => BigInt(`0x${first.publicSignals[at]}`));
    const rivals = [first, rivalOf(first), freshPackage({}, nullifiers.reverse())];
    const answers = await Promise.allSettled(rivals.map((given) => submit(given)));
    const losers = answers.filter(({ status }) => status === 'rejected');
    expect(losers).toHaveLength(2);
    for (const loser of losers) expect(loser).toMatchObject({ reason: { reason: 'conflicting_payload' } });
    expect(await requestsOf(first)).toBe(1);
  });
});

describe('another package on a nullifier that is held', () => {
  it('is refused in the same words whatever became of the one that holds it', async () => {
    const refusals = [];
    for (const way of [[], TO_SUBMITTED, [...TO_SUBMITTED, { to: 'succeeded' as const }], TO_FAILED]) {
      const given = freshPackage();
      const { relayRequestId } = await submit(given);
      await change(foundation, relayRequestId, ...way);
      refusals.push(await refusalOf(submit(rivalOf(given))));
      expect((await submit(given)).relayRequestId).toBe(relayRequestId);
    }
    expect(refusals[0]).toMatchObject({ code: 'CONFLICT', reason: 'conflicting_payload' });
    expect(new Set(refusals.map((refusal) => JSON.stringify(refusal))).size).toBe(1);
  });

  it('is refused for one nullifier of two as for both', async () => {
    const given = freshPackage();
    await submit(given);
    const [, , , held, other] = given.publicSignals.map((signal) => BigInt(`0x${signal}`));
    for (const nullifiers of [
      [held!, 1n],
      [2n, other!],
    ])
      expect(await refusalOf(submit(freshPackage({}, nullifiers)))).toMatchObject({
        reason: 'conflicting_payload',
      });
  });

  it('is taken on once the one before is rejected, and is a request of its own', async () => {
    const given = freshPackage();
    const { relayRequestId } = await submit(given);
    await change(
      foundation,
      relayRequestId,
      { to: 'validating' },
      { to: 'rejected', reason: 'kyt_rejected' },
    );
    const rival = await submit(rivalOf(given));
    expect(rival).toMatchObject({ status: 'accepted' });
    expect(await refusalOf(submit(given))).toMatchObject({ reason: 'conflicting_payload' });
  });
});

describe('a bad proof', () => {
  const curve = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n;
  const replaced = (at: number, value: bigint) => (proofBytes: string) =>
    proofBytes.slice(0, at * 64) + word(value) + proofBytes.slice((at + 1) * 64);
  // x = 1 is on the twist; the cofactor is not one, and this point has not the order r. Imaginary parts first.
  const outsideTheSubgroup = [
    0n,
    1n,
    0x2351dcdda257b62181cbd745dfee16d5fdf4eb185bbcf33c20a0fe6eaa9cb4a3n,
    0x7fb3d558dafafb6bf6dd326a5fefe0beca3f9ac3bd999a390d504fad34b0b8cn,
  ];
  it.each<[string, (proofBytes: string) => string]>([
    ['a point off the curve', replaced(0, 5n)],
    ['a point of the other group off the twist', replaced(2, 5n)],
    ['a coordinate at the modulus', replaced(1, curve)],
    ['the point at infinity', () => '00'.repeat(256)],
    ['points of another proof', () => freshPackage().proofBytes],
    [
      'a point of the twist outside of the subgroup',
      (proof) => proof.slice(0, 128) + outsideTheSubgroup.map(word).join('') + proof.slice(384),
    ],
  ])('with %s is a rejected request that holds nothing', async (_, spoil) => {
    const given = freshPackage();
    const spoilt = { ...given, proofBytes: spoil(given.proofBytes) };
    const view = await submit(spoilt);
    expect(view).toMatchObject({
      status: 'rejected',
      publicReason: 'invalid_proof',
      sequence: 2,
      retryAllowed: false,
    });
    expect(await nullifiersHeld(view.relayRequestId)).toBe(0);
    const [row] = await database.rows(sql<{ sealed: unknown }>`
      select sealed_package as sealed from relay_requests where id = ${view.relayRequestId}`);
    expect(row!.sealed).toBeNull();
    expect(await submit(given)).toMatchObject({ status: 'accepted' });
  });

  it('is answered alike whether a nullifier is held or not', async () => {
    const held = freshPackage();
    await submit(held);
    const shown = async (given: unknown) => {
      const { relayRequestId, createdAt, updatedAt, ...view } = await submit(given);
      expect([typeof relayRequestId, createdAt <= updatedAt]).toEqual(['string', true]);
      return view;
    };
    expect(await shown(badProof(held))).toEqual(await shown(badProof(freshPackage())));
  });
});

describe('what nothing can come of', () => {
  it.each([
    ['a circuit that the pool has not', { zkConfigNonce: '9' }, 'zk_config_missing'],
    ['a circuit that is not relayed any more', { zkConfigNonce: DEPRECATED }, 'zk_config_deprecated'],
    [
      'no ciphertext for a pool that carries one',
      { poolSelector: CIPHERTEXT_POOL },
      'zk_config_incompatible',
    ],
  ])('with %s is rejected at once', async (_, changes, publicReason) => {
    const view = await submit(freshPackage(changes));
    expect(view).toMatchObject({ status: 'rejected', publicReason });
    expect(await nullifiersHeld(view.relayRequestId)).toBe(0);
  });

  it('is not rejected with the ciphertext', async () => {
    const given = freshPackage({ poolSelector: CIPHERTEXT_POOL, ciphertextBytes: 'abcd' });
    expect(await submit(given)).toMatchObject({ status: 'accepted' });
  });

  it('is refused before anything is stored: pools, shapes and forms', async () => {
    const given = freshPackage();
    const twice = given.publicSignals.with(4, given.publicSignals[3]!);
    const before = await database.rows(
      sql<{ count: number }>`select count(*)::int as count from relay_requests`,
    );
    const refused: [object, string][] = [
      [{ poolSelector: 'nobodys' }, 'unsupported_pool'],
      [{ version: 2 }, 'invalid_package'],
      [{ publicSignals: given.publicSignals.slice(1) }, 'unsupported_signal_shape'],
      [{ publicSignals: twice }, 'unsupported_signal_shape'],
      [{ publicSignals: given.publicSignals.with(1, word(1n)) }, 'invalid_package'],
    ];
    for (const [changes, reason] of refused)
      expect(await refusalOf(submit({ ...given, ...changes }))).toMatchObject({
        code: 'BAD_USER_INPUT',
        reason,
      });
    expect(await database.rows(sql`select count(*)::int as count from relay_requests`)).toEqual(before);
  });

  it('is a signal at the order of the field or above, wherever it stands', async () => {
    const given = freshPackage();
    const above = fc.oneof(
      fc.constant(SCALAR_FIELD_ORDER),
      fc.bigInt({ min: SCALAR_FIELD_ORDER, max: (1n << 256n) - 1n }),
      // The same value, once more: what would spend a note twice.
      fc.constantFrom(...given.publicSignals.map((signal) => BigInt(`0x${signal}`) + SCALAR_FIELD_ORDER)),
    );
    await fc.assert(
      fc.asyncProperty(fc.nat(6), above, async (at, signal) => {
        const publicSignals = given.publicSignals.with(at, word(signal));
        expect(await refusalOf(submit({ ...given, publicSignals }))).toMatchObject({
          reason: 'unsupported_signal_shape',
        });
      }),
    );
  });
});

describe('a relayer', () => {
  it('without a key takes nothing on', async () => {
    const without = await open({ relayer: undefined });
    expect(await refusalOf(submit(freshPackage(), without))).toMatchObject({
      code: 'UNAVAILABLE',
      reason: 'relayer_unavailable',
      wait: expect.any(Number),
    });
  });

  it('that cannot pay takes nothing on, and believes the node that tells the least', async () => {
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

  it('asks for its balance every few seconds, for all requests together', async () => {
    const clock = standingClock();
    const nodes = scriptedNodes(1_000_000_000);
    const shared = await open({ nodes }, { ...foundation, clock });
    await Promise.all([1, 2, 3].map(() => submit(freshPackage(), shared)));
    expect(nodes.told.asked).toBe(1);
    clock.advance(3_000);
    await Promise.all([1, 2, 3].map(() => submit(freshPackage(), shared)));
    expect(nodes.told.asked).toBe(2);
  });

  it('whose balance nobody tells goes on for a minute, and then takes nothing on until somebody does', async () => {
    const clock = standingClock();
    const nodes = scriptedNodes(1_000_000_000);
    const lonely = await open({ nodes }, { ...foundation, clock });
    await submit(freshPackage(), lonely);
    nodes.told.lamports = [new Error('down')];
    clock.advance(59_999);
    expect(await submit(freshPackage(), lonely)).toMatchObject({ status: 'accepted' });
    clock.advance(3_000);
    expect(await refusalOf(submit(freshPackage(), lonely))).toMatchObject({ reason: 'relayer_unavailable' });
    nodes.told.lamports = [1_000_000_000];
    clock.advance(3_000);
    expect(await submit(freshPackage(), lonely)).toMatchObject({ status: 'accepted' });
  });

  it('asks anew when its clock was set back, and does not believe what it read later', async () => {
    const clock = standingClock();
    const nodes = scriptedNodes(1_000_000_000);
    const moved = await open({ nodes }, { ...foundation, clock });
    await submit(freshPackage(), moved);
    nodes.told.lamports = [1];
    clock.advance(-3_600_000);
    expect(await refusalOf(submit(freshPackage(), moved))).toMatchObject({ reason: 'low_balance' });
  });

  it('with as many requests waiting as it may have takes no more', async () => {
    const full = await open({ limits: { queue: 1 } });
    await submit(freshPackage());
    expect(await refusalOf(submit(freshPackage(), full))).toMatchObject({
      code: 'UNAVAILABLE',
      reason: 'queue_at_capacity',
      wait: expect.any(Number),
    });
  });

  it('counts what became of submissions', async () => {
    const outcomes: string[] = [];
    const counting = await open({ metrics: { submitted: (outcome) => void outcomes.push(outcome) } });
    const given = freshPackage();
    await submit(given, counting);
    await submit(given, counting);
    await submit(badProof(freshPackage()), counting);
    await submit({}, counting).catch(() => undefined);
    expect(outcomes).toEqual(['accepted', 'repeated', 'rejected', 'refused']);
  });
});

describe('the limits of a minute', () => {
  it('are of a client, of all instances together, and repeats count', async () => {
    const on = { ...foundation, clock: standingClock() };
    const limits = { perClient: 4 };
    const [one, other] = [await open({ limits }, on), await open({ limits }, on)];
    const given = freshPackage();
    const from = (client: string, at: RelayDesk) => submitRelay(at, client, given);
    for (const at of [one, other, one, other]) await from('198.51.100.1', at);
    for (const at of [one, other])
      expect(await refusalOf(from('198.51.100.1', at))).toMatchObject({
        code: 'TOO_MANY_REQUESTS',
        reason: 'rate_limited',
        wait: 60,
      });
    await from('198.51.100.2', one);
    on.clock.advance(60_000);
    await from('198.51.100.1', one);
  });

  it('are of a pool, whoever comes', async () => {
    const on = { ...foundation, clock: standingClock('2026-11-21T13:00:00.000Z') };
    const limited = await open({ limits: { perPool: 2 } }, on);
    const given = freshPackage();
    for (const client of ['198.51.100.3', '198.51.100.4']) await submitRelay(limited, client, given);
    expect(await refusalOf(submitRelay(limited, '198.51.100.5', given))).toMatchObject({
      reason: 'rate_limited',
    });
    const elsewhere = freshPackage({ poolSelector: CIPHERTEXT_POOL, ciphertextBytes: '00' });
    expect(await submitRelay(limited, '198.51.100.5', elsewhere)).toMatchObject({ status: 'accepted' });
    expect(given.poolSelector).toBe(POOL);
  });
});
