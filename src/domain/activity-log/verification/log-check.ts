import type { Verification, VerificationCheck } from '../../../platform/kernel/verification.js';
import type { FileEntry } from './file-entry.js';

type CheckName = 'file' | 'checkpoint' | 'keys' | 'entries' | 'salts' | 'proofs' | 'complete' | 'since';
export type LogCheck = VerificationCheck<CheckName>;
export type LogVerification = Verification<CheckName>;

/** One check, called for each entry. */
export interface EntryCheck {
  readonly name: LogCheck['name'];
  /** @throws `CheckFailed` */
  add(entry: FileEntry, leaf: Uint8Array): void;
  /** The result as a sentence. @throws `CheckFailed` */
  finish(): string;
}
