import type { AmountFile } from '../../../src/domain/disclosures/verification/verify-amount-file.js';

/** A change of the keys of a log, with the proof that the log holds it. */
export interface KeyChange {
  readonly index: number;
  /** The RFC 8785 text of the entry. */
  readonly entry: string;
  readonly inclusion: readonly string[];
}

/** A key that signs a log, or signed it earlier. */
export interface LogKey {
  readonly verifierKey: string;
  /** Do not trust entries from this index on that only this key signed. */
  readonly compromisedFrom?: number;
}

/**
 * A report as it is shown, and the type of the entry that records it. The SHA-256 is in hex, and the salt of its digest in the
 * log in base64: null for who may not download it.
 */
export interface ShownReport {
  readonly id: string;
  readonly eventType: string;
  readonly sha256: string | null;
  readonly salt: string | null;
}

/** The questions to the verification worker. Their content is untrusted. */
export type Question =
  /** Nothing: the thread is there once it answers. */
  | { readonly ask: 'ready' }
  | {
      readonly ask: 'checkpoint';
      readonly note: string;
      readonly verifierKey: string;
      readonly keyChanges: readonly KeyChange[];
      /** The organization whose log it must be. */
      readonly organizationId?: string;
      /** What this browser saw before, with the proof that the log continues it. */
      readonly before?: {
        readonly note: string;
        readonly verifierKey: string;
        readonly hashes: readonly string[];
      };
    }
  | {
      readonly ask: 'entry';
      readonly note: string;
      readonly verifierKey: string;
      readonly keyChanges: readonly KeyChange[];
      readonly index: number;
      /** The RFC 8785 text of the entry as it stands in the tree. */
      readonly entry: string;
      /** By JSON pointer into the entry, what opens its personal values. */
      readonly salts: Readonly<Record<string, unknown>>;
      readonly hashes: readonly string[];
      /** What the page shows of the entry, by the members of the entry: each must be what was logged. */
      readonly shown: Readonly<Record<string, unknown>>;
      /** The page shows only the index, of the entry that records this report. */
      readonly report?: ShownReport | undefined;
    }
  | {
      readonly ask: 'amount';
      readonly file: AmountFile;
    }
  | {
      readonly ask: 'file';
      readonly file: File;
      readonly expectedSha256?: string;
      /** What the gateway says of the file, which shows nothing by itself. */
      readonly toldSha256?: string;
      /** What an entry of the log holds of the file: hex of SHA-256(salt ‖ SHA-256), with the salt in base64. */
      readonly logged?: { readonly saltedSha256: string; readonly salt: string };
      /** A key of the organization, of today or earlier, as it is known from elsewhere (C2SP). */
      readonly verifierKey?: string;
      /** An export of the log, or a checkpoint with its key changes: they lead to the key of a receipt. */
      readonly keys?: File;
    }
  /** The next part of an export of the log, after those before it. */
  | {
      readonly ask: 'log part';
      readonly text: string;
      readonly isFirst: boolean;
      readonly isLast: boolean;
      /** Whether the export must have every entry of the log. */
      readonly isWhole: boolean;
      /** The checkpoint of the export, and its key. */
      readonly note: string;
      readonly verifierKey: string;
    }
  /** A tree of entries is that of the older one, with more after it. The roots are in base64. */
  | {
      readonly ask: 'continues';
      readonly older: { readonly size: number; readonly root: string };
      readonly newer: { readonly size: number; readonly root: string };
      readonly hashes: readonly string[];
    }
  /** `knownKeys` are the log's keys that this browser remembers: one of them signs receipts. */
  | { readonly ask: 'disclosure'; readonly file: unknown; readonly knownKeys?: readonly LogKey[] }
  | {
      readonly ask: 'relay receipt';
      readonly receipt: unknown;
      readonly evidence?: unknown;
      readonly knownKeys?: readonly LogKey[];
    }
  /** The RFC 8785 form of `value` has this SHA-256, in hex. */
  | { readonly ask: 'digest'; readonly value: unknown; readonly sha256: string };

/** One thing that was looked at. */
export interface Finding {
  readonly name: string;
  readonly passed: boolean;
  readonly detail: string;
}

/** What was found out in this browser. */
export interface Verdict {
  readonly holds: boolean;
  readonly findings: readonly Finding[];
  /** What this check cannot show. */
  readonly unverified: readonly string[];
  /** When this browser checked it, in milliseconds of its clock. Absent for what the page saw without the checking thread. */
  readonly checkedAt?: number;
  readonly kind?: 'disclosure' | 'log' | 'relay receipt' | 'checkpoint' | 'amount' | 'other';
  readonly sha256?: string;
  /** What a checkpoint says that is signed, also where it is not of the log that this browser saw. */
  readonly checkpoint?: { readonly size: number; readonly origin: string; readonly root: string };
  /** The keys of the log, where they follow from each other. */
  readonly keys?: readonly LogKey[];
}
