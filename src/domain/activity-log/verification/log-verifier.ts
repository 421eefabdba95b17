import {
  HASH_LENGTH,
  inclusionVerifier,
  leafHash,
  openCheckpoint,
  parseVerifierKey,
  sha256,
  type Checkpoint,
} from '../../../platform/crypto/index.js';
import { base64, hex } from '../../../platform/kernel/encoding/bytes.js';
import { messageOf } from '../../../platform/kernel/errors.js';
import {
  canonicalJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../../platform/kernel/encoding/json.js';
import { CheckFailed } from '../../../platform/kernel/verification.js';
import { type FileEntry, hasOnly } from './file-entry.js';
import type { PlainEntry, ShownEntries, Tree } from './plain-entry.js';
import { SALT_BYTES } from '../personal-values.js';
import {
  type ChainedKey,
  doubtOf,
  followKeys,
  indexOfExpected,
  limitsOfBreaks,
  requireListed,
  requireLogged,
} from './key-chain.js';
import { type EntryCheck, type LogCheck, type LogVerification } from './log-check.js';
import { sinceCheck } from './since-check.js';
import { attempt } from '../../../platform/kernel/encoding/attempt.js';

export type { LogVerification } from './log-check.js';

export interface VerifyLogOptions {
  /** A current or earlier key of the log, known from another source (C2SP). Without it the key in the file is trusted. */
  readonly verifierKey?: string;
  /** An older checkpoint of the same log. The file must continue it. */
  readonly since?: string;
  /** Whether every entry that the checkpoint counts must be in the file. */
  readonly complete?: boolean;
}

/** The header of a file, which describes its log. */
export interface FileHeader {
  readonly origin: string;
  readonly verifierKey: string;
  readonly checkpoint: string;
  /** The entries that changed the keys of the log. */
  readonly keyChanges?: readonly FileEntry[];
}

export const KEY_LIMIT =
  'Who owns the key that signed the checkpoint. Compare it with the key that your organization publishes (--key).';

/** A leaf that no log can have, for an entry that has no canonical form: its proof leads nowhere. */
const NO_LEAF = new Uint8Array(0);

/** Checks the entries of a file, in order, against the checkpoint at the beginning of the file. */
export class LogVerifier {
  readonly #options: VerifyLogOptions;
  readonly #checkpoint: LogCheck;
  readonly #checks: ReturnType<typeof entryChecks> | undefined;
  readonly #size: number;
  readonly #tree: Tree | undefined;
  /** Why the expected key cannot vouch for its successor. */
  readonly #doubt: string | undefined;
  readonly #breaks: readonly string[] = [];
  /** The first failure of each check. A failed check is not called again. */
  readonly #failures = new Map<LogCheck['name'], string>();
  #count = 0;

  constructor(file: FileHeader, options: VerifyLogOptions) {
    this.#options = options;
    try {
      const { checkpoint, keys, expectedAt } = signedCheckpoint(file, options);
      this.#size = checkpoint.size;
      this.#tree = checkpoint;
      this.#doubt = expectedAt === undefined ? undefined : doubtOf(keys, expectedAt);
      if (expectedAt === undefined) this.#breaks = limitsOfBreaks(keys);
      this.#checks = entryChecks(file, checkpoint, keys, options);
      const detail = `Signed by ${file.verifierKey} for ${checkpoint.size} entries.`;
      this.#checkpoint = { name: 'checkpoint', passed: true, detail };
    } catch (thrown) {
      // Without a signed tree there is nothing to check the rest against.
      this.#size = 0;
      this.#checkpoint = { name: 'checkpoint', passed: false, detail: messageOf(thrown) };
    }
  }

  /** The tree that entries are checked against, if it is signed. */
  get tree(): Tree | undefined {
    return this.#tree;
  }

  /** Whether nothing has failed so far. */
  get holds(): boolean {
    return this.#checkpoint.passed && this.#failures.size === 0;
  }

  /** Checks the next entry. */
  add(entry: FileEntry): void {
    this.#count += 1;
    if (!this.#checks) return;
    const leaf = leafOf(entry);
    for (const check of Object.values(this.#checks)) this.#hold(check, () => check.add(entry, leaf));
  }

  /** Adds the next entry if it and all earlier entries pass every check. Otherwise nothing changes. */
  addPlain({ index, leaf, proof, opened }: PlainEntry): boolean {
    if (!this.#checks || this.#failures.size > 0) return false;
    const { entries, salts, proofs, complete, since } = this.#checks;
    if (!entries.isNext(index) || !proofs.shows(index, leaf, proof)) return false;
    entries.advance(index);
    salts.count(opened);
    proofs.count();
    complete.add();
    since?.append(index, leaf);
    this.#count += 1;
    return true;
  }

  /** Adds the next entries if they continue the earlier ones and none of those failed. Otherwise nothing changes. */
  addShown({ indexes, leaves, opened }: ShownEntries): boolean {
    if (!this.#checks || this.#failures.size > 0) return false;
    const { entries, salts, proofs, complete, since } = this.#checks;
    const isNext = (index: number, at: number) =>
      at === 0 ? entries.isNext(index) : index > indexes[at - 1]!;
    if (!indexes.every(isNext)) return false;
    salts.count(opened);
    indexes.forEach((index, at) => {
      entries.advance(index);
      proofs.count();
      complete.add();
      since?.append(index, leaves.subarray(at * HASH_LENGTH, (at + 1) * HASH_LENGTH));
    });
    this.#count += indexes.length;
    return true;
  }

  /** The result, after all entries were added. */
  finish(): LogVerification {
    const checks: LogCheck[] = [
      { name: 'file', passed: true, detail: `An export of ${this.#count} entries.` },
      this.#checkpoint,
    ];
    for (const check of Object.values(this.#checks ?? {})) {
      let detail = '';
      this.#hold(check, () => (detail = check.finish()));
      const failure = this.#failures.get(check.name);
      checks.push({ name: check.name, passed: failure === undefined, detail: failure ?? detail });
    }
    return { valid: checks.every(({ passed }) => passed), checks, unverified: this.#limits() };
  }

  #hold({ name }: EntryCheck, run: () => void): void {
    if (this.#failures.has(name)) return;
    try {
      run();
    } catch (thrown) {
      this.#failures.set(name, messageOf(thrown));
    }
  }

  #limits(): string[] {
    const { verifierKey, since } = this.#options;
    return [
      ...(verifierKey === undefined ? [KEY_LIMIT] : []),
      ...(this.#doubt === undefined ? [] : [this.#doubt]),
      ...this.#breaks,
      ...(since === undefined
        ? [
            'That the log was never rewritten. Keep a checkpoint, and compare later exports with it (--since).',
          ]
        : []),
      ...(this.#checks && this.#count < this.#size
        ? [
            'What the missing entries say, and that a partial export has all the entries that it should have.',
            'That the file has all key changes and all declarations of compromised keys. A complete export of the log has them.',
          ]
        : []),
      'That actions were logged as they happened. The proofs only show that entries were not changed after they were logged.',
    ];
  }
}

interface SignedTree {
  readonly checkpoint: Checkpoint;
  /** The keys that signed the log, in order. The last one signed the checkpoint. */
  readonly keys: readonly ChainedKey[];
  /** The position of the expected key among them. */
  readonly expectedAt: number | undefined;
}

function signedCheckpoint(file: FileHeader, { verifierKey: expected }: VerifyLogOptions): SignedTree {
  const { origin, verifierKey, keyChanges = [] } = file;
  const key = parseVerifierKey(verifierKey);
  if (!key) throw new CheckFailed('The verifier key is malformed.');
  if (key.name !== origin) throw new CheckFailed('The verifier key names a different log than the file.');
  const keys = followKeys(origin, keyChanges, verifierKey);
  const expectedAt = expected === undefined ? undefined : indexOfExpected(keys, expected);
  const checkpoint = openCheckpoint(file.checkpoint, key);
  if (!checkpoint) throw new CheckFailed('The checkpoint is malformed, or not signed by the verifier key.');
  requireLogged(checkpoint, keyChanges);
  return { checkpoint, keys, expectedAt };
}

/** In the order of the report. */
const entryChecks = (
  file: FileHeader,
  checkpoint: Checkpoint,
  keys: readonly ChainedKey[],
  options: VerifyLogOptions,
) => ({
  keys: keysCheck(file, keys),
  entries: orderCheck(checkpoint),
  salts: saltsCheck(),
  proofs: proofsCheck(checkpoint),
  complete: completenessCheck(checkpoint, options),
  ...(options.since !== undefined && {
    since: sinceCheck(checkpoint, keys, options.since, options.verifierKey),
  }),
});

function keysCheck({ keyChanges = [] }: FileHeader, keys: readonly ChainedKey[]) {
  const listed = new Set(keyChanges.map(({ index }) => index));
  return {
    name: 'keys',
    add: (entry) => requireListed(entry, listed),
    finish() {
      if (keys.length === 1) return 'According to the file, one key signed the log.';
      const compromised = keys.filter(({ compromisedFrom }) => compromisedFrom !== undefined).length;
      const lost = keys.filter(({ lostAt }) => lostAt !== undefined).length;
      if (lost > 0)
        return `${keys.length} keys signed the log in turn, but the chain is broken. Keys declared lost, which named no successor: ${lost}. Keys declared compromised: ${compromised}.`;
      return compromised === 0
        ? `${keys.length} keys signed the log in turn. Each key named the next one.`
        : `${keys.length} keys signed the log in turn. Each key named the next one. Keys declared compromised: ${compromised}.`;
    },
  } satisfies EntryCheck;
}

const leafOf = ({ entry }: FileEntry): Uint8Array => attempt(() => leafHash(canonicalJson(entry))) ?? NO_LEAF;

function orderCheck({ size }: Checkpoint) {
  let previous = -1;
  return {
    name: 'entries',
    add({ index }) {
      if (index < 0 || index >= size)
        throw new CheckFailed(`Entry ${index} is not in the log: the checkpoint covers ${size} entries.`);
      if (index === previous) throw new CheckFailed(`Entry ${index} appears twice.`);
      if (index < previous)
        throw new CheckFailed(`Entry ${index} follows entry ${previous}: entries are out of order.`);
      previous = index;
    },
    isNext: (index: number) => index > previous && index < size,
    advance: (index: number) => void (previous = index),
    finish: () => 'The entries are in the order of the log, and none appears twice.',
  } satisfies EntryCheck & Record<string, unknown>;
}

function saltsCheck() {
  let opened = 0;
  return {
    name: 'salts',
    add({ index, entry, salts }) {
      for (const [pointer, opening] of Object.entries(salts)) {
        const digest = valueAt(entry, pointer);
        if (!isDigest(digest)) throw new CheckFailed(`Entry ${index} has no digest at ${pointer}.`);
        const { salt, value } = isJsonObject(opening) ? opening : {};
        const bytes = typeof salt === 'string' ? base64.decode(salt) : undefined;
        if (!bytes || typeof value !== 'string' || !hasOnly(opening as object, ['salt', 'value']))
          throw new CheckFailed(`The salt of entry ${index} at ${pointer} is malformed.`);
        if (bytes.length !== SALT_BYTES)
          throw new CheckFailed(`The salt of entry ${index} at ${pointer} must have ${SALT_BYTES} bytes.`);
        // UTF-8 has one encoding for U+FFFD and for every lone surrogate.
        if (!value.isWellFormed())
          throw new CheckFailed(`The value of entry ${index} at ${pointer} is not Unicode text.`);
        if (hex.encode(sha256(bytes, value)) !== digest.sha256)
          throw new CheckFailed(`The value of entry ${index} at ${pointer} is not the one that was logged.`);
        opened += 1;
      }
    },
    count: (more: number) => void (opened += more),
    finish: () => `${opened} personal values match the digests that were logged.`,
  } satisfies EntryCheck & Record<string, unknown>;
}

function proofsCheck({ size, root }: Checkpoint) {
  const shows = inclusionVerifier(size, root);
  // Adjacent entries share most of their proofs, so decoded hashes are cached for the next one.
  let [texts, hashes]: [readonly string[], readonly Uint8Array[]] = [[], []];
  let shown = 0;
  return {
    name: 'proofs',
    add({ index, proof }, leaf) {
      const ahead = proof.length - texts.length;
      const decoded = proof.map((text, position) => {
        const known = position - ahead;
        return texts[known] === text ? hashes[known]! : base64.decode(text);
      });
      if (!decoded.every((hash) => hash !== undefined))
        throw new CheckFailed(`The proof of entry ${index} is not base64.`);
      if (!shows(index, leaf, decoded)) {
        throw new CheckFailed(
          `Entry ${index} is not the entry that was logged at this index: its proof does not match the checkpoint.`,
        );
      }
      [texts, hashes] = [proof, decoded];
      shown += 1;
    },
    shows,
    count: () => void (shown += 1),
    finish: () => `${shown} entries are in the signed tree, each at its index.`,
  } satisfies EntryCheck & Record<string, unknown>;
}

function completenessCheck({ size }: Checkpoint, { complete }: VerifyLogOptions) {
  let count = 0;
  return {
    name: 'complete',
    add: () => void (count += 1),
    finish() {
      if (count === size) return `The file has all ${size} entries of the log.`;
      if (complete)
        throw new CheckFailed(`The file has ${count} of ${size} entries. The others were left out.`);
      return `The file has ${count} of ${size} entries. It covers a part of the log, or entries were left out.`;
    },
  } satisfies EntryCheck;
}

/** RFC 6901. */
function valueAt(entry: JsonObject, pointer: string): JsonValue | undefined {
  const [before, ...tokens] = pointer.split('/');
  if (before !== '') return undefined;
  let current: JsonValue | undefined = entry;
  for (const token of tokens) {
    const member: string = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, member)) return undefined;
    current = (current as JsonObject)[member];
  }
  return current;
}

function isDigest(value: unknown): value is { readonly sha256: string } {
  return isJsonObject(value) && Object.keys(value).length === 1 && typeof value['sha256'] === 'string';
}
