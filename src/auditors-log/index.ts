import type { Foundation } from '../database/index.js';
import { activityAddedResolver, AuditorsLogResolver } from './auditors-log.resolver.js';

/** The room's resolvers, ready to serve. */
export function auditorsLogResolvers(foundation: Foundation): object[] {
  return [new AuditorsLogResolver(foundation), activityAddedResolver(foundation)];
}

export { erasePersonalValues, type ErasedValues } from './erase-personal-values.js';
export { exportActivityLog, LARGEST_EXPORT, logExported, type LogExport } from './export-activity-log.js';
export { followActivity, type AddedActivity, type FollowActivityInput } from './follow-activity.js';
export { listActivity, listActivityOf, type ListActivityInput } from './list-activity.js';
export { readCheckpoint, readConsistencyProof, readInclusionProof } from './read-log.js';
export { ActivityConnection, ActivityCriteriaArgs } from './auditors-log.type.js';
