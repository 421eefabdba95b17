import { describe, expect, it } from '@jest/globals';
import { idDigest } from '../../../src/platform/kernel/ids.js';
import { eventually } from '../../kit/eventually.js';
import { forFile } from '../../kit/for-file.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { testFoundation } from '../../kit/seed.js';
import {
  badProof,
  change,
  freshPackage,
  openProofs,
  rivalOf,
  scriptedNodes,
  startRelayInstance,
  TO_FAILED,
  TO_SUBMITTED,
  word,
  type RelayInstance,
  type TestPackage,
} from '../../domain/relays/desk-kit.js';
import { callRest, type RestAnswer } from './server/rest-server.js';

const PER_CLIENT = 40;
const UNKNOWN = 'rly_5r8kq2m0v4e1atjb7x9nw3h6cz';
let client = 1;

const database = forFile(await createTestDatabase());
const foundation = testFoundation(database);
const proofs = forFile(openProofs());
const instance = forFile(await startRelayInstance(foundation, proofs, { limits: { perClient: PER_CLIENT } }));

// Each from a different client, so that no story uses up the limit of another.
const call = (
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
  at = instance,
) =>
  callRest(`${at.url}${path}`, method, {
    ...(body === undefined ? {} : { body }),
    headers: { 'x-forwarded-for': `198.51.${(client >> 8) & 255}.${client++ & 255}`, ...headers },
  });
const submit = (body: unknown, headers?: Record<string, string>, at?: RelayInstance) =>
  call('POST', '/api/relay-requests', body, headers, at);
const submitted = async (relayPackage: TestPackage = freshPackage()) =>
  ((await submit(relayPackage)).body as { relayRequestId: string }).relayRequestId;
const statusOf = (id: string) => call('GET', `/api/relay-requests/${id}`);
const retry = (id: string, body?: unknown) => call('POST', `/api/relay-requests/${id}/attempts`, body);
const expectRefusal = (answer: RestAnswer, statusCode: number, reason: string) => {
  expect(answer.body).toEqual({ statusCode, message: expect.any(String), error: expect.any(String), reason });
  expect(answer.status).toBe(statusCode);
  expect(answer.headers.has('retry-after')).toBe(statusCode === 429 || statusCode === 503);
};

