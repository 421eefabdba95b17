import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { type Database, type Foundation, sql } from '../../../../src/platform/database/index.js';
import type { Signals } from '../../../../src/platform/signals/index.js';
import type { Id } from '../../../../src/platform/kernel/ids.js';
import { createStatusFeed, type StatusFeed } from '../../../../src/domain/relays/status/status-feed.js';
import type { RelayView } from '../../../../src/domain/relays/status/relay-view.js';
import { submitRelay } from '../../../../src/domain/relays/admission/submit-relay.js';
import { atLeast, eventually } from '../../../kit/eventually.js';
import { forFile } from '../../../kit/for-file.js';
import { fc } from '../../../kit/properties.js';
import { openTestFoundation } from '../../../kit/seed.js';
import {
  change,
  followOver,
  freshPackage,
  instanceSignals,
  openProofs,
  type RelayFollower,
  type RelayInstance,
  startRelayInstance,
  TO_FAILED,
  TO_SUBMITTED,
} from '../desk-kit.js';

const UNKNOWN = 'rly_5r8kq2m0v4e1atjb7x9nw3h6cz' as Id<'rly'>;
const LANDED = [...TO_SUBMITTED, { to: 'succeeded' as const }];

const { database, foundation: plain } = await openTestFoundation();
const proofs = forFile(openProofs());
const signals = instanceSignals(database);
const foundation = { ...plain, signals: forFile(signals()) };
const other = { ...foundation, signals: forFile(signals()) };
// Without polling, which could hide a lost signal.
const options = { pollMs: 3_600_000 };
/** Two instances with one database. Each has separate signals. */
const instances = [
  forFile(await startRelayInstance(foundation, proofs, options)),
  forFile(await startRelayInstance(other, proofs, options)),
] as const;

const made = async () => {
  const view = await submitRelay(instances[0].desk, '192.0.2.1', freshPackage());
  return view.relayRequestId;
};

/** As if it had been retried until it has this number of changes. */
async function failAgainAndAgain(id: string, changes: number): Promise<void> {
  await change(foundation, id, ...TO_FAILED);
  await database.rows(sql`
    insert into relay_events (request_id, sequence, status, reason, evidence, created_at)
    select ${id}, sequence, 'failed', 'infrastructure_failed', '{}', now()
      from generate_series(4, ${changes}::integer) as sequence`);
  await database.rows(sql`update relay_requests set sequence = ${changes} where id = ${id}`);
}

const CHANGES_OF_SLOW = 40;
interface Message {
  readonly id?: string;
  readonly type: string;
  readonly payload: { readonly data: { readonly relayStatus: { readonly sequence: number } } };
}

const clients: RelayFollower[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client[Symbol.asyncDispose]();
});

function follow(instance: RelayInstance, relayRequestId: string, after?: number) {
  const events = followOver(instance, relayRequestId, after);
  clients.push(events);
  return events;
}

describe('the status of a request over REST', () => {
  it('takes few statements, however many clients ask at a time', async () => {
    let statements = 0;
    const counted: Database = {
      ...database,
      rows: async (statement) => {
        statements += 1;
        await pause(20);
        return database.rows(statement);
      },
    };
    await using instance = await startRelayInstance({ ...foundation, database: counted }, proofs, options);
    const ids = await Promise.all([made(), made()]);
    const asked = Array.from({ length: 200 }, (_, at) => ids[at % 2]!);
    const answers = await Promise.all(
      asked.map(async (id) => {
        const response = await fetch(`${instance.url}/api/relay-requests/${id}`);
        return ((await response.json()) as { relayRequestId: string }).relayRequestId;
      }),
    );
    expect(answers).toEqual(asked);
    expect((await fetch(`${instance.url}/api/relay-requests/${UNKNOWN}`)).status).toBe(404);
    expect(statements).toBeLessThan(100);
  });
});

