import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { createSealer } from '../../../../src/platform/crypto/index.js';
import { postgresqlSignals, redisSignals } from '../../../../src/platform/signals/index.js';
import { type Database, sql } from '../../../../src/platform/database/index.js';
import { isLucarneError } from '../../../../src/platform/kernel/errors.js';
import type { Id } from '../../../../src/platform/kernel/ids.js';
import { silentLog } from '../../../../src/platform/kernel/log.js';
import { LOCAL_POOLS_FILE } from '../../../../devnet/index.js';
import { submitRelay } from '../../../../src/domain/relays/admission/submit-relay.js';
import { createTestDatabase } from '../../../kit/database/database.js';
import { followOver, freshPackage, openProofs, startRelayInstance } from '../desk-kit.js';
import { openRelayRoom, type RelayRoom, SHORT_TIMING } from '../kit.js';
import { describeOnPostgresql } from '../../../kit/database/on-postgresql.js';

// Not on PGlite: it runs in one process, so a killed process takes its database along, and its folder takes seconds to open
// again.
/** Set it to print the matrix. */
const isPrinted = process.env['LUCARNE_PRINT_CRASH_MATRIX'] !== undefined;
const CHILD = path.join(import.meta.dirname, 'crash-child.mjs');
/** Number of children that load their modules while another one runs. */
const AHEAD = 2;

interface Child {
  /**
   * Runs a child that is killed after this many points, or as the orders specify. Returns the points that it passed, and
   * whether it was killed.
   */
  run(killAt: number, orders?: object): Promise<{ readonly points: string[]; readonly isKilled: boolean }>;
  kill(): void;
}

describeOnPostgresql('the relayer', () => {
  let database: Database & { readonly url?: string };
  let room: RelayRoom;
  const masterKey = Buffer.alloc(32, 7);
  beforeAll(async () => {
    database = await createTestDatabase();
    room = await openRelayRoom({ database, sealer: createSealer(masterKey) });
  });
  afterAll(async () => {
    await room[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  function child(): Child {
    const process_ = spawn(process.execPath, ['--no-warnings', CHILD], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let output = '';
    process_.stdout.on('data', (data: Buffer) => void (output += data.toString()));
    const closed = once(process_, 'close');
    return {
      async run(killAt, changes) {
        const orders = {
          ...{ databaseUrl: database.url, rpcUrl: room.ledger.rpcUrl, pools: LOCAL_POOLS_FILE, killAt },
          keyPair: Buffer.from(room.keyPair).toString('base64'),
          masterKey: masterKey.toString('base64'),
          // Looks follow immediately.
          timing: { ...SHORT_TIMING, rebroadcastMs: 0, pollMs: 1_000 },
          ...changes,
        };
        process_.stdin.end(JSON.stringify(orders));
        const [code, signal] = (await closed) as [number | null, string | null];
        expect([code, signal]).toEqual(signal === null ? [0, null] : [null, 'SIGKILL']);
        return { points: output.trim().split('\n'), isKilled: signal !== null };
      },
      kill: () => void process_.kill('SIGKILL'),
    };
  }

  /** Lets the lease of a dead worker expire. */
  const expireLeases = () =>
    database.rows(sql`
      update relay_requests set lease_expires_at = now() - interval '1 second',
        next_look_at = now() - interval '1 second' where next_look_at is not null`);

  const landedOnce = async (id: Id<'rly'>) => {
    const attempts = await room.attempts(id);
    expect(attempts).toHaveLength(1);
    expect(await room.landed(id)).toEqual({ succeeded: [attempts[0]!.signature], failed: [] });
    expect(await room.spent(id)).toEqual([true, true]);
  };

  it('lands each request once and records it when killed after any write or ledger call', async () => {
    const waiting = Array.from({ length: AHEAD }, child);
    const matrix: string[] = [];
    for (let killAt = 1; ; killAt += 1) {
      const id = await room.submit();
      waiting.push(child());
      const { points, isKilled } = await waiting.shift()!.run(killAt);
      const { status: atDeath } = await room.read(id);
      if (isKilled) {
        expect(points).toHaveLength(killAt);
        await expireLeases();
        room.worker();
      }
      const end = await room.untilEnded(id);
      await room.rest();
      expect([killAt, end.status]).toEqual([killAt, 'succeeded']);
      await landedOnce(id);
      const path_ = (await room.events(id)).map(({ status }) => status.slice(0, 3)).join(' ');
      matrix.push(`${killAt}`.padStart(3) + ` ${points.at(-1)!.padEnd(26)} ${atDeath.padEnd(11)} ${path_}`);
      if (!isKilled) break;
    }
    for (const unused of waiting) unused.kill();
    if (isPrinted) process.stdout.write(`${matrix.join('\n')}\n`);
    expect(matrix.length).toBeGreaterThan(15);
  }, 180_000);

  describe.each([
    ['PostgreSQL', () => database.url, (url: string) => postgresqlSignals(url, silentLog)],
    ['Redis', () => process.env['REDIS_URL'], (url: string) => redisSignals(url, silentLog)],
  ] as const)('with signals over %s', (name, urlOf, open) => {
    const itWithServer = name === 'Redis' && process.env['REDIS_URL'] === undefined ? it.skip : it;

    itWithServer(
      'receives wake-ups and notifies subscribers across processes',
      async () => {
        const signalsUrl = urlOf()!;
        await using signals = open(signalsUrl);
        await using proofs = openProofs();
        const foundation = { ...room.foundation, signals };
        // No worker looks without a signal.
        const timing = { ...SHORT_TIMING, rebroadcastMs: 0, pollMs: 3_600_000 };
        await using instance = await startRelayInstance(foundation, proofs, { pollMs: 3_600_000 });
        const other = child();
        let working: Promise<unknown> | undefined;
        for (let request = 0; request < 2; request += 1) {
          const { relayRequestId } = await submitRelay(instance.desk, '192.0.2.1', freshPackage());
          await using events = followOver(instance, relayRequestId, 0);
          expect(await events.next()).toMatchObject({ sequence: 1, status: 'accepted' });
          working ??= other.run(0, { timing, signalsUrl, requests: 2 });
          expect(await events.rest()).toEqual(['2 validating', '3 queued', '4 submitted', '5 succeeded']);
        }
        await working;
      },
      30_000,
    );
  });

  it('continues when the connections of its database are cut', async () => {
    const administrator = new pg.Client({ connectionString: database.url });
    await administrator.connect();
    try {
      // The cuts also affect the test's queries.
      const again = async <Result>(work: () => Promise<Result>): Promise<Result> =>
        work().catch((thrown: unknown) => {
          if (!isLucarneError(thrown)) throw thrown;
          return again(work);
        });
      const nodes = room.nodes(1);
      room.worker({ nodes, timing: { leaseDurationMs: 300 } });
      const ids: Id<'rly'>[] = [];
      for (let round = 0; round < 6; round += 1) {
        ids.push(await again(() => room.submit()));
        const until = nodes.calls.length + round;
        while (nodes.calls.length < until) await delay(1);
        await administrator.query(`
          select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`);
      }
      for (const id of ids) {
        expect(await again(() => room.untilEnded(id))).toMatchObject({ status: 'succeeded' });
        await landedOnce(id);
      }
    } finally {
      await administrator.end();
    }
  });
});
