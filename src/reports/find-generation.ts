import type { Foundation } from '../database/index.js';
import { notFound } from '../kernel/errors.js';
import { locateId } from '../kernel/ids.js';
import type { Principal } from '../organizations/index.js';
import { readGeneration, type ReportGeneration } from './generation-rows.js';
import { requireReports, type ReportAccess } from './report-access.js';

export interface FindGenerationInput {
  /** The foreignId of the application for which it was begun; absent for one of the whole organization. */
  readonly application?: string | null | undefined;
  readonly id: string;
}

/** How far a generation is that the caller began; `NOT_FOUND` for those of others. */
export async function findGeneration(
  foundation: Foundation,
  principal: Principal | undefined,
  input: FindGenerationInput,
): Promise<ReportGeneration> {
  return locateGeneration(
    foundation,
    requireReports(principal, input.application, 'reports:create'),
    input.id,
  );
}

export async function locateGeneration(
  { database }: Foundation,
  { user, organizationId, applicationId }: ReportAccess,
  id: string,
): Promise<ReportGeneration> {
  const generation = await readGeneration(database, organizationId, locateId('rpt', id));
  const own = generation?.requestedBy === user.userId && generation.applicationId === (applicationId ?? null);
  if (!generation || !own) throw notFound('report');
  return generation;
}
