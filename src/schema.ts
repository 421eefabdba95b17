import 'reflect-metadata';
import type { GraphQLSchema } from 'graphql';
import { auditorsLogResolvers } from './auditors-log/index.js';
import { assetResolvers } from './assets/index.js';
import { caseResolvers } from './cases/index.js';
import { checkResolvers, type CheckDesk } from './checks/index.js';
import type { DecryptionPool } from './crypto/index.js';
import type { Foundation } from './database/index.js';
import { disclosureResolvers, type Fulfilment } from './disclosures/index.js';
import { executableSchema } from './graphql/index.js';
import { organizationResolvers, type OpenIdProvider } from './organizations/index.js';
import { relayResolvers, type RelayDesk } from './relays/index.js';
import { reportResolvers, type Reporting } from './reports/index.js';
import { transactionResolvers } from './transactions/index.js';

/** What resolvers stand on beside the foundation: parts with a life of their own, made once. */
export interface SchemaParts {
  readonly fulfilment: Fulfilment;
  readonly pool: DecryptionPool;
  readonly reporting: Reporting;
  readonly checkDesk: CheckDesk;
  readonly relayDesk: RelayDesk;
  /** Absent where OpenID Connect is not configured. */
  readonly openIdProvider?: OpenIdProvider | undefined;
}

/** The executable schema: every room's resolvers on their foundation. */
export function createSchema(foundation: Foundation, parts: SchemaParts): GraphQLSchema {
  return executableSchema([
    ...organizationResolvers(foundation, parts.openIdProvider),
    ...auditorsLogResolvers(foundation),
    ...assetResolvers.map((Resolver) => new Resolver(foundation)),
    ...transactionResolvers(foundation),
    ...disclosureResolvers(foundation, parts.fulfilment),
    ...checkResolvers(parts.checkDesk),
    ...caseResolvers(foundation, parts.pool),
    ...relayResolvers(parts.relayDesk),
    ...reportResolvers(parts.reporting),
  ]);
}
