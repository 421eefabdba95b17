import { expect } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import {
  announceDataKeys,
  keyStatus,
  reseal,
  retireMasterKey,
  rotateMasterKey,
  usableInMs,
} from '../../../src/platform/keys/index.js';
import { eventually } from '../../kit/eventually.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { itOnPostgresql } from '../../kit/database/on-postgresql.js';
import { seedOrganization, testFoundation } from '../../kit/seed.js';
import { letSettle, openKeyRoom } from '../../platform/keys/key-room.js';
import { startGateway, temporaryDirectory } from '../gateway-process.js';

/** Longer than a gateway needs to check for new keys. */
const LEAD_SECONDS = 10;

// The embedded database serves one process, so its keys cannot change while a gateway runs.
itOnPostgresql(
  'a gateway has no failed request while the master key is rotated, all values are resealed, and the old key is retired',
  async () => {
    await using parts = new AsyncDisposableStack();
    const database = parts.use(await createTestDatabase());
    const room = parts.use(await openKeyRoom());
    const keyring = parts.use(await room.gateway(database));
    const { apiKey } = await seedOrganization({ ...testFoundation(database), sealer: keyring.sealer });
    const gateway = parts.use(
      await startGateway({
        ...{ DATABASE_URL: database.url!, LUCARNE_MASTER_KEY_FILE: room.file, LUCARNE_ROLES: 'api' },
        ...{ LUCARNE_DATA_DIR: parts.use(await temporaryDirectory()).path },
        SOLANA_RPC_URL: 'http://127.0.0.1:9',
      }),
    );
    /** A repeated request with the same key opens the answer that was sealed at first. */
    const ask = async (key: string) => {
      const answer = await fetch(`${gateway.url}/v1/assets`, {
        method: 'POST',
        headers: {
          ...{ authorization: `Bearer ${apiKey.secret}`, 'content-type': 'application/json' },
          'idempotency-key': key,
        },
        body: JSON.stringify({ name: 'Steady', symbol: 'STDY', decimals: 6 }),
      });
      return `${answer.status} ${await answer.text()}`;
    };
    const versionOf = async () => {
      const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
      return /^lucarne_master_key_version (\d+)$/m.exec(metrics)?.[1];
    };

    const keys = Array.from({ length: 20 }, (_, index) => `asked ${index}`);
    const first = new Map<string, string>();
    for (const key of keys) first.set(key, await ask(key));
    for (const answer of first.values()) expect(answer).toMatch(/^201 /);
    expect(await versionOf()).toBe('1');
    const failures: string[] = [];
    let [asked, isDone] = [0, false];
    const load = (async () => {
      while (!isDone) {
        const key = keys[(asked += 1) % keys.length]!;
        const answer = await ask(key).catch(String);
        if (answer !== first.get(key)) failures.push(answer);
        // New values are sealed with the keys that the gateway knows at that time.
        const added = await ask(`new ${asked}`).catch(String);
        if (!added.startsWith('201 ')) failures.push(added);
        await pause(20);
      }
    })();

    const operator = { ...room.operator(database), leadSeconds: LEAD_SECONDS };
    await rotateMasterKey(operator);
    await eventually(versionOf, (version) => version === '2');
    await announceDataKeys(operator);
    await pause(await usableInMs(database));
    await using commanded = await room.gateway(database);
    expect(await reseal({ ...operator, sealer: commanded.sealer })).toEqual([]);
    await letSettle(database);
    expect(await retireMasterKey(operator, 1)).toBeGreaterThan(0);
    // The gateway checks again, and forgets destroyed keys.
    await pause(LEAD_SECONDS * 1_000);
    isDone = true;
    await load;
    expect(failures).toEqual([]);
    expect(asked).toBeGreaterThan(keys.length);
    expect(await versionOf()).toBe('2');
    expect((await keyStatus(database)).masterKeys).toMatchObject([
      { retiredAt: expect.any(Date) },
      { retiredAt: null },
    ]);
    for (const key of keys) expect(await ask(key)).toBe(first.get(key));
  },
);
