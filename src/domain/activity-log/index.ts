import type { Foundation } from '../../platform/database/index.js';
import {
  ActivityEntryEntity,
  ActivityLogEntity,
  ErasureEntity,
  LogCheckpointEntity,
  LogTileEntity,
  SigningKeyEntity,
} from './activity-log.entity.js';
import {
  activityAddedResolver,
  ActivityLogResolver,
  LogCheckpointResolver,
  LoggedEntryResolver,
} from './activity-log.resolver.js';

export { SEALED_SIGNING_KEYS } from './sequencing/signing-key.js';
export const activityLogEntities = [
  ActivityEntryEntity,
  ActivityLogEntity,
  ErasureEntity,
  LogCheckpointEntity,
  LogTileEntity,
  SigningKeyEntity,
] as const;

/** The resolvers of this room. */
export function activityLogResolvers(foundation: Foundation): object[] {
  return [
    new ActivityLogResolver(foundation),
    new LogCheckpointResolver(foundation),
    new LoggedEntryResolver(),
    activityAddedResolver(foundation),
  ];
}

export { EVENT_TYPES, type EventType } from './event-types.js';
export { openPersonalValues, personal, type LogObject, type Salts } from './personal-values.js';
export { recordActivity, type Activity } from './record-activity.js';
export { logSigningKeys, type LogSigningKey } from './reading/log-signing-keys.js';
export {
  organizationSigner,
  type OrganizationSigner,
  type Signing,
  storedCurrentSigner,
} from './sequencing/signing-key.js';
export {
  markKeyCompromised,
  replaceLostKey,
  replaceSigningKey,
  requireLostKey,
  resumeRestoredLog,
} from './sequencing/change-signing-keys.js';
export { newestCheckpoint, type SignedCheckpoint } from './sequencing/checkpoints.js';
export {
  examineKept,
  examineLog,
  examinePersonalValues,
  logsOf,
  type StoredLog,
} from './sequencing/examine-log.js';
export { signLog, signLogIn } from './sequencing/sign-log.js';
export { signingLaneOf } from './sequencing/signing-lanes.js';
export { sequenceEntries } from './sequencing/sequence-entries.js';
export { longestWait } from './sequencing/waiting-logs.js';
export { createSequencer } from './sequencing/sequencer.js';
export {
  createSequencerMetrics,
  type SequencerMetrics,
  type SequencingFailure,
} from './sequencing/sequencer-metrics.js';
export { checkpointOfNow } from './sequencing/checkpoint-of-now.js';
export {
  countLoggedEntries,
  exportPieces,
  exportText,
  loggedEntries,
  type LoggedEntry,
} from './exporting/export-log.js';
export type { ExportedEntry } from './reading/exported-entry.js';
export { selectActivity, type LogScope } from './reading/select-activity.js';
export { type LogVerification, type VerifyLogOptions } from './verification/log-verifier.js';
export { receiptKeys } from './verification/receipt-keys.js';
export { verifyExportedLog } from './verification/verify-exported-log.js';
export { verifyLogFile } from './verification/verify-log-file.js';

export { type ErasedValues, requireFormerMember } from './reading/erase-former-member.js';
export { beginErasure, completeErasure, isErasureUnderWay, sweepErasures } from './reading/erasures.js';
export { retainedMembers, retainedValues } from './reading/retained-values.js';
export {
  exportActivityLog,
  LogExporter,
  logExported,
  MAX_EXPORTED_ENTRIES,
} from './exporting/export-activity-log.js';
export { startLogExport } from './exporting/start-log-export.js';
export { followActivity, type AddedActivity } from './reading/follow-activity.js';
export {
  listActivity,
  listActivityOf,
  type ActivityPage,
  type ListActivityInput,
} from './reading/list-activity.js';
export { readCheckpoint, readConsistencyProof, readInclusionProof } from './reading/read-log.js';
export { ActivityConnection, ActivityCriteria, LogSigningKeyType } from './activity-log.type.js';
