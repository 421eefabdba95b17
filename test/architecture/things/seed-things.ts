import { createApplication } from '../../../src/domain/organizations/index.js';
import { operatorOf } from '../../../src/domain/access/index.js';
import type { Foundation } from '../../../src/platform/database/index.js';
import { disclosureDesk, seedTransfers } from '../../domain/disclosures/kit.js';
import { type SeededOrganization, seedMember } from '../../kit/seed.js';

/** One of each object that rows use, by the name in their placeholders. */
export async function seedThings(
  foundation: Foundation,
  home: SeededOrganization,
): Promise<Record<string, string>> {
  const { organization, application, apiKey } = home;
  await createApplication(foundation, operatorOf(organization.id), { foreignId: 'payroll', name: 'Payroll' });
  const member = await seedMember(foundation, organization.id);
  const auditor = await seedMember(foundation, organization.id, {
    applications: [{ foreignId: application.foreignId, auditor: ['reports:view_transactions'] }],
  });
  const desk = disclosureDesk(foundation);
  await desk.policy(home.owner.principal);
  const { asset, ids } = await seedTransfers(foundation, home, [1_000n], 'open');
  const { asset: reviewed, ids: reviewedIds } = await seedTransfers(foundation, home, [2_000n]);
  const scope = (id: string) => ({ transactionIds: [id], fields: ['amount'] });
  const request = { purpose: 'Audit', format: 'json' } as const;
  const made = await desk.request(apiKey.principal, { ...request, assetId: asset.id, scope: scope(ids[0]!) });
  const pending = await desk.request(apiKey.principal, {
    ...request,
    assetId: reviewed.id,
    scope: scope(reviewedIds[0]!),
  });
  const { receiptId } = await desk.result(made);
  return {
    application: application.foreignId,
    asset: asset.id,
    mint: asset.mintAddress,
    transaction: ids[0]!,
    disclosure: pending.id,
    receipt: receiptId,
    key: apiKey.apiKey.id,
    member: member.principal.userId,
    auditor: auditor.principal.userId,
    session: member.principal.sessionId,
  };
}
