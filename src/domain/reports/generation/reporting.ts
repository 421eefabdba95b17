import type { DecryptionPool } from '../../../platform/crypto/index.js';
import type { Foundation } from '../../../platform/database/index.js';
import { createReportMaker, type ReportMaker } from './report-maker.js';
import type { ReportMetrics } from './report-metrics.js';

/** The dependencies of the operations on reports. Disposing of it abandons running generations. */
export interface Reporting extends AsyncDisposable {
  readonly foundation: Foundation;
  readonly pool: DecryptionPool;
  readonly maker: ReportMaker;
  /** The host that readers know this service by: it begins the origin of logs that are new. */
  publicHost(): string;
}

export function createReporting(
  foundation: Foundation,
  {
    pool,
    publicHost,
    metrics,
  }: Pick<Reporting, 'pool' | 'publicHost'> & { readonly metrics?: ReportMetrics },
): Reporting {
  const maker = createReportMaker(foundation, metrics);
  return { foundation, pool, maker, publicHost, [Symbol.asyncDispose]: () => maker[Symbol.asyncDispose]() };
}
