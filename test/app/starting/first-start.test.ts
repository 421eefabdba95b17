import { describe, expect } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { pause } from '../../../src/platform/jobs/index.js';
import { startLocalLedger } from '../../../devnet/index.js';
import { createEmptyDatabase } from '../../kit/database/database.js';
import { itOnEmbedded, itOnPostgresql } from '../../kit/database/on-postgresql.js';
import { temporaryDirectory } from '../gateway-process.js';
import { start } from '../integrator.js';

const ASKED_EVERY_MS = 5;
const READY = { status: 'ok', checks: { accepting: 'ok', database: 'ok', migrations: 'ok' } };

describe('gateways that start on an empty database, polled for readiness every 5 ms,', () => {
  itOnPostgresql('become ready, two at a time, and one of them migrates it', async () => {
    await using ledger = await startLocalLedger();
    await using database = await createEmptyDatabase();
    const starts = await startTogether(2, {
      DATABASE_URL: database.url!,
      LUCARNE_MASTER_KEY: randomBytes(32).toString('base64'),
      SOLANA_RPC_URL: ledger.rpcUrl,
      SOLANA_WS_URL: ledger.wsUrl,
    });
    expect(starts).toEqual(Array(2).fill({ last: READY, unexpected: [], migrated: expect.any(Number) }));
    expect(starts.map(({ migrated }) => migrated).sort()).toEqual([0, 1]);
  });

  itOnEmbedded('become ready, one in its data directory', async () => {
    const starts = await startTogether(1, { LUCARNE_DEMO: '0' });
    expect(starts).toEqual([{ last: READY, unexpected: [], migrated: 1 }]);
  });
});

interface Start {
  /** The answer of `/readyz` after the start. */
  readonly last: unknown;
  /** Earlier answers that report neither ready nor not ready. */
  readonly unexpected: readonly unknown[];
  /** How often a migration of the database was logged. */
  readonly migrated: number;
}

/** Starts this number of complete gateways at the same time. Rejects if one cannot start. */
async function startTogether(
  count: number,
  environment: Readonly<Record<string, string>>,
): Promise<readonly Start[]> {
  await using parts = new AsyncDisposableStack();
  const gateways = await Promise.all(
    Array.from({ length: count }, async () => {
      const directory = parts.use(await temporaryDirectory());
      return start({ ...environment, LUCARNE_DATA_DIR: directory.path });
    }),
  );
  for (const { application } of gateways) parts.use(application);
  let isOver = false;
  const initialized = Promise.all(gateways.map(({ application }) => application.initialized)).finally(() => {
    isOver = true;
  });
  const asked = gateways.map(async ({ application, logged }): Promise<Start> => {
    const ask = async () => {
      const answer = await fetch(`${application.url}/readyz`);
      return { status: answer.status, body: await answer.json() };
    };
    const unexpected: unknown[] = [];
    while (!isOver) {
      const answer = await ask();
      if (answer.status !== 200 && answer.status !== 503) unexpected.push(answer);
      await pause(ASKED_EVERY_MS);
    }
    const migrated = logged().split('The database was migrated.').length - 1;
    return { last: (await ask()).body, unexpected, migrated };
  });
  const [starts] = await Promise.all([Promise.all(asked), initialized]);
  return starts;
}
