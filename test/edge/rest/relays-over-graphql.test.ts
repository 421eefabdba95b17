import { describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/platform/database/index.js';
import { forFile } from '../../kit/for-file.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { testFoundation } from '../../kit/seed.js';
import {
  freshPackage,
  openProofs,
  rivalOf,
  scriptedNodes,
  startRelayInstance,
  word,
  type DeskOptions,
} from '../../domain/relays/desk-kit.js';
import { callRest } from './server/rest-server.js';

const MUTATION =
  'mutation ($package: JSON!) { submitRelayRequest(package: $package) { relayRequestId status } }';
const CODES: Readonly<Record<number, string>> = {
  400: 'BAD_USER_INPUT',
  409: 'CONFLICT',
  429: 'TOO_MANY_REQUESTS',
  503: 'UNAVAILABLE',
};

let clients = 0;

const database = forFile(await createTestDatabase());
const foundation = testFoundation(database);
const proofs = forFile(openProofs());

interface Refusal {
  readonly reason: string;
  readonly message: string;
}

/** An instance, and its counts of submissions. */
async function open(options: DeskOptions = {}) {
  const outcomes: string[] = [];
  const metrics = {
    submitted: (outcome: string) => void outcomes.push(outcome),
    budgetUsedUp: () => undefined,
  };
  const instance = await startRelayInstance(foundation, proofs, { metrics, ...options });
  const post = (path: string, body: unknown, client: string) =>
    callRest(`${instance.url}${path}`, 'POST', { body, headers: { 'x-forwarded-for': client } });
  return {
    outcomes,
    overRest: (relayPackage: object, client: string) => post('/api/relay-requests', relayPackage, client),
    overGraphql: (relayPackage: object, client: string) =>
      post('/graphql', { query: MUTATION, variables: { package: relayPackage } }, client),
    [Symbol.asyncDispose]: () => instance[Symbol.asyncDispose](),
  };
}

type Windows = ReadonlyMap<string, number>;

/** The requests in each existing window. Windows that have ended can be removed at any time. */
async function counted(): Promise<Windows> {
  const rows = await database.rows(sql<{ window: string; requests: number }>`
    select (to_jsonb(rate_windows) - 'requests')::text as "window", requests from rate_windows`);
  return new Map(rows.map(({ window, requests }) => [window, requests]));
}

const since = (earlier: Windows, later: Windows): number =>
  [...later].reduce((sum, [window, requests]) => sum + requests - (earlier.get(window) ?? 0), 0);

const held = freshPackage();

describe('a package that is refused', () => {
  it.each<[string, number, object, DeskOptions]>([
    ['unsupported_pool', 400, freshPackage({ poolSelector: 'nobodys' }), {}],
    ['invalid_package', 400, { ...freshPackage(), version: 2, proofBytes: 7 }, {}],
    ['unsupported_signal_shape', 400, { ...freshPackage(), publicSignals: [word(1n)] }, {}],
    ['conflicting_payload', 409, rivalOf(held), {}],
    ['rate_limited', 429, freshPackage(), { limits: { perClient: 0 } }],
    ['queue_at_capacity', 503, freshPackage(), { limits: { queue: 0 } }],
    ['low_balance', 503, freshPackage(), { nodes: scriptedNodes(1) }],
    ['relayer_unavailable', 503, freshPackage(), { signers: [] }],
  ])(
    'is refused over GraphQL as over REST, and counts once over each: %s',
    async (reason, status, relayPackage, options) => {
      await using first = await open();
      await first.overRest(held, '192.0.2.250');
      await using instance = await open(options);
      const before = await counted();
      const client = `192.0.2.${(clients += 1)}`;
      const rest = await instance.overRest(relayPackage, client);
      expect(rest.status).toBe(status);
      const between = await counted();
      const { errors } = (await instance.overGraphql(relayPackage, client)).body as {
        errors: {
          message: string;
          extensions: { code: string; reason: string; retryAfterSeconds?: number };
        }[];
      };
      expect(errors).toHaveLength(1);
      const [{ message, extensions }] = errors as [(typeof errors)[0]];
      expect({ reason: extensions.reason, message }).toEqual({
        reason,
        message: (rest.body as Refusal).message,
      });
      expect(extensions.code).toBe(CODES[status]);
      expect(instance.outcomes).toEqual(['refused', 'refused']);
      // A full window does not count further.
      if (reason === 'rate_limited') return;
      // Only the client's window: none of these packages uses up what all clients share.
      expect([since(before, between), since(between, await counted())]).toEqual([1, 1]);
    },
  );

  it('is one request over both', async () => {
    await using instance = await open();
    const relayPackage = freshPackage();
    const rest = (await instance.overRest(relayPackage, '192.0.2.251')).body as { relayRequestId: string };
    const { data } = (await instance.overGraphql({ ...relayPackage, zkConfigNonce: 3 }, '192.0.2.251'))
      .body as {
      data: { submitRelayRequest: object };
    };
    expect(data.submitRelayRequest).toEqual({ relayRequestId: rest.relayRequestId, status: 'accepted' });
    expect(instance.outcomes).toEqual(['accepted', 'repeated']);
  });
});
