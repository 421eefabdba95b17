import type { ReportPlan } from './report-maker.js';
import { readGeneration, type ReportGeneration } from './generation-rows.js';
import type { Reporting } from './reporting.js';

export interface GenerationInput {
  /** Whether to answer only when the report is made; at once when absent. */
  readonly wait?: boolean | null | undefined;
}

/** Begins a planned report and answers its generation, or with `wait` the finished one. */
export async function generateReport(
  { foundation, maker }: Reporting,
  plan: ReportPlan,
  { wait }: GenerationInput,
): Promise<ReportGeneration> {
  const id = await maker.begin(plan);
  if (wait) await maker.made(id);
  const generation = await readGeneration(foundation.database, plan.user.organizationId, id);
  if (!generation) throw new Error('A generation that was begun is gone.');
  return generation;
}