describe('relayStatus over WebSocket', () => {
  it('sends the status of a request at once, then each change, and completes after its end', async () => {
    const id = await made();
    const events = follow(instances[0], id);
    expect(await events.next()).toEqual({
      relayRequestId: id,
      sequence: 1,
      status: 'accepted',
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      retryAllowed: false,
      attemptNumber: null,
      transactionHash: null,
      publicReason: null,
      statusUrl: `/api/relay-requests/${id}`,
    });
    await change(foundation, id, ...LANDED);
    expect(await events.rest()).toEqual(['2 validating', '3 queued', '4 submitted', '5 succeeded']);
  });

  it('sends the changes that were missed after `after`, and none twice', async () => {
    const id = await made();
    await change(foundation, id, ...LANDED);
    expect(await follow(instances[0], id, 0).rest()).toEqual([
      '1 accepted',
      '2 validating',
      '3 queued',
      '4 submitted',
      '5 succeeded',
    ]);
    expect(await follow(instances[0], id, 3).rest()).toEqual(['4 submitted', '5 succeeded']);
    expect(await follow(instances[0], id, 5).rest()).toEqual([]);
    expect(await follow(instances[0], id).rest()).toEqual(['5 succeeded']);
  });

  it('sends changes from any instance, no matter which one changes the request', async () => {
    const id = await made();
    const followers = [...instances, ...instances].map((instance) => follow(instance, id));
    for (const events of followers) expect(await events.next()).toMatchObject({ sequence: 1 });
    const [here, there] = [foundation, other];
    await change(here, id, { to: 'validating' });
    for (const events of followers) expect(await events.next()).toMatchObject({ sequence: 2 });
    await change(there, id, { to: 'rejected', reason: 'nullifiers_spent' });
    for (const events of followers) expect(await events.rest()).toEqual(['3 rejected']);
  });

  it('continues through an allowed attempt for clients that subscribe again', async () => {
    const id = await made();
    await change(foundation, id, ...TO_FAILED);
    const events = follow(instances[0], id, 2);
    expect(await events.next()).toMatchObject({
      sequence: 3,
      status: 'failed',
      retryAllowed: true,
      publicReason: 'infrastructure_failed',
    });
    expect(await events.next()).toBeUndefined();
    await change(foundation, id, { to: 'queued', attemptNumber: 1 });
    // The failure is sent again, but without retryAllowed: another attempt followed.
    const again = follow(instances[1], id, 2);
    expect(await again.next()).toMatchObject({ sequence: 3, status: 'failed', retryAllowed: false });
    expect(await again.next()).toMatchObject({ sequence: 4, status: 'queued', attemptNumber: 1 });
  });

  it('answers NOT_FOUND for an unknown request, and BAD_USER_INPUT for an invalid `after`', async () => {
    const refusal = (code: string) => ({ cause: [{ extensions: { code } }] });
    await expect(follow(instances[0], UNKNOWN).next()).rejects.toMatchObject(refusal('NOT_FOUND'));
    await expect(follow(instances[0], 'rly_1').next()).rejects.toMatchObject(refusal('NOT_FOUND'));
    await expect(follow(instances[0], UNKNOWN, -1).next()).rejects.toMatchObject(refusal('BAD_USER_INPUT'));
  });

  it('loses and repeats nothing for clients that are cut off and resume after the last change that they received', async () => {
    const changes = [...TO_SUBMITTED, { to: 'reconciling' as const }, { to: 'succeeded' as const }];
    const cuts = fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), fc.nat(1)), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(cuts, async (taken) => {
        const id = await made();
        const seen: number[] = [];
        const read = async (events: ReturnType<typeof follow>, most: number) => {
          for (let count = 0; count < most; count += 1) {
            const one = await events.next();
            if (!one) return;
            seen.push(one.sequence);
          }
        };
        const changing = (async () => {
          for (const next of changes) await change(foundation, id, next);
        })();
        for (const [most, at] of taken) {
          const events = follow(instances[at]!, id, seen.at(-1) ?? 0);
          await read(events, most);
          await events[Symbol.asyncDispose]();
        }
        await read(follow(instances[0], id, seen.at(-1) ?? 0), Infinity);
        await changing;
        expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
      }),
      { numRuns: 5 },
    );
  });

  it('closes a client that reads too slowly, which loses and repeats nothing when it reconnects', async () => {
    const [instance] = instances;
    const id = await made();
    await failAgainAndAgain(id, CHANGES_OF_SLOW);
    // Each event is long because of the names that the client gives to its fields.
    const names = Array.from({ length: 20 }, (_, at) => `${'x'.repeat(2_500)}${at}`);
    const query = `subscription ($id: ID!, $after: Int) { relayStatus(relayRequestId: $id, after: $after) {
      sequence ${names.map((name) => `${name}: status`).join(' ')} } }`;
    const socket = new WebSocket(`${instance.url.replace('http', 'ws')}/graphql`, ['graphql-transport-ws']);
    const send = (message: object) => socket.send(JSON.stringify(message));
    const seen: number[][] = Array.from({ length: 40 }, () => []);
    socket.on('message', (data: Buffer) => {
      const { id: at, type, payload } = JSON.parse(data.toString()) as Message;
      if (type === 'next') seen[Number(at)]!.push(payload.data.relayStatus.sequence);
    });
    await once(socket, 'open');
    send({ type: 'connection_init' });
    await once(socket, 'message');
    socket.pause();
    for (const at of seen.keys())
      send({ id: String(at), type: 'subscribe', payload: { query, variables: { id, after: 0 } } });
    await eventually(instance.logged, (log) => log.includes('reads too slowly'));
    const closed = once(socket, 'close');
    socket.resume();
    const [code, reason] = (await closed) as [number, Buffer];
    expect([code, reason.toString()]).toEqual([4508, 'Reading too slowly']);

    const all = Array.from({ length: CHANGES_OF_SLOW }, (_, at) => at + 1);
    expect(seen.some((received) => received.length > 0 && received.length < all.length)).toBe(true);
    for (const received of seen) {
      const rest = await follow(instance, id, received.at(-1) ?? 0).rest();
      expect([...received, ...rest.map((one) => Number.parseInt(one, 10))]).toEqual(all);
    }
  }, 480_000);
});

