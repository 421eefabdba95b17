import { describe, expect, it } from '@jest/globals';
import { graphql } from 'graphql';
import { executableSchema } from '../../../../src/edge/graphql/index.js';
import { parseVerifierKey, sha256, verify } from '../../../../src/platform/crypto/index.js';
import { jsonb, sql } from '../../../../src/platform/database/index.js';
import { hex } from '../../../../src/platform/kernel/encoding/bytes.js';
import { canonicalJson } from '../../../../src/platform/kernel/encoding/json.js';
import { timestamp } from '../../../../src/platform/kernel/clock.js';
import { LOCAL_POOL_PROGRAM_ID } from '../../../../devnet/index.js';
import type { Principal } from '../../../../src/domain/access/index.js';
import { operatorOf } from '../../../../src/domain/access/operator.js';
import { createApplication } from '../../../../src/domain/organizations/applications/create-application.js';
import { relayResolvers, showRelay } from '../../../../src/domain/relays/index.js';
import { findRelayHistory } from '../../../../src/domain/relays/status/find-relay-history.js';
import {
  RELAY_RECEIPT_TYPE,
  relayReceiptMessage,
} from '../../../../src/domain/relays/evidence/relay-receipt.js';
import { packageDigest, parseRelayPackage } from '../../../../src/domain/relays/packages/relay-package.js';
import { retryRelay } from '../../../../src/domain/relays/admission/retry-relay.js';
import { forFile } from '../../../kit/for-file.js';
import { randomSignature } from '../../../kit/ledger/confidential-records.js';
import { seedMember, seedOrganization } from '../../../kit/seed.js';
import {
  badProof,
  change,
  CIPHERTEXT_POOL,
  freshPackage,
  openDesk,
  POOL,
  TO_FAILED,
  TO_SUBMITTED,
} from '../desk-kit.js';
import { CLIENT, hinting, openLists } from './lists-kit.js';

const { database, foundation, proofs, desk, home, other, submit, list, idsOf } = forFile(await openLists());

const historyOf = (principal: Principal | undefined, id: string) =>
  findRelayHistory(foundation, principal, id);

/** Stores a signed transaction, and optionally its outcome, as a worker does. */
async function signed(id: string, number: number, evidence?: object): Promise<string> {
  const signature = randomSignature();
  await database.rows(sql`
    insert into relay_attempts (request_id, number, signature, message_sha256, transaction, blockhash,
      last_valid_block_height, context_slot, compute_units, fee_lamports, created_at)
    values (${id}, ${number}, ${signature}, ${new Uint8Array(32)}, ${new Uint8Array(300)}, 'hash', 250, 100, 130000,
      5000, now())`);
  if (evidence)
    await database.rows(sql`
      insert into relay_conclusions (request_id, number, position, outcome, evidence, concluded_at)
      values (${id}, ${number}, 1, 'dead', ${jsonb(evidence)}, now())`);
  return signature;
}

/** The entries of the home organization's log about a relay, oldest first. */
const entriesOf = (id: string) =>
  database.rows(sql<{ eventType: string; details: object }>`
    select event_type as "eventType", entry->'details' as details from activity_entries
    where organization_id = ${home.organization.id} and entry->'object'->>'id' = ${id} order by sequence`);

