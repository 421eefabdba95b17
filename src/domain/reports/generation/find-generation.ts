import type { Foundation } from '../../../platform/database/index.js';
import { notFound } from '../../../platform/kernel/errors.js';
import { parseIdOrNotFound } from '../../../platform/kernel/ids.js';
import type { Principal } from '../../access/index.js';
import { readGeneration, type ReportGeneration, selectRunningGenerations } from './generation-rows.js';
import { type ReportAccess, requireReportMaking, requireReports } from '../report-access.js';

export interface FindGenerationInput {
  /** The application of the report. Absent for a report on the whole organization. */
  readonly foreignId?: string | null | undefined;
  readonly id: string;
}

/** A generation that the caller started. Those of others are `NOT_FOUND`. */
export async function findGeneration(
  foundation: Foundation,
  principal: Principal | undefined,
  input: FindGenerationInput,
): Promise<ReportGeneration> {
  return findOwnGeneration(
    foundation,
    requireReports(principal, input.foreignId, 'reports:create'),
    input.id,
  );
}

export async function findOwnGeneration(
  foundation: Foundation,
  access: ReportAccess,
  id: string,
): Promise<ReportGeneration> {
  const { user, applicationId } = access;
  const generation = await readGeneration(foundation, access, parseIdOrNotFound('rpt', id));
  const own = generation?.requestedBy === user.userId && generation.applicationId === (applicationId ?? null);
  if (!generation || !own) throw notFound('report');
  return generation;
}

/**
 * The caller's running generations, newest first. Their number is limited by the number that may run concurrently. Without
 * `foreignId`, those of the whole organization and of all applications where the caller may generate reports.
 */
export async function listGenerations(
  { database }: Pick<Foundation, 'database'>,
  principal: Principal | undefined,
  foreignId: string | null | undefined,
): Promise<ReportGeneration[]> {
  return selectRunningGenerations(database, requireReportMaking(principal, foreignId));
}
