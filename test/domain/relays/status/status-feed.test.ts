import { afterEach, describe, expect, it } from '@jest/globals';
import type { Database } from '../../../../src/platform/database/index.js';
import type { Signals } from '../../../../src/platform/signals/index.js';
import type { Id } from '../../../../src/platform/kernel/ids.js';
import { createStatusFeed, type StatusFeed } from '../../../../src/domain/relays/status/status-feed.js';
import type { RelayView } from '../../../../src/domain/relays/status/relay-view.js';
import { openGate } from '../../../kit/process/gate.js';
import { change, freshPackage } from '../desk-kit.js';
import { submissionStories } from '../admission/submission-stories.js';

const stories = submissionStories();

describe('the feed of changes, without a poll or a signal', () => {
  const feeds: StatusFeed[] = [];
  afterEach(async () => {
    for (const feed of feeds.splice(0)) await feed[Symbol.asyncDispose]();
  });
  const listening = new Set<string>();
  const signals: Signals = {
    publish: () => undefined,
    listen(topic) {
      listening.add(topic);
      return () => void listening.delete(topic);
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const openFeed = (rows?: Database['rows'], pollMs = 3_600_000) => {
    const { foundation } = stories;
    const database = { ...foundation.database, ...(rows && { rows }) };
    const feed = createStatusFeed({ ...foundation, database, signals }, { pollMs });
    feeds.push(feed);
    return feed;
  };
  const made = async () => (await stories.submit(freshPackage())).relayRequestId;
  const read = async (events: AsyncIterable<RelayView>) => {
    const received: number[] = [];
    for await (const { sequence } of events) received.push(sequence);
    return received;
  };
  const failAgainAndAgain = async (id: Id<'rly'>, until: number) => {
    let relay = await change(stories.foundation, id, { to: 'validating' });
    for (let attempt = 1; relay.sequence < until; attempt += 1)
      relay = await change(
        stories.foundation,
        id,
        { to: 'failed', reason: 'infrastructure_failed' },
        ...(relay.sequence + 1 < until ? [{ to: 'queued' as const, attemptNumber: attempt }] : []),
      );
    return relay.sequence;
  };

  it('leaves no gap if a request changed more often between two reads than changes are kept', async () => {
    const feed = openFeed();
    const id = await made();
    const events = await feed.follow(id, 0);
    expect(await events.next()).toMatchObject({ value: { sequence: 1 } });
    const last = await failAgainAndAgain(id, 149);
    // A new subscriber causes a read of the request.
    await (await feed.follow(id, undefined)).return();
    expect(await read(events)).toEqual(Array.from({ length: last - 1 }, (_, at) => at + 2));
  });

  it('finds changes without a signal by polling', async () => {
    const feed = openFeed(undefined, 20);
    const id = await made();
    const reading = read(await feed.follow(id, undefined));
    await change(stories.foundation, id, { to: 'rejected', reason: 'kyt_rejected' });
    expect(await reading).toEqual([1, 2]);
  });

  it('listens only to requests with subscribers', async () => {
    const feed = openFeed();
    const events = await feed.follow(await made(), undefined);
    expect(listening.size).toBe(1);
    await events.return();
    expect(listening.size).toBe(0);
  });

  it('follows nothing for a subscriber that it could not answer', async () => {
    const { database } = stories.foundation;
    let isAway = true;
    const feed = openFeed((statement) =>
      isAway ? Promise.reject(new Error('out of reach')) : database.rows(statement),
    );
    const id = await made();
    await expect(feed.follow(id, undefined)).rejects.toThrow('out of reach');
    expect(feed.stats).toMatchObject({ requests: 0, subscribers: 0 });
    expect(listening.size).toBe(0);
    isAway = false;
    expect(await (await feed.follow(id, undefined)).next()).toMatchObject({ value: { sequence: 1 } });
  });

  it('answers subscribers that arrived during a failed read with the next read', async () => {
    const { database } = stories.foundation;
    using gate = openGate();
    let reads = 0;
    const feed = openFeed(async (statement) => {
      reads += 1;
      if (reads > 1) return database.rows(statement);
      await gate.until();
      throw new Error('out of reach');
    });
    const [one, other] = [await made(), await made()];
    const failing = feed.follow(one, undefined);
    await gate.arrived;
    const waiting = feed.follow(other, undefined);
    gate.release();
    await expect(failing).rejects.toThrow('out of reach');
    expect(await (await waiting).next()).toMatchObject({ value: { relayRequestId: other } });
  });
});
