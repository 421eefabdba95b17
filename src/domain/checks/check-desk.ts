import { Registry } from 'prom-client';
import type { Foundation } from '../../platform/database/index.js';
import { createCheckMetrics, type CheckMetrics, type SanctionsState } from './check-metrics.js';
import { listAge, sanctionsListProvider } from './screening/sanctions-list.js';
import type { ScreeningProvider } from './screening/screening-provider.js';
import { screeningService } from './screening/screening-service.js';
import { watchSanctionsFile } from './screening/sanctions-file.js';

/** The dependencies of checks. Disposing of it stops watching the sanctions file. */
export interface CheckDesk extends AsyncDisposable {
  readonly foundation: Foundation;
  /** The configured screening steps, in the order in which they are asked. */
  readonly providers: readonly ScreeningProvider[];
  /** Maximum number of checks per minute from one client address. */
  readonly perClient: number;
  readonly metrics: CheckMetrics;
  /** The loaded sanctions list; `undefined` if there is none. */
  readonly sanctions: () => SanctionsState | undefined;
}

export interface CheckDeskOptions {
  readonly perClient?: number;
  /** A file in the format of OFAC's `SDN_ADVANCED.XML`. */
  readonly sanctions?: { readonly file: string; readonly maxAgeDays: number | undefined } | undefined;
  readonly service?: { readonly url: URL; readonly apiKey: string } | undefined;
  readonly registry?: Registry;
}

export function createCheckDesk(foundation: Foundation, options: CheckDeskOptions = {}): CheckDesk {
  const { clock, log } = foundation;
  const { perClient = 600, sanctions, service, registry = new Registry() } = options;
  const metrics = createCheckMetrics(registry, () => sanctionsState());
  const file = sanctions && watchSanctionsFile({ ...sanctions, log, failed: metrics.sanctionsLoadFailed });
  const sanctionsState = () => {
    const list = file?.current();
    if (!list) return undefined;
    return { version: list.version, ageSeconds: listAge(list, clock) / 1000, entries: list.addresses.size };
  };
  const providers: ScreeningProvider[] = [];
  if (file)
    providers.push(sanctionsListProvider({ current: file.current, clock, maxAgeDays: sanctions.maxAgeDays }));
  if (service) providers.push(screeningService({ ...service, clock, log }));
  return {
    foundation,
    providers,
    perClient,
    metrics,
    sanctions: sanctionsState,
    async [Symbol.asyncDispose]() {
      await file?.[Symbol.asyncDispose]();
    },
  };
}