describe('the feed of changes', () => {
  const feeds: StatusFeed[] = [];
  afterEach(async () => {
    for (const feed of feeds.splice(0)) await feed[Symbol.asyncDispose]();
  });
  const openFeed = (pollMs = 3_600_000, on: Partial<Foundation> = {}) => {
    const feed = createStatusFeed({ ...foundation, ...on }, { pollMs });
    feeds.push(feed);
    return feed;
  };
  /** Signals that are all lost. */
  const lost: Signals = {
    publish: () => undefined,
    listen: () => () => undefined,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const read = async (events: AsyncIterable<RelayView>) => {
    const received: number[] = [];
    for await (const { sequence } of events) received.push(sequence);
    return received;
  };

  it('reads once for any number of subscribers', async () => {
    const feed = openFeed();
    const id = await made();
    const subscribers = await Promise.all(Array.from({ length: 500 }, () => feed.follow(id, undefined)));
    expect(feed.stats).toMatchObject({ requests: 1, subscribers: 500 });
    const [before, reading] = [feed.stats.reads, subscribers.map(read)];
    for (const next of LANDED) await change(foundation, id, next);
    for (const received of await Promise.all(reading)) expect(received).toEqual([1, 2, 3, 4, 5]);
    // A signal over NOTIFY also returns to its sender, so there are at most two for each change.
    expect(feed.stats.reads - before).toBeLessThanOrEqual(2 * LANDED.length);
    expect(feed.stats).toMatchObject({ requests: 0, subscribers: 0 });
  });

  it('reads all its requests together when it polls', async () => {
    let gate: Promise<unknown> = Promise.resolve();
    const rows: Database['rows'] = (query) => gate.then(() => database.rows(query));
    const feed = openFeed(5, { database: { ...database, rows }, signals: lost });
    const ids = [await made(), await made(), await made()];
    const reading = (await Promise.all(ids.map((id) => feed.follow(id, 1)))).map(read);
    const held = Promise.withResolvers<undefined>();
    gate = held.promise;
    const { reads } = feed.stats;
    await eventually(() => feed.stats.reads, atLeast(reads + 1));
    for (const id of ids) await change(foundation, id, { to: 'rejected', reason: 'kyt_rejected' });
    held.resolve(undefined);
    for (const received of await Promise.all(reading)) expect(received).toEqual([2]);
    expect(feed.stats.reads - reads).toBe(1);
  });

  it('lets an idle subscriber leave, and forgets requests without subscribers', async () => {
    const feed = openFeed();
    const id = await made();
    const [one, other] = [await feed.follow(id, 1), await feed.follow(id, 1)];
    const idle = one.next();
    await one.return();
    expect(await idle).toEqual({ done: true, value: undefined });
    expect(feed.stats).toMatchObject({ requests: 1, subscribers: 1 });
    // It never received a request for a change.
    await other.return();
    expect(feed.stats).toMatchObject({ requests: 0, subscribers: 0 });
    await expect(feed.follow(UNKNOWN, undefined)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(feed.stats).toMatchObject({ requests: 0, subscribers: 0 });
  });

  it('sends every change to a subscriber that lags far, although it keeps only the newest', async () => {
    const feed = openFeed();
    const id = await made();
    await failAgainAndAgain(id, 200);
    const all = Array.from({ length: 200 }, (_, at) => at + 1);
    expect(await read(await feed.follow(id, 0))).toEqual(all);
    expect(await read(await feed.follow(id, 150))).toEqual(all.slice(150));
  });

  it('pushes every change as fast as there is room', async () => {
    const feed = openFeed();
    const id = await made();
    await failAgainAndAgain(id, 200);
    const received: number[] = [];
    const ended = Promise.withResolvers<unknown>();
    const events = await feed.follow(id, 0);
    // There is room for one change after each call.
    const resume = events.pushTo(({ sequence }) => {
      received.push(sequence);
      setImmediate(() => resume());
      return false;
    }, ended.resolve);
    expect(await ended.promise).toBeUndefined();
    expect(received).toEqual(Array.from({ length: 200 }, (_, at) => at + 1));
    expect(feed.stats).toMatchObject({ requests: 0, subscribers: 0 });
  });

  it('pushes later changes, and ends when the subscriber leaves, with room or without', async () => {
    const feed = openFeed();
    const id = await made();
    const [received, held]: [number[], number[]] = [[], []];
    const [one, other] = [await feed.follow(id, 0), await feed.follow(id, 0)];
    const ends = [one, other].map((events, at) => {
      const ended = Promise.withResolvers<unknown>();
      events.pushTo(
        ({ sequence }) => (at === 0 ? received : held).push(sequence) > 1 || at === 0,
        ended.resolve,
      );
      return ended.promise;
    });
    await change(foundation, id, { to: 'validating' });
    await eventually(() => received.length, atLeast(2));
    await Promise.all([one.return(), other.return()]);
    expect(await Promise.all(ends)).toEqual([undefined, undefined]);
    expect([received, held]).toEqual([[1, 2], [1]]);
    expect(feed.stats).toMatchObject({ requests: 0, subscribers: 0 });
  });

  it('sends a failure that another attempt followed without retryAllowed', async () => {
    const feed = openFeed();
    const id = await made();
    await change(foundation, id, ...TO_FAILED);
    const one = await feed.follow(id, 2);
    const failure = { sequence: 3, status: 'failed' };
    expect((await one.next()).value).toMatchObject({ ...failure, retryAllowed: true, isNewest: true });
    await change(foundation, id, { to: 'queued', attemptNumber: 1 });
    const other = await feed.follow(id, 2);
    expect((await other.next()).value).toMatchObject({ ...failure, retryAllowed: false, isNewest: false });
  });

  it('continues after the database was unreachable', async () => {
    let broken = false;
    const rows: Database['rows'] = (query) =>
      broken ? Promise.reject(new Error('out of reach')) : database.rows(query);
    const feed = openFeed(20, { database: { ...database, rows }, signals: lost });
    const id = await made();
    const reading = read(await feed.follow(id, undefined));
    broken = true;
    await expect(feed.follow(id, undefined)).rejects.toThrow('out of reach');
    await change(foundation, id, { to: 'rejected', reason: 'kyt_rejected' });
    broken = false;
    expect(await reading).toEqual([1, 2]);
  });

  it('ends its subscriptions when it is disposed of', async () => {
    const feed = openFeed();
    const events = await feed.follow(await made(), undefined);
    expect(await events.next()).toMatchObject({ value: { sequence: 1 } });
    const idle = events.next();
    await feed[Symbol.asyncDispose]();
    expect(await idle).toEqual({ done: true, value: undefined });
  });
});
