import type { DecryptionPool } from '../../../platform/crypto/index.js';
import type { Foundation } from '../../../platform/database/index.js';
import { createReportMaker, type ReportMaker } from './report-maker.js';
import type { ReportMetrics } from './report-metrics.js';

/** The dependencies of the operations on reports. Disposing of it abandons running generations. */
export interface Reporting extends AsyncDisposable {
  readonly foundation: Foundation;
  readonly pool: DecryptionPool;
  readonly maker: ReportMaker;
  /** The public host of this service. The origins of new logs begin with it. */
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
