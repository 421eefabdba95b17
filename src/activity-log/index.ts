export { ActivityEntry } from './activity-entry.entity.js';
export { EVENT_TYPES, isEventType, type EventType } from './event-types.js';
export {
  openPersonalValues,
  personal,
  pointersOfPerson,
  type LogObject,
  type Salts,
} from './personal-values.js';
export { GATEWAY, OPERATOR, recordActivity, type Activity, type Actor } from './record-activity.js';
export { organizationSigner, type OrganizationSigner } from './signing-key.js';
export { newestCheckpoint, type SignedCheckpoint } from './checkpoints.js';
export { holdLog, InconsistentLog, logTopic, sequenceEntries } from './sequence-entries.js';
export {
  createSequencer,
  longestWait,
  sequenceAll,
  type SequencerMetrics,
  type SequencingFailure,
} from './sequencer.js';
export { checkpointOfNow } from './checkpoint-of-now.js';
export {
  countLoggedEntries,
  exportEntries,
  exportHeader,
  exportPieces,
  exportText,
  loggedEntries,
  type ExportedEntry,
  type LoggedEntry,
} from './export-log.js';
export { consistencyProof, inclusionProofs } from './log-proofs.js';
export {
  activityConditions,
  newestIndex,
  selectActivity,
  selectSequenced,
  type ActivityFilters,
  type LogScope,
  type ReadableEntry,
} from './select-activity.js';
export { type LogCheck, type LogVerification, type VerifyLogOptions } from './log-verifier.js';
export { verifyExportedLog } from './verify-exported-log.js';
export { verifyLogFile } from './verify-log-file.js';
