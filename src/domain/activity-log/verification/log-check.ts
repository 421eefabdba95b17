import type { Verification, VerificationCheck } from '../../../platform/kernel/verification.js';
import type { FileEntry } from './file-entry.js';

type CheckName = 'file' | 'checkpoint' | 'keys' | 'entries' | 'salts' | 'proofs' | 'complete' | 'since';
export type LogCheck = VerificationCheck<CheckName>;
export type LogVerification = Verification<CheckName>;

/** A failed check says why by throwing. */
export class Failure extends Error {}

/** One check of the entries, told of each. */
export interface EntryCheck {
  readonly name: LogCheck['name'];
  /** @throws {Failure} */
  add(entry: FileEntry, leaf: Uint8Array): void;
  /** What was found, for a person to read. @throws {Failure} */
  finish(): string;
}