describe('the relays of an organization', () => {
  it('are listed once if a package names several of its applications', async () => {
    const { organization, application, owner } = await seedOrganization(foundation, { foreignId: 'first' });
    const second = await createApplication(foundation, operatorOf(organization.id), {
      ...{ foreignId: 'second', name: 'Second' },
    });
    const applicationIdHints = [application, second].map(({ checkApplicationId }) => checkApplicationId);
    const id = await submit(freshPackage({ applicationIdHints }));
    expect(await idsOf(owner.principal)).toEqual([id]);
  });

  it('are only those whose packages name one of its applications, newest first', async () => {
    const mine = await submit(freshPackage(hinting(home)));
    const theirs = await submit(freshPackage(hinting(other)));
    const both = await submit(freshPackage(hinting(home, other, home)));
    const nobodys = await submit(freshPackage({ applicationIdHints: ['check_nobodys'] }));
    const bad = await submit(badProof(freshPackage(hinting(home))));
    const [seenHere, seenThere] = [await idsOf(home.owner.principal), await idsOf(other.owner.principal)];
    expect(seenHere.slice().sort()).toEqual([mine, both].sort());
    expect(seenThere.slice().sort()).toEqual([theirs, both].sort());
    for (const id of [theirs, nobodys, bad])
      await expect(historyOf(home.owner.principal, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const [first] = (await list(home.owner.principal)).nodes;
    expect(first).toMatchObject({
      poolSelector: POOL,
      packageSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('are listed page by page, by status and by pool', async () => {
    const { owner, ...organization } = await seedOrganization(foundation, { foreignId: 'pages' });
    const hints = hinting({ owner, ...organization });
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.push(await submit(freshPackage(hints)));
    const elsewhere = await submit(
      freshPackage({ ...hints, poolSelector: CIPHERTEXT_POOL, ciphertextBytes: '00' }),
    );
    await change(foundation, ids[2]!, { to: 'rejected', reason: 'kyt_rejected' });

    const seen: string[] = [];
    for (let after: string | null | undefined; after !== null;) {
      const { nodes, pageInfo } = await list(owner.principal, { first: 2, after });
      seen.push(...nodes.map(({ id }) => id));
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
    }
    expect(seen.slice().sort()).toEqual([...ids, elsewhere].sort());
    expect(seen).toEqual(await idsOf(owner.principal));
    expect(await idsOf(owner.principal, { status: 'rejected' })).toEqual([ids[2]]);
    expect(await idsOf(owner.principal, { poolSelector: CIPHERTEXT_POOL })).toEqual([elsewhere]);
    const { endCursor } = (await list(owner.principal, { first: 1 })).pageInfo;
    for (const wrong of [
      { status: 'nothing' },
      { first: 0 },
      { after: 'AAAA' },
      { after: endCursor, status: 'accepted' },
    ])
      await expect(list(owner.principal, wrong)).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
  });

  it('are shown only to members with relays:read', async () => {
    const id = await submit(freshPackage(hinting(home)));
    const { principal } = await seedMember(foundation, home.organization.id, { owner: ['members:manage'] });
    for (const refused of [principal, home.apiKey.principal]) {
      await expect(list(refused)).rejects.toMatchObject({ code: 'FORBIDDEN' });
      await expect(historyOf(refused, id)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    }
    const reader = await seedMember(foundation, home.organization.id, { owner: ['relays:read'] });
    expect((await historyOf(reader.principal, id)).relay.id).toBe(id);
  });
});

describe('the history of a relay', () => {
  it('contains every change, each signed transaction with its proof of expiry, and the receipts of each end', async () => {
    const relayPackage = freshPackage(hinting(home, other));
    const id = await submit(relayPackage);
    await change(foundation, id, { to: 'validating' }, { to: 'queued', attemptNumber: 1 });
    const proofOfDeath = { heights: [{ node: 'a:1', blockHeight: 251 }], nullifiers: 'absent' };
    const signature = await signed(id, 1, proofOfDeath);
    await change(foundation, id, { to: 'submitted' }, { to: 'reconciling', evidence: { cause: 'timeout' } });
    await change(foundation, id, { to: 'failed', reason: 'send_failed', evidence: proofOfDeath });
    await retryRelay(desk, CLIENT, id);
    const next = await signed(id, 2);
    await change(foundation, id, { to: 'submitted' }, { to: 'succeeded', evidence: { slot: 9 } });

    const { relay, events, attempts, receipts } = await historyOf(home.owner.principal, id);
    expect(relay).toMatchObject({ id, status: 'succeeded', reason: null, sequence: 9, attemptNumber: 2 });
    expect(events.map(({ sequence, status, attemptNumber }) => [sequence, status, attemptNumber])).toEqual([
      [1, 'accepted', null],
      [2, 'validating', null],
      [3, 'queued', 1],
      [4, 'submitted', 1],
      [5, 'reconciling', 1],
      [6, 'failed', 1],
      [7, 'queued', 2],
      [8, 'submitted', 2],
      [9, 'succeeded', 2],
    ]);
    expect(events[4]).toMatchObject({ signature, evidence: { cause: 'timeout' } });
    expect(attempts.map(({ number, signature: signed }) => [number, signed])).toEqual([
      [1, signature],
      [2, next],
    ]);
    expect(attempts[0]).toMatchObject({
      number: 1,
      signature,
      outcome: 'dead',
      evidence: proofOfDeath,
      feeLamports: 5000,
    });
    const [failed, succeeded] = [events[5]!, events[8]!];
    const shared = {
      ...{ type: RELAY_RECEIPT_TYPE, receiptId: expect.stringMatching(/^rcp_/), relayRequestId: id },
      ...{ organizationId: home.organization.id, poolSelector: POOL, programId: LOCAL_POOL_PROGRAM_ID },
      packageSha256: hex.encode(packageDigest(parseRelayPackage(relayPackage))),
      ...{ evidenceSha256: expect.any(String), providers: [] },
      acceptedAt: timestamp(events[0]!.createdAt),
    };
    expect(receipts.map(({ body }) => body)).toEqual([
      {
        ...{ ...shared, status: 'failed', reason: 'send_failed', sequence: 6, attemptNumber: 1 },
        ...{ transactionHash: signature, endedAt: timestamp(failed.createdAt) },
      },
      {
        ...{ ...shared, status: 'succeeded', reason: null, sequence: 9, attemptNumber: 2 },
        ...{ transactionHash: next, endedAt: timestamp(succeeded.createdAt) },
      },
    ]);
    expect(await entriesOf(id)).toEqual(
      receipts.map(({ body, signature: signed }) => ({
        eventType: `relay.${body.status}`,
        details: {
          ...{ reason: body.reason, attempt_number: body.attemptNumber, receipt_id: body.receiptId },
          ...{ transaction_hash: body.transactionHash, package_sha256: body.packageSha256 },
          ...{ evidence_sha256: body.evidenceSha256, receipt_signature: signed },
        },
      })),
    );
    for (const { body, signature: bytes, verifierKey } of receipts) {
      const { evidence } = events.find(({ sequence }) => sequence === body.sequence)!;
      expect(body.evidenceSha256).toBe(hex.encode(sha256(canonicalJson(evidence))));
      const { publicKey } = parseVerifierKey(verifierKey)!;
      expect(verify(publicKey, relayReceiptMessage(body), Buffer.from(bytes, 'base64'))).toBe(true);
    }
  });
});

describe('a relay that is rejected', () => {
  it('has a receipt, even if nothing was signed, and no entry in the log', async () => {
    const id = await submit(freshPackage(hinting(home)));
    await change(foundation, id, { to: 'validating' }, { to: 'rejected', reason: 'kyt_rejected' });
    const { receipts } = await historyOf(home.owner.principal, id);
    expect(receipts.map(({ body }) => body)).toMatchObject([
      { status: 'rejected', reason: 'kyt_rejected', attemptNumber: null, transactionHash: null },
    ]);
    expect(await entriesOf(id)).toEqual([]);
  });
});

describe('the proof about an attempt', () => {
  it('is the latest conclusion', async () => {
    const id = await submit(freshPackage(hinting(home)));
    await change(foundation, id, { to: 'validating' }, { to: 'queued', attemptNumber: 1 });
    await signed(id, 1, { slot: 7 });
    await database.rows(sql`
      insert into relay_conclusions (request_id, number, position, outcome, evidence, concluded_at)
      values (${id}, 1, 2, 'landed', ${jsonb({ slot: 8 })}, now())`);
    const { attempts } = await historyOf(home.owner.principal, id);
    expect(attempts).toMatchObject([{ number: 1, outcome: 'landed', evidence: { slot: 8 } }]);
  });

  it('comes from looks at this attempt: looks at an earlier attempt are forgotten', async () => {
    const id = await submit(freshPackage());
    await database.rows(sql`
      update relay_requests set last_look = ${jsonb({ heights: [] })}, last_look_at = now() where id = ${id}`);
    await change(foundation, id, { to: 'validating' }, { to: 'queued', attemptNumber: 1 });
    expect((await showRelay(database, id)).lastLook).not.toBeNull();
    await change(foundation, id, { to: 'submitted' });
    expect((await showRelay(database, id)).lastLook).toBeNull();
  });
});

describe('the data of a relay’s history', () => {
  it('cannot be changed or deleted', async () => {
    const id = await submit(freshPackage(hinting(home)));
    await signed(id, 1, { nullifiers: 'absent' });
    await change(foundation, id, ...TO_SUBMITTED, { to: 'succeeded' });
    const tables = ['relay_attempts', 'relay_conclusions', 'relay_events', 'relay_receipts'];
    for (const table of tables.map((name) => sql.id(name)))
      for (const attempt of [
        sql`update ${table} set request_id = request_id where request_id = ${id}`,
        sql`delete from ${table} where request_id = ${id}`,
        sql`truncate ${table} cascade`,
      ])
        await expect(database.rows(attempt)).rejects.toThrow(/append-only|never change/);
  });
});

describe('another attempt', () => {
  it('is allowed only once the signed transactions are proven dead', async () => {
    for (const [evidence, allowed] of [
      [{ nullifiers: 'absent' }, true],
      [undefined, false],
    ] as const) {
      const id = await submit(freshPackage());
      await change(foundation, id, { to: 'validating' }, { to: 'queued', attemptNumber: 1 });
      await signed(id, 1, evidence);
      await change(foundation, id, { to: 'submitted' }, { to: 'failed', reason: 'send_failed' });
      const retried = retryRelay(desk, CLIENT, id);
      if (allowed)
        expect(await retried).toMatchObject({ status: 'queued', attemptNumber: 2, transactionHash: null });
      else await expect(retried).rejects.toMatchObject({ code: 'CONFLICT', reason: 'retry_not_allowed' });
    }
  });

  it('is refused if no payer can pay for it or the pool is not served, and is still allowed later', async () => {
    const id = await submit(freshPackage());
    await change(foundation, id, ...TO_FAILED);
    await using poor = await openDesk(foundation, proofs, { reserveLamports: 2e9 });
    await expect(retryRelay(poor, CLIENT, id)).rejects.toMatchObject({ reason: 'low_balance' });
    await using elsewhere = await openDesk(foundation, proofs, { pools: new Map() });
    await expect(retryRelay(elsewhere, CLIENT, id)).rejects.toMatchObject({ reason: 'relayer_unavailable' });
    expect(await retryRelay(desk, CLIENT, id)).toMatchObject({ status: 'queued', attemptNumber: 1 });
    await expect(retryRelay(desk, CLIENT, id)).rejects.toMatchObject({ reason: 'retry_not_allowed' });
  });

  it('counts for its client but not for its pool if it is refused', async () => {
    const id = await submit(freshPackage());
    for (const [limits, reasons] of [
      [{ perClient: 1 }, ['retry_not_allowed', 'rate_limited']],
      [{ perPool: 1 }, ['retry_not_allowed', 'retry_not_allowed']],
    ] as const) {
      await database.rows(sql`delete from rate_windows`);
      await using limited = await openDesk(foundation, proofs, { limits });
      for (const reason of reasons)
        await expect(retryRelay(limited, CLIENT, id)).rejects.toMatchObject({ reason });
    }
  });

  it('is not allowed while the relay is in progress', async () => {
    const id = await submit(freshPackage());
    await change(foundation, id, ...TO_SUBMITTED);
    await expect(retryRelay(desk, CLIENT, id)).rejects.toMatchObject({ reason: 'retry_not_allowed' });
  });
});

describe('a list of relays', () => {
  it('shows which of them can be retried: failed ones whose transactions cannot land', async () => {
    const { owner, ...organization } = await seedOrganization(foundation, { foreignId: 'again' });
    const hints = hinting({ owner, ...organization });
    const [waiting, failed, open] = [
      await submit(freshPackage(hints)),
      await submit(freshPackage(hints)),
      await submit(freshPackage(hints)),
    ];
    await change(foundation, failed, ...TO_FAILED);
    await signed(open, 1);
    await change(foundation, open, ...TO_SUBMITTED, { to: 'failed', reason: 'send_failed' });
    const answer = await graphql({
      schema: executableSchema(relayResolvers(desk)),
      source: '{ relays { nodes { relayRequestId retryAllowed } } }',
      contextValue: { principal: owner.principal, requestId: 'r-1', clientAddress: CLIENT },
    });
    expect(answer.errors).toBeUndefined();
    const { nodes } = answer.data!['relays'] as {
      nodes: { relayRequestId: string; retryAllowed: boolean }[];
    };
    expect(new Map(nodes.map((node) => [node.relayRequestId, node.retryAllowed]))).toEqual(
      new Map([
        [waiting, false],
        [failed, true],
        [open, false],
      ]),
    );
  });
});
