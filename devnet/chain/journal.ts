import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { replaceFile } from '../../src/platform/kernel/whole-file.js';
import type { ExecutionOutcome } from './svm-runtime.js';

/** Everything that changed the ledger, in order. Wire bytes and programs are base64, times milliseconds. */
export type JournalEntry =
  | { readonly type: 'genesis'; readonly genesisHash: string; readonly time: number }
  | {
      readonly type: 'transaction';
      readonly slot: number;
      readonly time: number;
      readonly wire: string;
      readonly outcome: ExecutionOutcome;
    }
  | { readonly type: 'program'; readonly address: string; readonly elf: string }
  | { readonly type: 'blocks'; readonly skipped: number }
  | { readonly type: 'slots'; readonly skipped: number };

/** The state of the accounts after the first `entries` entries of the journal. */
export interface Snapshot {
  readonly entries: number;
  readonly accounts: Uint8Array;
}

export interface Journal {
  /** What was stored, oldest first; called once, before anything is appended. */
  read(): JournalEntry[];
  append(entry: JournalEntry): void;
  readSnapshot(): Snapshot | undefined;
  writeSnapshot(snapshot: Snapshot): void;
  close(): void;
}

/** The stored ledger cannot be trusted; the message says what to do. */
export class DamagedLedger extends Error {
  override readonly name = 'DamagedLedger';
}

/** A ledger that lives as long as its process. */
export const noJournal: Journal = {
  read: () => [],
  append: () => undefined,
  readSnapshot: () => undefined,
  writeSnapshot: () => undefined,
  close: () => undefined,
};

// The snapshot is only a shortcut through the journal, so one made by other versions is ignored, not migrated.
const SNAPSHOT_FORMAT = 'lucarne-ledger-snapshot 1 litesvm-1.5.0';
const CHECKSUM_DIGITS = 16;

/**
 * A journal in `directory`: a line of checksum and JSON for each entry, written before the client gets its answer,
 * and a separate snapshot of the accounts. A line cut short by a crash was never answered and is dropped; damage
 * anywhere else is a `DamagedLedger`.
 */
export class FileJournal implements Journal {
  private readonly journalFile: string;
  private readonly snapshotFile: string;
  private descriptor: number | undefined;
  private failure: Error | undefined;

  constructor(private readonly directory: string) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.journalFile = path.join(directory, 'journal.jsonl');
    this.snapshotFile = path.join(directory, 'accounts.snapshot');
  }

  read(): JournalEntry[] {
    const text = readIfThere(this.journalFile)?.toString('utf8') ?? '';
    const end = text.lastIndexOf('\n') + 1;
    if (end < text.length) truncateSync(this.journalFile, Buffer.byteLength(text.slice(0, end)));
    const lines = text.slice(0, end).split('\n').slice(0, -1);
    return lines.map((line, index) => this.parse(line, index));
  }

  append(entry: JournalEntry): void {
    // After a line that could not be written whole, another would turn a torn end into damage in the middle.
    if (this.failure !== undefined) throw this.failure;
    try {
      this.descriptor ??= openSync(this.journalFile, 'a', 0o600);
      const text = JSON.stringify(entry);
      writeAll(this.descriptor, Buffer.from(`${checksum(text)} ${text}\n`));
    } catch (cause) {
      this.failure = new Error('The local ledger cannot write its journal; free the disk and restart.', {
        cause,
      });
      throw this.failure;
    }
  }

  readSnapshot(): Snapshot | undefined {
    const file = readIfThere(this.snapshotFile);
    const end = file?.indexOf('\n') ?? -1;
    if (file === undefined || end < 0) return undefined;
    const [format, entries, digest] = file.subarray(0, end).toString('utf8').split('|');
    const accounts = new Uint8Array(file.subarray(end + 1));
    if (format !== SNAPSHOT_FORMAT || digest !== checksum(accounts)) return undefined;
    return { entries: Number(entries), accounts };
  }

  writeSnapshot({ entries, accounts }: Snapshot): void {
    // The journal must be on disk before a snapshot that counts its entries, or a power cut could leave it ahead.
    if (this.descriptor !== undefined) fsyncSync(this.descriptor);
    const head = Buffer.from(`${SNAPSHOT_FORMAT}|${entries}|${checksum(accounts)}\n`);
    replaceFile(this.snapshotFile, Buffer.concat([head, accounts]));
  }

  close(): void {
    if (this.descriptor !== undefined) closeSync(this.descriptor);
    this.descriptor = undefined;
  }

  private parse(line: string, index: number): JournalEntry {
    const text = line.slice(CHECKSUM_DIGITS + 1);
    if (line.slice(0, CHECKSUM_DIGITS) !== checksum(text)) throw this.damaged(`line ${index + 1}`);
    return JSON.parse(text) as JournalEntry;
  }

  damaged(what: string): DamagedLedger {
    return new DamagedLedger(
      `The local ledger in ${this.directory} is damaged (${what}). Remove that folder to start an empty ledger.`,
    );
  }
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  let written = 0;
  while (written < bytes.length) written += writeSync(descriptor, bytes, written);
}

function checksum(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex').slice(0, CHECKSUM_DIGITS);
}

function readIfThere(file: string): Buffer | undefined {
  return existsSync(file) ? readFileSync(file) : undefined;
}
