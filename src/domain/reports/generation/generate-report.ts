import type { ReportPlan } from './report-maker.js';
import { readGeneration, type ReportGeneration } from './generation-rows.js';
import type { Reporting } from './reporting.js';

export interface GenerationInput {
  /** Whether to return only when the report is finished. The default is false. */
  readonly wait?: boolean | null | undefined;
}

/** Begins a planned report. Returns its generation or, with `wait`, the finished one. */
export async function generateReport(
  { foundation, maker }: Reporting,
  plan: ReportPlan,
  { wait }: GenerationInput,
): Promise<ReportGeneration> {
  const id = await maker.begin(plan);
  if (wait) await maker.made(id);
  const { user, application } = plan;
  const access = { user, organizationId: user.organizationId, applicationId: application?.id };
  const generation = await readGeneration(foundation, access, id);
  if (!generation) throw new Error('The generation of the report is missing.');
  return generation;
}
