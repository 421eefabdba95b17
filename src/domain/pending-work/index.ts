import { createApplicationOf } from '../access/index.js';
import type { Foundation } from '../../platform/database/index.js';
import { pendingWorkResolver } from './pending-work.resolver.js';

/** The resolvers of this room. */
export const pendingWorkResolvers = (foundation: Foundation): object[] => [
  pendingWorkResolver(foundation, createApplicationOf(foundation)),
];
