import { describe, expect, it } from '@jest/globals';
import { fc } from '../../../kit/properties.js';
import { type ProofPool, SCALAR_FIELD_ORDER } from '../../../../src/platform/crypto/index.js';
import { sql } from '../../../../src/platform/database/index.js';
import type { RelayDesk } from '../../../../src/domain/relays/index.js';
import { openPackage } from '../../../../src/domain/relays/packages/sealed-package.js';
import { retryRelay } from '../../../../src/domain/relays/admission/retry-relay.js';
import { parseRelayPackage } from '../../../../src/domain/relays/packages/relay-package.js';
import { seedOrganization } from '../../../kit/seed.js';
import {
  badProof,
  change,
  CIPHERTEXT_POOL,
  DEPRECATED,
  freshPackage,
  POOL,
  rivalOf,
  TO_FAILED,
  TO_SUBMITTED,
  word,
} from '../desk-kit.js';
import { standingClock } from '../../checks/kit.js';
import { submissionStories } from './submission-stories.js';

const stories = submissionStories();
const { open, submit, refusalOf } = stories;
const nullifiersHeld = async (id: string) =>
  (await stories.database.rows(sql`select from relay_nullifiers where request_id = ${id}`)).length;
const requestsOf = async ({ publicSignals }: { readonly publicSignals: readonly string[] }) =>
  (
    await stories.database.rows(sql`
      select distinct request_id from relay_nullifiers
      where encode(nullifier, 'hex') = any(${[publicSignals[3]!, publicSignals[4]!]}::text[])`)
  ).length;

