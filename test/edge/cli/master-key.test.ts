import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { entities } from '../../../src/app/storage/entities.js';
import { PURPOSES, SEALED_COLUMNS } from '../../../src/app/storage/sealed-columns.js';
import { product } from '../../../src/app/product.js';
import type { KeyRoom as OpenedKeys, Product } from '../../../src/edge/cli/product.js';
import { runCommand } from '../../../src/edge/cli/program.js';
import { connectDatabase, type Database, query, sql } from '../../../src/platform/database/index.js';
import type { Statement } from '../../../src/platform/database/statement.js';
import { silentLog } from '../../../src/platform/kernel/log.js';
import { systemRandom } from '../../../src/platform/kernel/random.js';
import {
  announceDataKeys,
  createKeyring,
  reseal,
  rotateMasterKey,
  watchKeys,
} from '../../../src/platform/keys/index.js';
import { eventually, notEmpty } from '../../kit/eventually.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { itOnPostgresql } from '../../kit/database/on-postgresql.js';
import { type KeyRoom, letSettle, openKeyRoom, storePieces } from '../../platform/keys/key-room.js';
import { say } from './terminal.js';

const PIECES = 20;

const isCount = (statement: Statement<unknown>) =>
  'isRawBuilder' in statement && statement.compile(query).sql.startsWith('with page');

describe('lucarne master-key', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let room: KeyRoom;
  beforeEach(async () => {
    database = await createTestDatabase();
    room = await openKeyRoom();
    const { sealer } = await room.gateway(database);
    await storePieces(database, sealer, 'one', PIECES);
    await rotateMasterKey(room.operator(database));
  });
  afterEach(async () => {
    await room[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  async function withKeysOf<Result>(
    used: Database,
    work: (keys: OpenedKeys) => Promise<Result>,
  ): Promise<Result> {
    const shared = { database: used, masterKeys: room.masterKeys, purposes: PURPOSES };
    await using keyring = createKeyring({ ...shared, random: systemRandom, log: silentLog });
    return await work({ ...shared, columns: SEALED_COLUMNS, keyring });
  }
  const withKeys: Product['withKeys'] = (_, work) => withKeysOf(database, work);
  const resealAll = async () => {
    const operator = room.operator(database);
    await announceDataKeys(operator);
    await reseal({ ...operator, sealer: (await room.gateway(database)).sealer });
  };

  describe('if a count takes longer than a gateway’s statement timeout', () => {
    const SILENCE_MS = 500;
    /** A connection with a shorter idle timeout than that of a command, which is otherwise silent. */
    const openShortly = (isLong: boolean) =>
      connectDatabase({ entities, target: { url: database.url!, silenceMs: isLong ? 0 : SILENCE_MS } });
    const beforeCounts = (used: Database, act: () => Promise<void>): Database => ({
      ...used,
      async rows(statement) {
        if (isCount(statement)) await act();
        return used.rows(statement);
      },
    });
    const waiting = () =>
      database.rows(sql`select 1 from pg_stat_activity where wait_event_type = 'Lock'
        and datname = current_database()`);
    itOnPostgresql.each(['reseal', 'retire'])('%s waits for it', async (command) => {
      if (command === 'retire') {
        await resealAll();
        await letSettle(database);
      } else await announceDataKeys(room.operator(database));
      const held = Promise.withResolvers<undefined>();
      const locked = Promise.withResolvers<undefined>();
      let holding: Promise<unknown> | undefined;
      const lock = async () => {
        holding ??= database.transaction(async (transaction) => {
          await transaction.rows(sql`lock table report_chunks in access exclusive mode`);
          locked.resolve(undefined);
          await held.promise;
        });
        await locked.promise;
      };
      const withKeys: Product['withKeys'] = async (access, work) => {
        await using keys = await openShortly(access.isLong === true);
        return await withKeysOf(beforeCounts(keys, lock), work);
      };
      const answer = say(['master-key', command, ...(command === 'retire' ? ['1'] : [])], '', { withKeys });
      await eventually(waiting, notEmpty);
      await pause(2 * SILENCE_MS);
      held.resolve(undefined);
      await holding;
      expect(await answer).toMatchObject({ exitCode: 0 });
    });
  });

  it('counts the remaining values before the first value is resealed', async () => {
    const operator = room.operator(database);
    await announceDataKeys(operator);
    const { output } = await say(['master-key', 'status'], '', { withKeys });
    expect(output).toContain(`Values of report_chunks that are left to seal again: ${PIECES}.\n`);
    expect(output).toContain('Values of auditor_keys that are left to seal again: 0.\n');

    const registry = new Registry();
    watchKeys(registry, await room.gateway(database), database);
    const metric = await registry.getSingleMetricAsString('lucarne_values_to_reseal');
    expect(metric).toContain(`lucarne_values_to_reseal{purpose="report_chunks"} ${PIECES}\n`);

    const [printed, errors] = [new PassThrough(), Object.assign(new PassThrough(), { isTTY: true })];
    const terminal = { input: new PassThrough(), output: printed, errors };
    expect(await runCommand(['master-key', 'reseal'], terminal, { ...product, withKeys })).toBe(0);
    const bars = ((errors.read() as Buffer | null) ?? '').toString().split('\r');
    const ofPieces = bars.filter((bar) => bar.includes('report_chunks'));
    expect(ofPieces[0]).toContain(`[${'.'.repeat(30)}] report_chunks: ${PIECES} left`);
    expect(ofPieces.at(-1)).toContain(`[${'#'.repeat(30)}] report_chunks: 0 left`);
  });

  it('reseal reports remaining values while another process uses earlier data keys, and completes when run again', async () => {
    const before = await room.gateway(database);
    await announceDataKeys(room.operator(database));
    let written = 0;
    /** A gateway that does not know the new data key stores a value before each count. */
    const busy: Database = {
      ...database,
      async rows(statement) {
        if (isCount(statement)) await storePieces(database, before.sealer, `written ${(written += 1)}`, 1);
        return database.rows(statement);
      },
    };
    const busily: Product['withKeys'] = (_, work) =>
      withKeysOf(database, (keys) => work({ ...keys, database: busy }));
    const refused = await say(['master-key', 'reseal'], '', { withKeys: busily });
    expect(refused.errors).toMatch(
      /[1-9]\d* values of report_chunks are still sealed with earlier data keys, because a gateway continues to use them\. Restart each gateway that does not reach the database or the master key, and run “lucarne master-key reseal” again\.\n$/,
    );
    expect(refused).toMatchObject({ exitCode: 1, output: '' });
    const status = await say(['master-key', 'status'], '', { withKeys });
    expect(status.output).toMatch(/^Values of report_chunks that are left to seal again: [1-9]\d*\.$/m);
    expect(status.output.match(/left to seal again/g)).toHaveLength(1);

    expect(await say(['master-key', 'reseal'], '', { withKeys })).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining('Every value is sealed with the newest data keys.'),
    });
    const after = await say(['master-key', 'status'], '', { withKeys });
    expect(after.output).not.toContain('left to seal again');
  });

  it.each(['0', '101', '2.5', 'half'])('reseal refuses the pace %s, and begins nothing', async (pace) => {
    const refused = await say(['master-key', 'reseal', '--pace', pace], '', { withKeys });
    expect(refused).toMatchObject({ exitCode: 2, output: '' });
    expect(refused.errors).toContain('It must be a whole number from 1 to 100.');
    expect((await say(['master-key', 'status'], '', { withKeys })).output).not.toContain('left to seal');
  });
});
