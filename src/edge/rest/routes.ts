import type { Route } from './route.js';
import { assetRoutes } from './routes/asset-routes.js';
import { activityLogRoutes } from './routes/activity-log-routes.js';
import { caseRoutes } from './routes/case-routes.js';
import { checkRoutes } from './routes/check-routes.js';
import { disclosureRoutes } from './routes/disclosure-routes.js';
import { reportRoutes } from './routes/report-routes.js';
import { oidcRoutes } from './routes/oidc-routes.js';
import { relayRoutes } from './routes/relay-routes.js';
import { sessionRoutes } from './routes/session-routes.js';
import { transactionRoutes } from './routes/transaction-routes.js';

/** Every REST route, in the order of the reference. */
export const routes: readonly Route[] = [
  ...assetRoutes,
  ...transactionRoutes,
  ...disclosureRoutes,
  ...sessionRoutes,
  ...caseRoutes,
  ...oidcRoutes,
  ...activityLogRoutes,
  ...reportRoutes,
  ...checkRoutes,
  ...relayRoutes,
];