describe('a submitted package', () => {
  it('is one request that is due at once, with its package sealed and its nullifiers held', async () => {
    const relayPackage = freshPackage();
    const view = await submit(relayPackage);
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
    const [row] = await stories.database.rows(sql<{ sealed: Uint8Array; due: boolean }>`
      select sealed_package as sealed, next_look_at <= now() as due from relay_requests where id = ${id}`);
    expect(row!.due).toBe(true);
    expect(openPackage(stories.foundation.sealer, id, row!.sealed)).toEqual(parseRelayPackage(relayPackage));
    expect(Buffer.from(row!.sealed).includes(Buffer.from(relayPackage.proofBytes.slice(0, 64), 'hex'))).toBe(
      false,
    );
    expect(await nullifiersHeld(id)).toBe(2);
  });

  it('is dated by the clock of the database, not of its instance', async () => {
    const clock = standingClock('2020-02-02T02:02:02.000Z');
    const { relayRequestId } = await submit(freshPackage(), await open({}, { ...stories.foundation, clock }));
    const [row] = await stories.database.rows(sql`
      select created_at > now() - interval '1 hour' and updated_at >= created_at as "isNow"
      from relay_requests where id = ${relayRequestId}`);
    expect(row).toEqual({ isNow: true });
  });

  it('is the same request in every spelling, and its proof is not verified again', async () => {
    const relayPackage = freshPackage();
    const { relayRequestId } = await submit(relayPackage);
    const { finished } = stories.proofs.stats;
    const ways = [
      relayPackage,
      { ...relayPackage, zkConfigNonce: 3 },
      { ...relayPackage, proofBytes: `0x${relayPackage.proofBytes.toUpperCase()}` },
      {
        ...relayPackage,
        publicSignals: relayPackage.publicSignals.map((signal) => `0X${signal.toUpperCase()}`),
      },
      { ...relayPackage, publicSignals: relayPackage.publicSignals.join('') },
      { ...relayPackage, sdkVersion: '9.1', keyVersionHints: [], recipient: null },
    ];
    for (const way of ways) expect(await submit(way)).toMatchObject({ relayRequestId, sequence: 1 });
    expect(stories.proofs.stats.finished).toBe(finished);
  });

  it('can be rejected and retried without a key that signs logs and receipts', async () => {
    const { signingKeys, ...keyless } = stories.foundation;
    expect(signingKeys).toBeDefined();
    const desk = await open({}, keyless as typeof stories.foundation);
    expect(await submit({ ...freshPackage(), zkConfigNonce: '9' }, desk)).toMatchObject({
      status: 'rejected',
    });
    const { relayRequestId } = await submit(freshPackage(), desk);
    await change(stories.foundation, relayRequestId, ...TO_FAILED);
    expect(await retryRelay(desk, '192.0.2.1', relayRequestId)).toMatchObject({ status: 'queued' });
  });

  it('finds its request while no provider returns the balances of the payers', async () => {
    const relayPackage = freshPackage();
    const { relayRequestId } = await submit(relayPackage);
    const canPay = () => new Promise<never>(() => undefined);
    const waiting = await open({ payers: { ...stories.desk.payers, canPay } });
    expect(await submit(relayPackage, waiting)).toMatchObject({ relayRequestId });
  });

  it('finds its request although the budgets cannot be read', async () => {
    const relayPackage = freshPackage();
    const { relayRequestId } = await submit(relayPackage);
    const failing = await open();
    const gone = new Error('gone');
    const desk = {
      ...failing,
      groups: { ...failing.groups, findRoom: () => Promise.reject(gone) },
    };
    expect(await submit(relayPackage, desk)).toMatchObject({ relayRequestId });
    await expect(submit(freshPackage(), desk)).rejects.toBe(gone);
  });

  it('is one request if it arrives fifty times at once', async () => {
    const relayPackage = freshPackage();
    const views = await Promise.all(Array.from({ length: 50 }, () => submit(relayPackage)));
    expect(new Set(views.map(({ relayRequestId }) => relayRequestId)).size).toBe(1);
    expect(await requestsOf(relayPackage)).toBe(1);
  });

  it('has its proof verified once if it arrives again meanwhile', async () => {
    const [gate, bothArrived] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    let [verified, arrived] = [0, 0];
    const proofs: ProofPool = {
      async verify(...proof) {
        verified += 1;
        await gate.promise;
        return stories.proofs.verify(...proof);
      },
      stats: stories.proofs.stats,
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
    const deciding: RelayDesk['deciding'] = new Map();
    const get = deciding.get.bind(deciding);
    deciding.get = (key) => {
      arrived += 1;
      if (arrived === 2) bothArrived.resolve(undefined);
      return get(key);
    };
    const desk = { ...(await open({ proofs })), deciding };
    const relayPackage = freshPackage();
    const submissions = [submit(relayPackage, desk), submit(relayPackage, desk)];
    await bothArrived.promise;
    gate.resolve(undefined);
    const [first, second] = await Promise.all(submissions);
    expect(second!.relayRequestId).toBe(first!.relayRequestId);
    expect(verified).toBe(1);
  });

  it('is accepted alone if others with its nullifiers arrive at once, in any order of nullifiers', async () => {
    const first = freshPackage();
    const nullifiers = [3, 4].map((at) => BigInt(`0x${first.publicSignals[at]}`));
    const rivals = [first, rivalOf(first), freshPackage({}, nullifiers.reverse())];
    const answers = await Promise.allSettled(rivals.map((relayPackage) => submit(relayPackage)));
    const losers = answers.filter(({ status }) => status === 'rejected');
    expect(losers).toHaveLength(2);
    for (const loser of losers) expect(loser).toMatchObject({ reason: { reason: 'conflicting_payload' } });
    expect(await requestsOf(first)).toBe(1);
  });
});

describe('another package with a nullifier that is held', () => {
  it('is refused with the same message whatever the state of the request that holds it', async () => {
    const refusals = [];
    for (const way of [[], TO_SUBMITTED, [...TO_SUBMITTED, { to: 'succeeded' as const }], TO_FAILED]) {
      const relayPackage = freshPackage();
      const { relayRequestId } = await submit(relayPackage);
      await change(stories.foundation, relayRequestId, ...way);
      refusals.push(await refusalOf(submit(rivalOf(relayPackage))));
      expect((await submit(relayPackage)).relayRequestId).toBe(relayRequestId);
    }
    expect(refusals[0]).toMatchObject({ code: 'CONFLICT', reason: 'conflicting_payload' });
    expect(new Set(refusals.map((refusal) => JSON.stringify(refusal))).size).toBe(1);
  });

  it('is refused for one held nullifier of two', async () => {
    const relayPackage = freshPackage();
    await submit(relayPackage);
    const [, , , held, other] = relayPackage.publicSignals.map((signal) => BigInt(`0x${signal}`));
    for (const nullifiers of [
      [held!, 1n],
      [2n, other!],
    ])
      expect(await refusalOf(submit(freshPackage({}, nullifiers)))).toMatchObject({
        reason: 'conflicting_payload',
      });
  });

  it('is accepted once the first one is rejected, as a separate request', async () => {
    const relayPackage = freshPackage();
    const { relayRequestId } = await submit(relayPackage);
    await change(
      stories.foundation,
      relayRequestId,
      { to: 'validating' },
      { to: 'rejected', reason: 'kyt_rejected' },
    );
    const rival = await submit(rivalOf(relayPackage));
    expect(rival).toMatchObject({ status: 'accepted' });
    expect(await refusalOf(submit(relayPackage))).toMatchObject({ reason: 'conflicting_payload' });
  });
});

describe('a nullifier that another program holds', () => {
  it('does not refuse a package whose nullifier was held until just now', async () => {
    const elsewhere = freshPackage({ poolSelector: CIPHERTEXT_POOL, ciphertextBytes: '01' });
    await submit(elsewhere);
    const { groups } = stories.desk;
    let isHeld = true;
    // Another request takes a nullifier, and ends before the check whether it still holds it.
    const accept: typeof groups.accept = (submission) => {
      if (!isHeld) return groups.accept(submission);
      isHeld = false;
      return Promise.resolve(undefined);
    };
    const here = { ...elsewhere, poolSelector: POOL, ciphertextBytes: undefined };
    expect(await submit(here, { ...stories.desk, groups: { ...groups, accept } })).toMatchObject({
      status: 'accepted',
    });
  });
});

describe('a bad proof', () => {
  const curve = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n;
  const replaced = (at: number, value: bigint) => (proofBytes: string) =>
    proofBytes.slice(0, at * 64) + word(value) + proofBytes.slice((at + 1) * 64);
  // x = 1 is on the twist. The point does not have the order r, because of the cofactor. Imaginary parts come first.
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
  ])('is a rejected request that holds no nullifiers: %s', async (_, spoil) => {
    const relayPackage = freshPackage();
    const spoilt = { ...relayPackage, proofBytes: spoil(relayPackage.proofBytes) };
    const view = await submit(spoilt);
    expect(view).toMatchObject({
      status: 'rejected',
      publicReason: 'invalid_proof',
      sequence: 2,
      retryAllowed: false,
    });
    expect(await nullifiersHeld(view.relayRequestId)).toBe(0);
    const [row] = await stories.database.rows(sql<{ sealed: unknown }>`
      select sealed_package as sealed from relay_requests where id = ${view.relayRequestId}`);
    expect(row!.sealed).toBeNull();
    expect(await submit(relayPackage)).toMatchObject({ status: 'accepted' });
  });

  it('is answered the same whether a nullifier is held or not', async () => {
    const held = freshPackage();
    await submit(held);
    const shown = async (relayPackage: unknown) => {
      const { relayRequestId, createdAt, updatedAt, ...view } = await submit(relayPackage);
      expect([typeof relayRequestId, createdAt <= updatedAt]).toEqual(['string', true]);
      return view;
    };
    expect(await shown(badProof(held))).toEqual(await shown(badProof(freshPackage())));
  });
});

