import { beforeEach, describe, expect, it } from '@jest/globals';
import { createSequencer, longestWait, newestCheckpoint } from '../../../src/domain/activity-log/index.js';
import { sequenceEntries } from '../../../src/domain/activity-log/sequencing/sequence-entries.js';
import {
  generateSigningKey,
  parseVerifierKey,
  sign,
  signCheckpoint,
} from '../../../src/platform/crypto/index.js';
import {
  sql,
  type Database,
  type Foundation,
  type Transaction,
} from '../../../src/platform/database/index.js';
import type { Id } from '../../../src/platform/kernel/ids.js';
import { waitingLogs } from '../../../src/domain/activity-log/sequencing/waiting-logs.js';
import { measuredReads } from '../../kit/growth/read-costs.js';
import { seedOrganization, type SeededOrganization, openTestFoundation } from '../../kit/seed.js';
import {
  act,
  countingMetrics,
  faultsOfLog,
  loggedEntries,
  PUBLIC_HOST,
  sequence,
  signedCheckpoints,
} from './kit.js';

const { database, foundation } = await openTestFoundation();

describe('the sequencer', () => {
  let seed: SeededOrganization;
  let organizationId: Id<'org'>;
  beforeEach(async () => {
    seed = await seedOrganization(foundation);
    organizationId = seed.organization.id;
  });

  const indexesOf = async () => (await loggedEntries(database, organizationId)).map(({ index }) => index);
  const batch = (limit?: number) =>
    sequenceEntries(foundation, { organizationId, publicHost: PUBLIC_HOST }, limit);

  it('gives every entry an index, and signs a checkpoint that proves all of them', async () => {
    await act(foundation, organizationId, 20);
    expect(await sequence(foundation)).toEqual([]);
    const entries = await loggedEntries(database, organizationId);
    expect(entries.map(({ index }) => index)).toEqual(entries.map((_, position) => position));
    expect(entries[0]?.entry).toMatchObject({ event_type: 'organization.created' });
    expect(await faultsOfLog(database, organizationId)).toEqual([]);
  });

  it('signs one checkpoint per batch that continues the previous one, across tile borders', async () => {
    await act(foundation, organizationId, 40);
    const written = (await indexesOf()).length;
    for (let count = -1; count !== 0;) count = await batch(7);
    const checkpoints = await signedCheckpoints(database, organizationId);
    expect(checkpoints.map(({ size }) => size)).toEqual(
      Array.from({ length: Math.ceil(written / 7) }, (_, number) => Math.min(7 * (number + 1), written)),
    );
    await act(foundation, organizationId, 230);
    await sequence(foundation);
    await act(foundation, organizationId, 3);
    await sequence(foundation);
    expect(await faultsOfLog(database, organizationId)).toEqual([]);
  });

  it('maintains a log and a key for each organization, named after the public host and the organization', async () => {
    const other = await seedOrganization(foundation, { name: 'Other', foreignId: 'elsewhere' });
    await sequence(foundation);
    const [mine, theirs] = await Promise.all(
      [organizationId, other.organization.id].map((id) => newestCheckpoint(database, id)),
    );
    expect(mine!.origin).toBe(`${PUBLIC_HOST}/log/${organizationId}`);
    expect(parseVerifierKey(mine!.verifierKey)?.name).toBe(mine!.origin);
    expect(theirs!.verifierKey).not.toBe(mine!.verifierKey);
    expect(await faultsOfLog(database, other.organization.id)).toEqual([]);
  });

  it('keeps the name of a log when the public host changes', async () => {
    await sequence(foundation);
    await act(foundation, organizationId);
    await sequenceEntries(foundation, { organizationId, publicHost: 'moved.example' });
    expect((await newestCheckpoint(database, organizationId)).origin).toBe(
      `${PUBLIC_HOST}/log/${organizationId}`,
    );
    expect(await faultsOfLog(database, organizationId)).toEqual([]);
  });

  it('does nothing when no entry is waiting', async () => {
    await sequence(foundation);
    const before = await signedCheckpoints(database, organizationId);
    expect(await batch()).toBe(0);
    expect(await signedCheckpoints(database, organizationId)).toEqual(before);
  });

  it('includes an entry that was committed late with a lower number than sequenced ones', async () => {
    const [late] = await act(foundation, organizationId);
    // As if its transaction were still open while later ones are sequenced.
    const [hidden] = await database.rows(sql<{ row: string }>`
      delete from activity_entries where id = ${late} returning row_to_json(activity_entries)::text as row`);
    await act(foundation, organizationId, 3);
    await sequence(foundation);
    await database.rows(sql`
      insert into activity_entries (id, sequence, organization_id, application_id, case_id, event_type, actor_id, entry,
        salts, created_at, leaf_hash, log_index) overriding system value
      select id, sequence, organization_id, application_id, case_id, event_type, actor_id, entry, salts, created_at,
        leaf_hash, log_index
      from json_populate_record(null::activity_entries, ${hidden!.row}::json)`);
    await act(foundation, organizationId);
    await sequence(foundation);
    const entries = await loggedEntries(database, organizationId);
    expect(entries.at(-2)?.id).toBe(late);
    expect(await faultsOfLog(database, organizationId)).toEqual([]);
  });

  it('orders an action after every entry that was committed before the action began', async () => {
    const ids = await act(foundation, organizationId, 30);
    for (let count = -1; count !== 0;) count = await batch(4);
    const entries = await loggedEntries(database, organizationId);
    expect(entries.map(({ id }) => id).filter((id) => ids.includes(id))).toEqual(ids);
  });

  it('produces one history from many concurrent runs while entries are written', async () => {
    const writing = Promise.all([act(foundation, organizationId, 25), act(foundation, organizationId, 25)]);
    let written = false;
    void writing.then(() => (written = true));
    const sequencers = Array.from({ length: 4 }, async () => {
      let total = 0;
      do total += await batch(5);
      while (!written);
      return total;
    });
    await writing;
    const byEach = await Promise.all(sequencers);
    await sequence(foundation);
    const indexes = await indexesOf();
    expect(indexes).toEqual(indexes.map((_, position) => position));
    expect(byEach.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(indexes.length);
    expect(await faultsOfLog(database, organizationId)).toEqual([]);
  });

  it('leaves nothing if it is killed before its commit, and the next one signs the only history', async () => {
    await act(foundation, organizationId, 5);
    const dying: Foundation = { ...foundation, database: dyingBeforeCommit(database) };
    const killed = sequenceEntries(dying, { organizationId, publicHost: PUBLIC_HOST });
    await expect(killed).rejects.toThrow('killed');
    expect(new Set(await indexesOf())).toEqual(new Set([null]));
    await act(foundation, organizationId, 2);
    expect(await sequence(foundation)).toEqual([]);
    expect((await signedCheckpoints(database, organizationId)).length).toBe(1);
    expect(await faultsOfLog(database, organizationId)).toEqual([]);
  });

  it('signs entries as they were written: a row that is changed while it waits fails verification', async () => {
    const [id] = await act(foundation, organizationId, 3);
    await database.rows(sql`
      update activity_entries set entry = jsonb_set(entry, '{event_type}', '"asset.assigned"') where id = ${id}`);
    expect(await sequence(foundation)).toEqual([]);
    const index = (await loggedEntries(database, organizationId)).find((entry) => entry.id === id)!.index;
    expect(await faultsOfLog(database, organizationId)).toContain(`the proof of ${index} fails`);
  });

  it('works with a clock that jumps back and forth', async () => {
    const start = Date.now();
    for (const jump of [0, -86_400_000, 86_400_000, -1, 3_600_000]) {
      const jumped = { ...foundation, clock: { now: () => new Date(start + jump) } };
      await act(jumped, organizationId, 2);
      await sequence(jumped);
    }
    expect(await faultsOfLog(database, organizationId)).toEqual([]);
  });

  it('counts entries as waiting in the metric until they have an index', async () => {
    await sequence(foundation);
    expect(await longestWait(database)).toBe(0);
    await act(foundation, organizationId, 1, { at: new Date(Date.now() - 60_000) });
    expect(await longestWait(database)).toBeGreaterThan(59);
    await sequence(foundation);
    expect(await longestWait(database)).toBe(0);
  });

  it('finds the logs with waiting entries, and the longest wait, by a few pages for each log', async () => {
    const other = await seedOrganization(foundation, { name: 'Other', foreignId: 'elsewhere' });
    await act(foundation, organizationId);
    // Earlier entries of both, in the order in which they were written.
    for (const { id } of [seed.organization, other.organization])
      await database.rows(sql`
        insert into activity_entries (id, organization_id, event_type, actor_id, entry, salts, leaf_hash, created_at)
        select ${id} || number, ${id}, event_type, actor_id, entry, salts, leaf_hash, now() - interval '1 hour'
        from activity_entries, generate_series(1, 10000) as number where id in
          (select max(id) from activity_entries where organization_id = ${organizationId} and log_index is null)`);
    const reads = measuredReads(database);
    const found = await waitingLogs({ ...foundation, database: reads });
    expect(found.map((one) => one.organizationId)).toEqual(
      expect.arrayContaining([organizationId, other.organization.id]),
    );
    expect(await longestWait(reads)).toBeGreaterThanOrEqual(0);
    for (const { buffers } of reads.costs) expect(buffers).toBeLessThan(100);
    expect(reads.costs).toHaveLength(2);
    await database.rows(sql`delete from activity_entries where id like 'org%'`);
  });

  it('runs as a loop until it is stopped', async () => {
    const { metrics, counts } = countingMetrics();
    let notify = () => {};
    const sequenced = new Promise<void>((resolve) => (notify = resolve));
    const sequencer = createSequencer({
      foundation,
      publicHost: PUBLIC_HOST,
      pollMs: 5,
      metrics: {
        ...metrics,
        entriesSequenced: (count) => {
          metrics.entriesSequenced(count);
          notify();
        },
      },
    });
    sequencer.start();
    await sequenced;
    await sequencer.stop();
    const before = counts.sequenced;
    expect(before).toBeGreaterThan(0);
    await act(foundation, organizationId);
    expect((await indexesOf()).at(-1)).toBeNull();
    expect(counts.sequenced).toBe(before);
  });

  describe('of a tampered log', () => {
    beforeEach(async () => {
      await act(foundation, organizationId, 3);
      await sequence(foundation);
      await act(foundation, organizationId);
    });

    async function refusesToSign() {
      const before = await database.rows(sql`
        select size, note from log_checkpoints where organization_id = ${organizationId} order by size`);
      const other = await seedOrganization(foundation, { name: 'Other', foreignId: 'elsewhere' });
      expect(await sequence(foundation)).toEqual(['inconsistent']);
      expect(
        await database.rows(sql`
          select size, note from log_checkpoints where organization_id = ${organizationId} order by size`),
      ).toEqual(before);
      expect((await indexesOf()).at(-1)).toBeNull();
      // The logs of other organizations continue.
      expect(await faultsOfLog(database, other.organization.id)).toEqual([]);
      await database.rows(sql`delete from activity_entries where organization_id = ${organizationId}`);
    }

    it('signs nothing when the hash of a tile differs', async () => {
      await database.rows(sql`
        update log_tiles set hashes = set_byte(hashes, 40, get_byte(hashes, 40) # 1)
        where organization_id = ${organizationId} and level = 0`);
      await refusesToSign();
    });

    it('signs nothing when a tile is truncated or missing', async () => {
      await database.rows(sql`
        update log_tiles set hashes = substring(hashes from 1 for 32) where organization_id = ${organizationId}`);
      await refusesToSign();
    });

    it('signs nothing when the checkpoint is replaced by one for another tree', async () => {
      await database.rows(sql`
        update log_checkpoints set root = ${new Uint8Array(32)} where organization_id = ${organizationId}`);
      await refusesToSign();
    });

    it('signs nothing when the checkpoint is signed by another key', async () => {
      const { origin, size, root } = await newestCheckpoint(database, organizationId);
      const { secret, publicKey } = generateSigningKey();
      const forged = signCheckpoint(
        { origin, size, root },
        { name: origin, publicKey, sign: (message) => sign(secret, message) },
      );
      await database.rows(sql`
        update log_checkpoints set note = ${forged} where organization_id = ${organizationId} and size = ${size}`);
      await refusesToSign();
    });
  });
});

/** A database whose transactions do all their work and then end like those of a killed process. */
function dyingBeforeCommit(database: Database): Database {
  return {
    ...database,
    transaction: (work) =>
      database.transaction(async (transaction: Transaction) => {
        await work(transaction);
        throw new Error('killed');
      }),
  };
}
