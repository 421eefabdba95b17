import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkpointOfNow, logSigningKeys, newestCheckpoint } from '../../src/domain/activity-log/index.js';
import { createSealer, openCheckpoint, parseVerifierKey } from '../../src/platform/crypto/index.js';
import { sql, type Database, type Foundation } from '../../src/platform/database/index.js';
import { sweepGenerations } from '../../src/domain/reports/generation/generation-rows.js';
import { findGeneration } from '../../src/domain/reports/generation/find-generation.js';
import {
  act,
  faultsOfLog,
  loggedEntries,
  PUBLIC_HOST,
  signedCheckpoints,
} from '../domain/activity-log/kit.js';
import { DAY, openOffice, type CaseOffice } from '../domain/cases/kit.js';
import { createDurableDatabase, type DurableDatabase } from '../kit/database/durable-database.js';
import { testFoundation } from '../kit/seed.js';
import { caseReport, reportingOf, seedDeposits, stored, textOf } from '../domain/reports/kit.js';
import { dying, type Moment, type Work } from './dying.js';
import { itOnPostgresql } from '../kit/database/on-postgresql.js';

/** Enough to store the chunks of a report in several statements. */
const RECORDS = 7_000;

describe('a process that is killed', () => {
  const masterKey = randomBytes(32);
  let durable: DurableDatabase;
  let office: CaseOffice;
  let caseId: string;

  beforeAll(async () => {
    durable = await createDurableDatabase();
    await opened(async (foundation) => {
      office = await openOffice(foundation);
      const now = Date.now();
      await seedDeposits(foundation, office.asset, RECORDS, Math.floor(now / 1000) - DAY / 1000);
      const period = { periodFrom: dayOf(now - 30 * DAY), periodTo: dayOf(now) };
      caseId = (await office.open(period)).id;
      await checkpointOfNow(foundation, log());
    });
  });
  afterAll(async () => durable[Symbol.asyncDispose]());

  const log = () => ({ organizationId: office.organization.id, publicHost: PUBLIC_HOST });

  /** Runs with the database opened in this process, as after a restart of the gateway. */
  async function opened<Result>(run: (foundation: Foundation) => Promise<Result>): Promise<Result> {
    await using database = await durable.open();
    return await run({ ...testFoundation(database), sealer: createSealer(masterKey) });
  }

  const killed = (work: Work, moment?: Moment, afterLines?: number) =>
    dying({ target: durable.target, masterKey, work, ...(moment && { moment }) }, afterLines);

  const indexes = async (database: Database) =>
    (await loggedEntries(database, office.organization.id)).map(({ index }) => index);

  /** The log continues from its stored state, and everything that was ever written or signed is consistent. */
  async function expectOneHistory(foundation: Foundation): Promise<void> {
    const { database } = foundation;
    const before = await signedCheckpoints(database, office.organization.id);
    await act(foundation, office.organization.id, 2);
    await checkpointOfNow(foundation, log());
    const positions = await indexes(database);
    expect(positions).toEqual(positions.map((_, position) => position));
    expect(await faultsOfLog(database, office.organization.id)).toEqual([]);
    const after = await signedCheckpoints(database, office.organization.id);
    expect(after.slice(0, before.length)).toEqual(before);
  }

  describe('while it sequences the log', () => {
    /** The index of the entry that the process wrote before sequencing, and the size of the newest checkpoint. */
    const found = async ({ database }: Foundation, foreignId: string) => {
      const entries = await loggedEntries(database, office.organization.id);
      const signed = await signedCheckpoints(database, office.organization.id);
      const indexed = entries.filter(({ index }) => index !== null).length;
      const own = entries.find(({ entry }) => entry['application_foreign_id'] === foreignId);
      return { index: own?.index, indexed, signed: signed.at(-1)?.size };
    };

    it('leaves the entries waiting and signs nothing if it dies before the commit', async () => {
      const work = (foreignId: string): Work => ({ kind: 'actThenSequence', foreignId, log: log() });
      await killed(work('one'), { after: 'with updated as', before: 'insert into "log_tiles"' });
      await killed(work('two'), { after: 'insert into "log_checkpoints"', before: 'commit' });
      await opened(async (foundation) => {
        for (const foreignId of ['one', 'two']) {
          const { index, indexed, signed } = await found(foundation, foreignId);
          expect(index).toBeNull();
          expect(signed).toBe(indexed);
        }
        await expectOneHistory(foundation);
      });
    });

    it('leaves the entry and its checkpoint in the log if it dies right after the commit', async () => {
      await killed({ kind: 'actThenSequence', foreignId: 'sequenced', log: log() });
      await opened(async (foundation) => {
        const { index, indexed, signed } = await found(foundation, 'sequenced');
        expect(index).toBe(indexed - 1);
        expect(signed).toBe(indexed);
        await expectOneHistory(foundation);
      });
    });
  });

  describe('while it rotates the signing key', () => {
    const rotated = ({ database }: Foundation) => logSigningKeys(database, office.organization.id);
    const rotate = (moment?: Moment) => {
      const { sessionToken } = office.owner;
      return killed({ kind: 'rotateSigningKey', sessionToken, log: log() }, moment);
    };

    it('leaves one key and no rotation entry if it dies at any statement before the commit', async () => {
      for (const moment of [
        { before: 'insert into "signing_keys"' },
        { after: 'insert into "signing_keys"', before: 'update "signing_keys"' },
        { after: 'update "signing_keys"', before: 'insert into "activity_entries"' },
        { after: 'insert into "activity_entries"', before: 'insert into "log_checkpoints"' },
        { after: 'insert into "log_checkpoints"', before: 'commit' },
      ])
        await rotate(moment);
      await opened(async (foundation) => {
        expect(await rotated(foundation)).toMatchObject([{ epoch: 1, cosignsUntil: null }]);
        const entries = await loggedEntries(foundation.database, office.organization.id);
        expect(entries.filter(({ entry }) => entry['event_type'] === 'signing_key.rotated')).toEqual([]);
        await expectOneHistory(foundation);
      });
    });

    it('leaves two keys, which have both signed the rotation entry, if it dies right after the commit', async () => {
      await rotate();
      await opened(async (foundation) => {
        const keys = await rotated(foundation);
        expect(keys).toMatchObject([{ epoch: 2 }, { epoch: 1 }]);
        const { note } = await newestCheckpoint(foundation.database, office.organization.id);
        for (const { verifierKey } of keys)
          expect(openCheckpoint(note, parseVerifierKey(verifierKey)!)).toBeDefined();
        await expectOneHistory(foundation);
      });
    });
  });

  describe('during an action', () => {
    const actions = (database: Database, prefix: string) =>
      database.rows(sql<{ action: string | null; entry: string | null }>`
        select foreign_id as action, entry.of as entry
        from (select foreign_id from applications where foreign_id like ${`${prefix}%`}) as application
        full join (
          select entry ->> 'application_foreign_id' as of from activity_entries
          where event_type = 'application.created' and entry ->> 'application_foreign_id' like ${`${prefix}%`}
        ) as entry on entry.of = application.foreign_id`);

    it('leaves neither the action nor its log entry if it dies between the two', async () => {
      await killed(
        { kind: 'actThenSequence', foreignId: 'half-done', log: log() },
        { after: 'insert into "applications"', before: 'insert into "activity_entries"' },
      );
      await opened(async (foundation) => {
        expect(await actions(foundation.database, 'half-done')).toEqual([]);
        await expectOneHistory(foundation);
      });
    });

    it('loses nothing acknowledged and repeats nothing if it dies at any moment, while sequencers run', async () => {
      const acknowledged = await killed(
        { kind: 'actAndSequence', prefix: 'busy', log: log() },
        undefined,
        20,
      );
      expect(acknowledged.length).toBeGreaterThanOrEqual(20);
      await opened(async (foundation) => {
        const found = await actions(foundation.database, 'busy');
        expect(found.map(({ action }) => action)).toEqual(expect.arrayContaining(acknowledged));
        expect(found.map(({ entry }) => entry)).toEqual(found.map(({ action }) => action));
        expect(new Set(found.map(({ entry }) => entry)).size).toBe(found.length);
        await expectOneHistory(foundation);
      });
    });

    itOnPostgresql('lets the sequencer of another process continue the log', async () => {
      await opened(async (foundation) => {
        const dies = killed({ kind: 'actAndSequence', prefix: 'shared', log: log() }, undefined, 40);
        const survivor = repeatUntil(dies, () => checkpointOfNow(foundation, log()));
        const acknowledged = await dies;
        await survivor;
        const found = await actions(foundation.database, 'shared');
        expect(found.map(({ entry }) => entry)).toEqual(expect.arrayContaining(acknowledged));
        await expectOneHistory(foundation);
      });
    });
  });

  describe('during a report', () => {
    const input = () => ({ foreignId: 'payments', caseId, reportType: 'transaction_detail' });
    const work = (): Work => ({
      ...{ kind: 'report', log: log(), input: input() },
      sessionToken: office.ana.sessionToken,
    });

    it('leaves no report, and its partial output is removed', async () => {
      // When chunks are stored, and when everything is written but nothing is committed.
      await killed(work(), { after: 'with "held" as', before: 'with "held" as' });
      await killed(work(), { after: 'insert into "reports"', before: 'commit' });
      await opened(async (foundation) => {
        const { database } = foundation;
        const ana = office.ana.principal;
        expect(await stored(database)).toMatchObject({ generations: 2, files: 0, reports: 0 });
        const generations = await database.rows(sql<{ id: string }>`select id from report_generations`);
        const states = () =>
          Promise.all(
            generations.map(({ id }) => findGeneration(foundation, ana, { foreignId: 'payments', id })),
          );
        expect(await states()).toEqual([RUNNING, RUNNING]);
        await database.rows(sql`
          update report_generations set lease_expires_at = now() - interval '1 second'`);
        expect(await sweepGenerations(foundation)).toBe(2);
        expect(await states()).toEqual([STOPPED, STOPPED]);
        expect((await stored(database)).chunks).toBe(0);
        expect(await reportEntries(database)).toBe(0);

        await using reporting = reportingOf(foundation, office.pool);
        const report = await caseReport(reporting, ana, input());
        expect(report.recordCount).toBe(RECORDS);
        const text = await textOf(foundation, report);
        expect(text.trimEnd().split('\r\n')).toHaveLength(RECORDS + 1);
        expect(createHash('sha256').update(text).digest('hex')).toBe(report.sha256);
        expect(await reportEntries(database)).toBe(1);
        await expectOneHistory(foundation);
      });
    });
  });
});

const RUNNING = expect.objectContaining({ status: 'running', report: null });
const STOPPED = expect.objectContaining({ status: 'failed', failure: expect.stringContaining('stopped') });

async function reportEntries(database: Database): Promise<number> {
  const [row] = await database.rows(sql<{ count: number }>`
    select count(*) as count from activity_entries where event_type = 'report.generated'`);
  return row!.count;
}

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

async function repeatUntil(end: Promise<unknown>, turn: () => Promise<unknown>): Promise<void> {
  const ended = end.then(
    () => true,
    () => true,
  );
  do await turn();
  while (!(await Promise.race([ended, pause(5)])));
}
