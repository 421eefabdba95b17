import { describe, expect, it } from '@jest/globals';
import { verifyLogFile, type VerifyLogOptions } from '../../../src/domain/activity-log/index.js';
import { statementText } from '../../../src/domain/activity-log/key-statement.js';
import {
  generateSigningKey,
  inclusionRanges,
  leafHash,
  rangeHash,
  sign,
  signCheckpoint,
  signNote,
  tileAppender,
  verifierKey,
} from '../../../src/platform/crypto/index.js';
import { base64 } from '../../../src/platform/kernel/encoding/bytes.js';
import { canonicalJson, type JsonObject } from '../../../src/platform/kernel/encoding/json.js';
import { failuresOf, type FileEntry, type LogFile } from './exported-log.js';

/** A key of a forger or an organization, with all that it can sign. */
interface Signer {
  readonly name: string;
  readonly publicKey: Uint8Array;
  readonly key: string;
  sign(message: Uint8Array): Uint8Array;
}

describe('a verifier that follows changes of keys', () => {
  const origin = 'lucarne.example/log/org_1';
  const signerOf = (): Signer => {
    const { secret, publicKey } = generateSigningKey();
    const key = verifierKey(origin, publicKey);
    return { name: origin, publicKey, key, sign: (message) => sign(secret, message) };
  };
  const [first, second, third, fourth] = [signerOf(), signerOf(), signerOf(), signerOf()];
  const rotation = (
    previous: Signer,
    next: Signer,
    by: readonly [Signer, ...Signer[]] = [previous, next],
  ) => ({
    event_type: 'signing_key.rotated',
    details: {
      statement: signNote(
        statementText(origin, { type: 'signing_key.rotated', previous: previous.key, next: next.key }),
        ...by,
      ),
    },
  });
  const compromise = (key: Signer, fromIndex: number, by: Signer) => ({
    event_type: 'signing_key.compromised',
    details: {
      statement: signNote(
        statementText(origin, { type: 'signing_key.compromised', key: key.key, fromIndex }),
        by,
      ),
    },
  });
  const other = { event_type: 'asset.created', details: {} };

  /** The log of these entries, signed by a key; its changes of keys are those of the entries. */
  function logOf(signer: Signer, ...entries: readonly JsonObject[]): LogFile {
    const appender = tileAppender(0, []);
    for (const entry of entries) appender.append(leafHash(canonicalJson(entry)));
    const file: FileEntry[] = entries.map((entry, index) => ({
      index,
      entry,
      salts: {},
      proof: inclusionRanges(index, entries.length).map((range) =>
        base64.encode(rangeHash(range, appender.nodes)),
      ),
    }));
    return {
      origin,
      verifier_key: signer.key,
      checkpoint: signCheckpoint({ origin, size: entries.length, root: appender.root() }, signer),
      key_changes: file.filter(({ entry }) => String(entry['event_type']).startsWith('signing_key.')),
      entries: file,
    };
  }
  const faults = (file: LogFile, options: VerifyLogOptions = {}) => failuresOf(verifyLogFile(file, options));
  const withoutChange = (at: number, file: LogFile) => ({
    ...file,
    key_changes: file.key_changes.toSpliced(at, 1),
  });

  it('accepts what each key signed in its turn', () => {
    const file = logOf(third, rotation(first, second), compromise(first, 0, second), rotation(second, third));
    expect(faults(file, { verifierKey: first.key })).toEqual([]);
  });

  it.each<[string, LogFile, RegExp]>([
    [
      'a change is left out of the middle',
      withoutChange(
        1,
        logOf(fourth, rotation(first, second), rotation(second, third), rotation(third, fourth)),
      ),
      /replaces another key than the last one: a change of keys is missing\. Export the log again\.$/,
    ],
    [
      'one key has two successors',
      logOf(third, rotation(first, second), rotation(first, third)),
      /Entries 0 and 1 name two successors of the same key\. Keep the file, and ask/,
    ],
    [
      'another key signed the rotation',
      logOf(second, rotation(first, second, [third, second])),
      /not signed by the key that it replaces and by the new one\. Do not trust the new key/,
    ],
    [
      'nobody has the new key',
      logOf(second, rotation(first, second, [first])),
      /not signed by the key that it replaces and by the new one/,
    ],
    [
      'a rotation goes back to a key that was replaced',
      logOf(first, rotation(first, second), rotation(second, first)),
      /goes back to a key that was replaced/,
    ],
    [
      'a key has the wrong size',
      logOf(second, rotation({ ...first, key: first.key.slice(0, -4) }, second)),
      /names a malformed verifier key: one of this log has its name and 32 bytes/,
    ],
    [
      'the old key signed the compromise of itself',
      logOf(second, rotation(first, second), compromise(first, 0, first)),
      /The compromise in entry 1 is not signed by the key that was in use/,
    ],
    [
      'a compromise is of a key that was not replaced',
      logOf(second, rotation(first, second), compromise(second, 0, second)),
      /declares a key compromised that the log has not replaced/,
    ],
    [
      'the statement is of another log',
      logOf(second, {
        event_type: 'signing_key.rotated',
        details: { statement: rotation(first, second).details.statement.replaceAll('org_1', 'org_2') },
      }),
      /states no change of the keys of this log/,
    ],
    [
      'the last key is not the one of the file',
      logOf(third, rotation(first, second)),
      /lead to another key than the one that signed the checkpoint\. Export the log again\.$/,
    ],
  ])('refuses in one sentence that says what to do: %s', (_, file, sentence) => {
    expect(faults(file)).toEqual([expect.stringMatching(sentence)]);
  });

  it('refuses a change of keys that is not in the log, and an entry that the changes leave out', () => {
    const file = logOf(second, other, rotation(first, second));
    expect(faults({ ...file, key_changes: [] })).toEqual([
      expect.stringMatching(/^keys: Entry 1 changes the keys of the log, and the file leaves it out/),
    ]);
    const unlogged = { ...file, key_changes: [{ ...file.key_changes[0]!, index: 0 }] };
    expect(faults(unlogged)).toEqual([expect.stringContaining('its proof does not lead to the checkpoint')]);
  });

  it.each([Number.NaN, -1, 1.5])('refuses a compromise from index %s on', (fromIndex) => {
    const file = logOf(second, rotation(first, second), compromise(first, fromIndex, second));
    expect(failuresOf(verifyLogFile(file))).toEqual([
      expect.stringContaining('Entry 1 states no change of the keys of this log.'),
    ]);
  });
});
