import 'reflect-metadata';
import type { GraphQLSchema } from 'graphql';
import { activityLogResolvers } from '../../domain/activity-log/index.js';
import { assetResolvers } from '../../domain/assets/index.js';
import { caseResolvers } from '../../domain/cases/index.js';
import { checkResolvers, type CheckDesk } from '../../domain/checks/index.js';
import type { DecryptionPool } from '../../platform/crypto/index.js';
import type { Foundation } from '../../platform/database/index.js';
import { disclosureResolvers, type Fulfilment } from '../../domain/disclosures/index.js';
import { executableSchema } from '../../edge/graphql/index.js';
import { organizationResolvers, type OrganizationParts } from '../../domain/organizations/index.js';
import { pendingWorkResolvers } from '../../domain/pending-work/index.js';
import { relayResolvers, type RelayDesk } from '../../domain/relays/index.js';
import { reportResolvers, type Reporting } from '../../domain/reports/index.js';
import { transactionResolvers } from '../../domain/transactions/index.js';

/** What resolvers need in addition to the foundation: long-lived parts, created once. */
export interface SchemaParts {
  readonly fulfilment: Fulfilment;
  readonly pool: DecryptionPool;
  readonly reporting: Reporting;
  readonly checkDesk: CheckDesk;
  readonly relayDesk: RelayDesk;
  readonly organizations: OrganizationParts;
  /** Whether two owners together may export an auditor key; by default they may not. */
  readonly auditorKeyExport?: boolean;
}

/** The executable schema: every room's resolvers on their foundation. */
export function createSchema(foundation: Foundation, parts: SchemaParts): GraphQLSchema {
  return executableSchema([
    ...organizationResolvers(foundation, parts.organizations),
    ...activityLogResolvers(foundation),
    ...assetResolvers.map((Resolver) => new Resolver(foundation, parts.auditorKeyExport)),
    ...transactionResolvers(foundation),
    ...disclosureResolvers(foundation, parts.fulfilment),
    ...checkResolvers(parts.checkDesk),
    ...caseResolvers(foundation, parts.pool),
    ...pendingWorkResolvers(foundation),
    ...relayResolvers(parts.relayDesk),
    ...reportResolvers(parts.reporting),
  ]);
}
