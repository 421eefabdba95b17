import { type CheckDesk, createCheckDesk } from '../domain/checks/index.js';
import { createFulfilment, type Fulfilment } from '../domain/disclosures/index.js';
import { createReporting, createReportMetrics, type Reporting } from '../domain/reports/index.js';
import type { Platform } from './platform.js';
import { openRelayer, type Relayer } from './relayer/open-relayer.js';

/** The parts of features that live as long as the instance. */
export interface Features {
  readonly fulfilment: Fulfilment;
  readonly reporting: Reporting;
  readonly checkDesk: CheckDesk;
  readonly relayer: Relayer;
}

/** `publicHost` returns the host name under which readers know this service. It is called when the name is needed. */
export async function openFeatures(
  platform: Platform,
  publicHost: () => string,
  parts: AsyncDisposableStack,
): Promise<Features> {
  const { configuration, foundation, registry, pool } = platform;
  const checkDesk = parts.use(
    createCheckDesk(foundation, {
      perClient: configuration.checksPerClient,
      sanctions: configuration.sanctions,
      service: configuration.screening,
      registry,
    }),
  );
  return {
    fulfilment: createFulfilment(foundation, pool),
    reporting: createReporting(foundation, { pool, publicHost, metrics: createReportMetrics(registry) }),
    checkDesk,
    relayer: await openRelayer(platform, checkDesk, parts),
  };
}