describe('a package that can never succeed', () => {
  it.each([
    ['a circuit that the pool does not have', { zkConfigNonce: '9' }, 'zk_config_missing'],
    ['a deprecated circuit', { zkConfigNonce: DEPRECATED }, 'zk_config_deprecated'],
    [
      'no ciphertext for a pool that carries one',
      { poolSelector: CIPHERTEXT_POOL },
      'zk_config_incompatible',
    ],
  ])('is rejected at once: %s', async (_, changes, publicReason) => {
    const view = await submit(freshPackage(changes));
    expect(view).toMatchObject({ status: 'rejected', publicReason });
    expect(await nullifiersHeld(view.relayRequestId)).toBe(0);
  });

  it('is not rejected if it has the ciphertext', async () => {
    const relayPackage = freshPackage({ poolSelector: CIPHERTEXT_POOL, ciphertextBytes: 'abcd' });
    expect(await submit(relayPackage)).toMatchObject({ status: 'accepted' });
  });

  it('is refused before anything is stored for an unknown pool, a wrong shape or a wrong form', async () => {
    const relayPackage = freshPackage();
    const twice = relayPackage.publicSignals.with(4, relayPackage.publicSignals[3]!);
    const before = await stories.database.rows(
      sql<{ count: number }>`select count(*)::int as count from relay_requests`,
    );
    const refused: [object, string][] = [
      [{ poolSelector: 'nobodys' }, 'unsupported_pool'],
      [{ version: 2 }, 'invalid_package'],
      [{ publicSignals: relayPackage.publicSignals.slice(1) }, 'unsupported_signal_shape'],
      [{ publicSignals: twice }, 'unsupported_signal_shape'],
      [{ publicSignals: relayPackage.publicSignals.with(1, word(1n)) }, 'invalid_package'],
    ];
    for (const [changes, reason] of refused)
      expect(await refusalOf(submit({ ...relayPackage, ...changes }))).toMatchObject({
        code: 'BAD_USER_INPUT',
        reason,
      });
    expect(await stories.database.rows(sql`select count(*)::int as count from relay_requests`)).toEqual(
      before,
    );
  });

  it('is refused if any signal is at or above the order of the field', async () => {
    const relayPackage = freshPackage();
    const above = fc.oneof(
      fc.constant(SCALAR_FIELD_ORDER),
      fc.bigInt({ min: SCALAR_FIELD_ORDER, max: (1n << 256n) - 1n }),
      // The same value in another spelling, which would spend a note twice.
      fc.constantFrom(
        ...relayPackage.publicSignals.map((signal) => BigInt(`0x${signal}`) + SCALAR_FIELD_ORDER),
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.nat(6), above, async (at, signal) => {
        const publicSignals = relayPackage.publicSignals.with(at, word(signal));
        expect(await refusalOf(submit({ ...relayPackage, publicSignals }))).toMatchObject({
          reason: 'unsupported_signal_shape',
        });
      }),
    );
  });
});

describe('the applications that a package names', () => {
  const belongsTo = (id: string) =>
    stories.database.rows(sql<{ organizationId: string }>`
      select organization_id as "organizationId" from relay_organizations where request_id = ${id}`);

  it('record the relay in the log of an organization only if it serves the pool', async () => {
    const serving = await seedOrganization(stories.foundation, { name: 'Serving' });
    const stranger = await seedOrganization(stories.foundation, { name: 'Stranger' });
    const pools = new Map(stories.desk.pools);
    const applications = [serving.application.checkApplicationId];
    const pool = stories.desk.pools.get(POOL)!;
    pools.set(POOL, { ...pool, screening: { ...pool.screening, applications } });
    const closed = await open({ pools });
    const applicationIdHints = [stranger.application.checkApplicationId, ...applications];
    const { relayRequestId } = await submit(freshPackage({ applicationIdHints }), closed);
    expect(await belongsTo(relayRequestId)).toEqual([{ organizationId: serving.organization.id }]);
  });
});
