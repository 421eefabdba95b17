import { beforeEach, describe, expect, it } from '@jest/globals';
import { assignAsset } from '../../../src/domain/assets/assign-asset.js';
import type { CaseRecord } from '../../../src/domain/cases/index.js';
import { proveCaseAmounts } from '../../../src/domain/cases/records/prove-transactions.js';
import { forFile } from '../../kit/for-file.js';
import { openTestFoundation } from '../../kit/seed.js';
import { caseReport, reportingOf, seedEachType, stored } from '../reports/kit.js';
import { codeOf, EVERY_FLAG, openOffice, setClock } from './kit.js';

const { database, foundation } = await openTestFoundation(setClock());
const office = await openOffice(foundation);
const reporting = forFile(reportingOf(foundation, office.pool));
await seedEachType(foundation, office);

describe('an asset that an owner takes out of the application while its amounts are decrypted', () => {
  let opened: CaseRecord;

  const assign = (foreignId: string | null) =>
    assignAsset(foundation, office.owner.principal, { assetId: office.asset.id, foreignId });
  /** Runs `work`; the asset leaves before its amounts are decrypted. Returns the error code. */
  const overtaken = async (work: () => Promise<unknown>) => {
    let left = false;
    office.pool.before = async () => {
      office.pool.before = () => undefined;
      await assign(null);
      left = true;
    };
    const code = await codeOf(work());
    expect(left).toBe(true);
    return code;
  };

  beforeEach(async () => {
    await assign('payments');
    opened = await office.open({ disclosureFlags: EVERY_FLAG });
  });

  it('is not in the page of a case', async () => {
    expect(await codeOf(office.transactions(opened.id))).toBe('DONE');
    expect(await overtaken(() => office.transactions(opened.id))).toBe('CONFLICT');
    expect((await office.transactions(opened.id)).nodes).toEqual([]);
  });

  it('is not in the totals of a case', async () => {
    expect(await overtaken(() => office.totals(opened.id))).toBe('CONFLICT');
    expect(await office.totals(opened.id)).toEqual([]);
  });

  it('has no proofs', async () => {
    const { nodes } = await office.transactions(opened.id);
    const amounts = nodes.flatMap(({ id, amount }) =>
      amount === null ? [] : [{ transactionId: id, amount }],
    );
    const input = { foreignId: 'payments', caseId: opened.id, amounts };
    const prove = () => proveCaseAmounts(foundation, office.pool, office.ana.principal, input);
    expect(await codeOf(prove())).toBe('DONE');
    expect(await overtaken(prove)).toBe('CONFLICT');
  });

  it.each(['transaction_detail', 'transaction_summary'])('is in no report: %s', async (reportType) => {
    const input = { foreignId: 'payments', caseId: opened.id, reportType };
    expect(await overtaken(() => caseReport(reporting, office.ana.principal, input))).toBe('CONFLICT');
    expect(await stored(database)).toMatchObject({ chunks: 0, files: 0, reports: 0 });
  });

  it('does not keep a case from being reported once the asset is back', async () => {
    const input = { foreignId: 'payments', caseId: opened.id, reportType: 'transaction_detail' };
    expect((await caseReport(reporting, office.ana.principal, input)).recordCount).toBe(6);
  });
});
