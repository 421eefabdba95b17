import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { sql } from '../../../src/platform/database/index.js';
import { createDisclosurePolicy } from '../../../src/domain/disclosures/index.js';
import { startLocalLedger } from '../../../devnet/index.js';
import { temporaryDirectory } from '../gateway-process.js';
import { integrator, start } from '../integrator.js';
import { AUTHORIZE_ALL } from '../../domain/disclosures/kit.js';
import { eventually } from '../../kit/eventually.js';
import { auditorCiphertexts, seedAsset, seedRecords } from '../../kit/ledger/confidential-records.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { seedOrganization } from '../../kit/seed.js';

describe('a gateway that is stopped during a disclosure', () => {
  it('stops immediately, and completes the disclosure after the next start, with one receipt', async () => {
    const RECORDS = 200;
    await using directory = await temporaryDirectory();
    await using database = await createTestDatabase();
    await using ledger = await startLocalLedger();
    const environment = {
      LUCARNE_DATA_DIR: directory.path,
      LUCARNE_MASTER_KEY: randomBytes(32).toString('base64'),
      SOLANA_RPC_URL: ledger.rpcUrl,
      SOLANA_WS_URL: ledger.wsUrl,
      ...(database.url === undefined ? {} : { DATABASE_URL: database.url }),
    };
    const stored = async () => {
      const [row] = await database.rows(sql<{ status: string; owner: string | null; receipts: number }>`
        select status, lease_owner as owner, (select count(*)::int from receipts) as receipts
        from disclosures`);
      return row;
    };
    const untilBeingMade = () => eventually(stored, (row) => row?.owner != null);
    const UNFINISHED = { status: 'pending', owner: null, receipts: 0 };

    const first = await start(environment, database);
    await first.application.initialized;
    const { foundation } = first.application;
    const acme = await seedOrganization(foundation);
    await createDisclosurePolicy(foundation, acme.owner.principal, AUTHORIZE_ALL);
    const asset = await seedAsset(foundation, acme.organization.id, {
      disclosurePolicyId: AUTHORIZE_ALL.key,
    });
    const ciphertexts = auditorCiphertexts(asset.auditorPublicKey, 1_250_500_000n);
    const records = await seedRecords(
      foundation,
      asset,
      Array.from({ length: RECORDS }, () => ({ ciphertexts })),
    );
    const requested = integrator(first.application.url!, acme.apiKey.secret)('/v1/disclosures', 'POST', {
      assetId: asset.id,
      purpose: 'Audit',
      scope: { transactionIds: records.map(({ id }) => id), fields: ['amount'] },
      format: 'json',
    });
    await untilBeingMade();
    await first.application[Symbol.asyncDispose]();
    // The request still gets its answer.
    const { status, body } = await requested;
    expect({ status, body }).toMatchObject({ status: 201, body: { status: 'pending', result: null } });
    expect(await stored()).toEqual(UNFINISHED);

    // The worker claimed it, and is stopped, too.
    const second = await start(environment, database);
    await untilBeingMade();
    await second.application[Symbol.asyncDispose]();
    expect(await stored()).toEqual(UNFINISHED);

    const third = await start(environment, database);
    await eventually(stored, (row) => row?.status === 'available');
    const ask = integrator(third.application.url!, acme.apiKey.secret);
    const { body: disclosure } = await ask(`/v1/disclosures/${body.id}`);
    const { records: disclosed } = disclosure.result;
    expect(disclosed.map(({ amount }) => amount)).toEqual(Array(RECORDS).fill('1250500000'));
    expect(await stored()).toMatchObject({ receipts: 1 });
    await third.application[Symbol.asyncDispose]();
  }, 480_000);
});
