import { expect, it } from '@jest/globals';
import { retainedResults, verifyDisclosureFile } from '../../../src/domain/disclosures/index.js';
import { sweepRetention } from '../../../src/domain/organizations/index.js';
import { acrossOrganizations, sql } from '../../../src/platform/database/index.js';
import { forFile } from '../../kit/for-file.js';
import { startTestApp } from '../../kit/app.js';
import { disclosureDesk, logOf } from '../../domain/disclosures/kit.js';
import { ageResult } from '../../domain/organizations/retention/retention-kit.js';
import { seedAsset, seedRecords } from '../../kit/ledger/confidential-records.js';
import { testFoundation } from '../../kit/seed.js';
import { callRest } from './server/rest-server.js';

const app = forFile(await startTestApp());

interface Answered {
  readonly id: string;
  readonly result: Record<string, unknown>;
}

it('a result deleted at the end of its retention is answered with its remaining members, and when it was deleted', async () => {
  const { owner, apiKey } = app.organization;
  const foundation = testFoundation(app.database);
  await disclosureDesk(foundation).policy(owner.principal);
  const asset = await seedAsset(foundation, app.organization.organization.id, { disclosurePolicyId: 'open' });
  // The gateway has other keys than the test, but unencrypted values need none.
  const records = await seedRecords(foundation, asset, [
    { type: 'confidential_deposit', publicData: { amount: '842135' } },
  ]);
  const ids = records.map(({ id }) => id);
  const call = (method: string, path: string, body?: object) =>
    callRest(`${app.url}${path}`, method, { key: apiKey.secret, ...(body && { body }) });
  const scope = { transactionIds: ids, fields: ['amount'] };
  const made = await call('POST', '/v1/disclosures', {
    ...{ assetId: asset.id, purpose: 'Audit', format: 'json', scope },
  });
  const { id, result: before } = made.body as Answered;
  expect(before).not.toHaveProperty('deletedAt');

  await ageResult(app.database, id);
  const log = await logOf(foundation, id);
  expect(await acrossOrganizations(() => sweepRetention(foundation, retainedResults).sweep(10))).toBe(1);

  const { status, body } = await call('GET', `/v1/disclosures/${id}`);
  const { result } = body as Answered;
  expect({ status, result }).toEqual({
    status: 200,
    result: {
      ...before,
      generatedAt: expect.stringMatching(/^20/),
      ...{ records: null, content: null, salt: null },
      deletedAt: expect.stringMatching(/^20\d\d-/),
    },
  });
  // Nothing was read, so no read is logged.
  expect(await logOf(foundation, id)).toEqual(log);
  await expect(
    app.database.rows(sql`update disclosures set sealed_result = '\\x00' where id = ${id}`),
  ).rejects.toThrow('stays deleted');

  // The receipt, which states another time because the test changed the age of the disclosure.
  const file = {
    ...(body as object),
    resolvedAt: before['generatedAt'],
    result: { ...result, generatedAt: before['generatedAt'] },
  };
  const { valid, checks, unverified } = verifyDisclosureFile(file);
  expect({ valid, checks: checks.map(({ name }) => name) }).toEqual({
    valid: true,
    checks: ['file', 'receipt_signature', 'receipt_statement'],
  });
  expect(checks[0]!.detail).toContain('deleted');
  expect(unverified.join(' ')).toContain('What was disclosed');
  const forged = { ...file, assetId: 'ast_00000000000000000000000000' };
  expect(verifyDisclosureFile(forged).valid).toBe(false);
});