describe('POST /api/relay-requests', () => {
  it('answers 202 and where to ask, without credentials, and the same request again for the same package', async () => {
    const relayPackage = freshPackage();
    const answer = await submit(relayPackage);
    expect(answer.status).toBe(202);
    const { relayRequestId } = answer.body as { relayRequestId: string };
    expect(answer.body).toEqual({
      relayRequestId: expect.stringMatching(/^rly_/),
      status: 'accepted',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      statusUrl: `/api/relay-requests/${relayRequestId}`,
    });
    const again = await submit({
      ...relayPackage,
      zkConfigNonce: 3,
      proofBytes: `0x${relayPackage.proofBytes.toUpperCase()}`,
    });
    expect([again.status, again.body]).toEqual([202, answer.body]);
  });

  it('answers a proof that does not verify with 202 and a request that is rejected', async () => {
    const relayPackage = freshPackage();
    const answer = await submit(badProof(relayPackage));
    expect(answer.status).toBe(202);
    expect(answer.body).toMatchObject({ status: 'rejected' });
    const { relayRequestId } = answer.body as { relayRequestId: string };
    expect((await statusOf(relayRequestId)).body).toMatchObject({
      publicReason: 'invalid_proof',
      retryAllowed: false,
    });
    expect((await submit(relayPackage)).body).toMatchObject({ status: 'accepted' });
  });

  it('answers a circuit that the pool has not with 202 and a request that is rejected', async () => {
    const answer = await submit({ ...freshPackage(), zkConfigNonce: '9' });
    expect([answer.status, answer.body]).toMatchObject([202, { status: 'rejected' }]);
    const { relayRequestId } = answer.body as { relayRequestId: string };
    expect((await statusOf(relayRequestId)).body).toMatchObject({
      publicReason: 'zk_config_missing',
      retryAllowed: false,
    });
  });

  it.each<[string, unknown, string]>([
    ['another version', { version: 2 }, 'invalid_package'],
    ['a proof that is too short', { proofBytes: 'ab' }, 'invalid_package'],
    ['a number for a proof', { proofBytes: 7 }, 'invalid_package'],
    ['a recipient that is no address', { recipient: 'nobody' }, 'invalid_package'],
    ['hints of the wrong type', { applicationIdHints: 'check_1' }, 'invalid_package'],
    ['no hints', { applicationIdHints: undefined }, 'invalid_package'],
    [
      'a signal at the order of the field',
      { publicSignals: Array(7).fill('f'.repeat(64)) },
      'unsupported_signal_shape',
    ],
    ['too few signals', { publicSignals: [word(1n)] }, 'unsupported_signal_shape'],
    ['a pool that is not served', { poolSelector: 'nobodys' }, 'unsupported_pool'],
  ])('refuses %s with 400', async (_, changes, reason) => {
    expectRefusal(await submit({ ...freshPackage(), ...(changes as object) }), 400, reason);
  });

  it.each<[string, string]>([
    ['no JSON', '{'],
    ['nothing', ''],
    ['null', 'null'],
    ['a list', '[]'],
    ['a text', '"package"'],
    ['nesting without end', '{"version":1,"x":'.padEnd(30_000, '[')],
    ['a prototype in place of members', '{"__proto__":{"version":1}}'],
  ])('refuses %s with 400, and keeps running', async (_, body) => {
    expectRefusal(await submit(body), 400, 'invalid_package');
  });

  it('ignores unknown members, and refuses JSON that is nested too deeply', async () => {
    const { relayRequestId } = (await submit(freshPackage())).body as { relayRequestId: string };
    expect(relayRequestId).toMatch(/^rly_/);
    const withMember = (levels: number) => {
      const deep = `${'['.repeat(levels)}${']'.repeat(levels)}`;
      const relayPackage = JSON.stringify(freshPackage());
      return submit(`{"__proto__":{"a":1},"constructor":1,"deep":${deep},${relayPackage.slice(1)}`);
    };
    const answer = await withMember(63);
    expect([answer.status, answer.body]).toMatchObject([202, { status: 'accepted' }]);
    expectRefusal(await withMember(20_000), 400, 'invalid_package');
  });

  it('refuses a body over 64 KiB with 413, and another type with 415', async () => {
    expectRefusal(
      await submit({ ...freshPackage(), padding: 'x'.repeat(64 * 1024) }),
      413,
      'payload_too_large',
    );
    const typed = { 'content-type': 'text/plain' };
    expectRefusal(await submit('version=1', typed), 415, 'unsupported_media_type');
  });

  it('refuses another package on the same nullifiers with 409, in the same bytes whatever holds them', async () => {
    const bodies = [];
    for (const way of [[], TO_SUBMITTED, TO_FAILED]) {
      const relayPackage = freshPackage();
      await change(foundation, await submitted(relayPackage), ...way);
      const answer = await submit(rivalOf(relayPackage));
      expectRefusal(answer, 409, 'conflicting_payload');
      bodies.push(answer.text);
    }
    expect(new Set(bodies).size).toBe(1);
  });

  it.each([
    ['queue_at_capacity', { limits: { queue: 0 } }],
    ['low_balance', { nodes: scriptedNodes(1) }],
    ['relayer_unavailable', { signers: [] }],
    ['relayer_unavailable', { nodes: scriptedNodes(new Error('down')) }],
  ])('answers 503 and when to try again: %s', async (reason, options) => {
    await using other = await startRelayInstance(foundation, proofs, options);
    expectRefusal(await submit(freshPackage(), {}, other), 503, reason);
    // While a queue is full, there are many: one log line each, without a stack, and nothing that looks like a defect.
    const lines = other.logged().split('\n');
    expect(lines.filter((line) => line.includes(`"reason":"${reason}"`))).toEqual([
      expect.stringMatching(/"level":40,.*A request was refused, because there is no room/),
    ]);
    expect(other.logged()).not.toContain('internal error');
  });

  it('refuses a client past its limit with 429 on every surface: submissions, attempts and repeats', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    const relayPackage = freshPackage();
    await using other = await startRelayInstance(foundation, proofs, { limits: { perClient: PER_CLIENT } });
    const doors = [
      () => submit(relayPackage, headers),
      () => submit(relayPackage, headers, other),
      () => call('POST', `/api/relay-requests/${UNKNOWN}/attempts`, undefined, headers),
    ];
    // The limit of two windows plus one, because a minute may end in between.
    let refused: RestAnswer | undefined;
    for (let request = 0; request <= 2 * PER_CLIENT && !refused; request += 1) {
      const answer = await doors[request % doors.length]!();
      if (answer.status === 429) refused = answer;
    }
    expectRefusal(refused!, 429, 'rate_limited');
  });

  it('counts packages that it refuses for their form', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.10' };
    const bodies = [
      { ...freshPackage(), version: 2 },
      { ...freshPackage(), proofBytes: 7 },
      { ...freshPackage(), applicationIdHints: undefined },
      { ...freshPackage(), recipient: {} },
      [],
    ];
    let refused: RestAnswer | undefined;
    for (let request = 0; request <= 2 * PER_CLIENT && !refused; request += 1) {
      const answer = await submit(bodies[request % bodies.length], headers);
      if (answer.status === 429) refused = answer;
      else expectRefusal(answer, 400, 'invalid_package');
    }
    expectRefusal(refused!, 429, 'rate_limited');
  });
});

