import { exportActivityLog, verifyLogFile } from '../../../../src/domain/activity-log/index.js';
import type { Principal } from '../../../../src/domain/access/index.js';
import { removeMember } from '../../../../src/domain/organizations/index.js';
import { type Database, type Foundation, sql } from '../../../../src/platform/database/index.js';
import { type SeededOrganization, type SeededUser, seedMember } from '../../../kit/seed.js';
import { sequence } from '../../activity-log/kit.js';
import { type disclosureDesk, seedTransfers } from '../../disclosures/kit.js';

/** A disclosure of one amount with an available result. */
export async function discloseAmount(
  foundation: Foundation,
  desk: ReturnType<typeof disclosureDesk>,
  seed: SeededOrganization,
) {
  await desk.policy(seed.owner.principal);
  const { asset, ids } = await seedTransfers(foundation, seed, [842_135n], 'open');
  const scope = { transactionIds: ids, fields: ['amount'] };
  return desk.request(seed.apiKey.principal, { assetId: asset.id, purpose: 'Audit', scope, format: 'json' });
}

/** A user who was a member until now. */
export async function leave(
  foundation: Foundation,
  { organization, owner }: SeededOrganization,
): Promise<SeededUser> {
  const member = await seedMember(foundation, organization.id, {}, 'Lea Leaver');
  await removeMember(foundation, owner.principal, member.principal.userId);
  return member;
}

/** The faults that a verifier finds in an export of the whole log. */
export async function exportFaults(foundation: Foundation, owner: Principal) {
  await sequence(foundation);
  const file = await exportActivityLog(foundation, owner, {});
  return verifyLogFile(file, { complete: true }).checks.filter(({ passed }) => !passed);
}

export async function textOfRows(database: Database, organizationId: string, table: string): Promise<string> {
  const [row] = await database.rows(sql<{ text: string }>`
    select coalesce(string_agg(whole::text, ''), '') as text from ${sql.table(table)} as whole
    where organization_id = ${organizationId}`);
  return row!.text;
}

/** From now on the sweep deletes, as it does 31 days after the upgrade that introduced retention. */
export const endGrace = (database: Database) =>
  database.rows(sql`update mikro_orm_migrations set executed_at = now() - interval '31 days'`);

/** Turns off, or on again, that the database stores its own time: old data was stored before it did. */
export async function timesOfDatabase(
  database: Database,
  action: 'drop default' | 'set default now()',
): Promise<void> {
  for (const table of ['report_files', 'disclosures'])
    await database.rows(sql`alter table ${sql.table(table)} alter column stored_at ${sql.raw(action)}`);
}

/** Makes the result of a disclosure eleven years old, so that the sweep deletes it. */
export async function ageResult(database: Database, id: string): Promise<void> {
  await database.rows(sql`alter table disclosures disable trigger disclosure_results_are_kept`);
  await database.rows(sql`update disclosures set resolved_at = now() - interval '11 years',
    stored_at = now() - interval '11 years' where id = ${id}`);
  await database.rows(sql`alter table disclosures enable trigger disclosure_results_are_kept`);
  await endGrace(database);
}