describe('GET /api/relay-requests/{relayRequestId}', () => {
  it('shows the status of a request, with optional members only if they are set', async () => {
    const id = await submitted();
    const at = { createdAt: expect.any(String), updatedAt: expect.any(String) };
    const plain = { relayRequestId: id, ...at, retryAllowed: false };
    expect((await statusOf(id)).body).toEqual({ ...plain, status: 'accepted' });
    await change(foundation, id, { to: 'validating' }, { to: 'queued', attemptNumber: 1 });
    const queued = await statusOf(id);
    expect(queued.body).toEqual({ ...plain, status: 'queued', attemptNumber: 1 });
    expect([queued.status, queued.headers.get('cache-control')]).toEqual([200, 'no-store']);
    await change(foundation, id, { to: 'failed', reason: 'infrastructure_failed' });
    expect((await statusOf(id)).body).toEqual({
      ...plain,
      status: 'failed',
      attemptNumber: 1,
      retryAllowed: true,
      publicReason: 'infrastructure_failed',
    });
  });

  it.each([UNKNOWN, 'rly_1', 'ast_01kaj6m0v2e0stvb5x8nq3w4hy', '%00'])('answers 404 for %s', async (id) => {
    expectRefusal(await statusOf(id), 404, 'not_found');
  });
});

describe('POST /api/relay-requests/{relayRequestId}/attempts', () => {
  it('begins the next attempt of a failed request, and of several at once one', async () => {
    const id = await submitted();
    await change(foundation, id, ...TO_FAILED);
    const answers = await Promise.all(Array.from({ length: 5 }, () => retry(id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 200)?.body).toEqual({
      relayRequestId: id,
      status: 'queued',
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      retryAllowed: false,
      attemptNumber: 1,
    });
    await change(foundation, id, { to: 'failed', reason: 'infrastructure_failed' });
    expect((await retry(id, {})).body).toMatchObject({ status: 'queued', attemptNumber: 2 });
  });

  it('refuses with 409 in every other state', async () => {
    const ways = [[], TO_SUBMITTED, [...TO_SUBMITTED, { to: 'reconciling' as const }]];
    const ends = [
      [...TO_SUBMITTED, { to: 'succeeded' as const }],
      [{ to: 'rejected' as const, reason: 'kyt_rejected' as const }],
      // Without an attempt that has the reason, nothing shows that a retry could succeed.
      [...TO_SUBMITTED, { to: 'failed' as const, reason: 'transaction_failed' as const }],
    ];
    for (const way of [...ways, ...ends]) {
      const id = await submitted();
      await change(foundation, id, ...way);
      expectRefusal(await retry(id), 409, 'retry_not_allowed');
    }
  });

  it('refuses a body with 400, and what is unknown with 404', async () => {
    const id = await submitted();
    expectRefusal(await retry(id, { force: true }), 400, 'invalid_package');
    expectRefusal(await retry(UNKNOWN), 404, 'not_found');
  });
});

describe('a URL of the relayer that no route takes', () => {
  it.each([
    ['GET', '/api/relay-requests/%zz', 400, 'invalid_request'],
    ['GET', `/api/relay-requests/${'x'.repeat(300)}`, 414, 'invalid_request'],
    ['POST', `/api/relay-requests/${'x'.repeat(300)}/attempts`, 414, 'invalid_request'],
    ['GET', '/api/relay-requests/a/b/c', 404, 'not_found'],
    ['DELETE', '/api/relay-requests/x', 405, 'method_not_allowed'],
  ])('is refused with a reason: %s %s', async (method, path, status, reason) => {
    expectRefusal(await call(method, path), status, reason);
  });
});

describe('what is logged of relays', () => {
  it('holds neither packages nor the ids that let anyone act', async () => {
    const relayPackage = freshPackage();
    const id = await submitted(relayPackage);
    await statusOf(id);
    await retry(id);
    // A line may be written after its answer.
    await eventually(instance.logged, (log) =>
      log.includes(`/api/relay-requests/rly:${idDigest(id)}/attempts`),
    );
    expect(instance.logged()).toContain(`"relay":"${idDigest(id)}"`);
    for (const secret of [id, relayPackage.proofBytes.slice(0, 40), relayPackage.publicSignals[3]!])
      expect(instance.logged()).not.toContain(secret);
  });
});
