import { describe, expect, it } from '@jest/globals';
import {
  receiptKeys,
  verifyLogFile,
  type VerifyLogOptions,
} from '../../../../src/domain/activity-log/index.js';
import { verifierKey } from '../../../../src/platform/crypto/index.js';
import { failuresOf, type LogFile } from '../exporting/exported-log.js';
import { chainOf } from './key-chain-kit.js';

describe('a verifier that follows key changes', () => {
  const { signerOf, rotation, loss, compromise, logOf, logBy } = chainOf('lucarne.example/log/org_1');
  const [first, second, third, fourth] = [signerOf(), signerOf(), signerOf(), signerOf()];
  const other = { event_type: 'asset.created', details: {} };
  const faults = (file: LogFile, options: VerifyLogOptions = {}) => failuresOf(verifyLogFile(file, options));
  const withoutChange = (at: number, file: LogFile) => ({
    ...file,
    key_changes: file.key_changes.toSpliced(at, 1),
  });

  const swapped = (file: LogFile) => ({ ...file, key_changes: file.key_changes.toReversed() });

  const withAddedRotation = () => {
    const file = logOf(third, rotation(first, second), other);
    const added = { ...file.entries[1]!, entry: rotation(second, third) };
    return { ...file, key_changes: [...file.key_changes, added] };
  };

  it('accepts what each key signed while it was in use', () => {
    const file = logOf(third, rotation(first, second), compromise(first, 0, second), rotation(second, third));
    expect(faults(file, { verifierKey: first.key })).toEqual([]);
  });

  it('recognizes a key by its name on receipts, too', () => {
    const file = logOf(second, rotation(first, second), compromise(first, 0, second));
    const named = verifierKey('lucarne.example/org_1', first.publicKey);
    expect(faults(file, { verifierKey: named })).toEqual([]);
    expect(verifyLogFile(file, { verifierKey: named }).unverified).toContainEqual(
      expect.stringContaining('That your organization chose the key after the expected key'),
    );
    expect(faults(file, { verifierKey: verifierKey('lucarne.example/org_1', third.publicKey) })).toEqual([
      expect.stringContaining('None of the keys that signed the log is the expected key'),
    ]);
  });

  describe('after a key was declared lost', () => {
    const file = logOf(third, rotation(first, second), loss(second, third), other);
    const since = logOf(second, rotation(first, second)).checkpoint;

    it('reports that the chain is broken there, and that the current key must be compared', () => {
      const { checks, unverified } = verifyLogFile(file, {});
      expect(checks.filter(({ passed }) => !passed)).toEqual([]);
      expect(checks.map(({ detail }) => detail)).toContainEqual(
        expect.stringContaining('the chain is broken. Keys declared lost, which named no successor: 1'),
      );
      expect(unverified).toContainEqual(
        expect.stringContaining('That the key used after entry 1 belongs to your organization'),
      );
    });

    it('does not trust a later key because of a key known from before the loss', () => {
      for (const { key } of [first, second])
        expect(faults(file, { verifierKey: key })).toEqual([
          expect.stringMatching(/broken after the expected key\. Entry 1 declares .* Get the current key/),
        ]);
      expect(faults(file, { since })).toEqual([
        expect.stringMatching(
          /^since: Entry 1 declares that the key of the older checkpoint, or a later key, was lost/,
        ),
      ]);
    });

    it('verifies the log again with the current key, which vouches for all earlier entries', () => {
      const options = { verifierKey: third.key, since };
      expect(faults(file, options)).toEqual([]);
      expect(verifyLogFile(file, options).unverified.join(' ')).not.toContain('declared lost');
      const keys = receiptKeys(file, third.key);
      const [organizationId, verifierKeyOfFirst] = ['org_1', verifierKey('lucarne/org_1', first.publicKey)];
      expect(keys.signerOf({ organizationId, verifierKey: verifierKeyOfFirst, signature: '' })).toContain(
        'is broken',
      );
      expect(keys.unverified.join(' ')).not.toContain('declared lost');
    });

    it('is refused if the new key did not sign, or if the lost key has another successor', () => {
      expect(faults(logOf(third, loss(first, third, second)))).toEqual([
        expect.stringContaining('The declaration of loss in entry 0 is not signed by the new key.'),
      ]);
      expect(faults(logOf(third, rotation(first, second), loss(first, third)))).toEqual([
        expect.stringContaining('Entries 0 and 1 name two successors of the same key.'),
      ]);
    });
  });

  it.each<[string, LogFile, RegExp]>([
    [
      'a change is left out of the middle',
      withoutChange(
        1,
        logOf(fourth, rotation(first, second), rotation(second, third), rotation(third, fourth)),
      ),
      /does not replace the last key: a key change is missing\. Export the log again\.$/,
    ],
    [
      'one key has two successors',
      logOf(third, rotation(first, second), rotation(first, third)),
      /Entries 0 and 1 name two successors of the same key\. Keep the file, and ask/,
    ],
    [
      'another key signed the rotation',
      logOf(second, rotation(first, second, [third, second])),
      /not signed by both the old key and the new key\. Do not trust the new key/,
    ],
    [
      'nobody has the new key',
      logOf(second, rotation(first, second, [first])),
      /not signed by both the old key and the new key/,
    ],
    [
      'a rotation returns to a key that was already replaced',
      logOf(first, rotation(first, second), rotation(second, first)),
      /returns to a key that was already replaced/,
    ],
    [
      'a key has the wrong size',
      logOf(second, rotation({ ...first, key: first.key.slice(0, -4) }, second)),
      /names a malformed verifier key\. A key of this log has the log’s name and 32 bytes/,
    ],
    [
      'the old key signed the compromise of itself',
      logOf(second, rotation(first, second), compromise(first, 0, first)),
      /The declaration of compromise in entry 1 is not signed by the key that was in use/,
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
      /is not a key change of this log/,
    ],
    [
      'the last key is not the one of the file',
      logOf(third, rotation(first, second)),
      /do not lead to the key that signed the checkpoint\. Export the log again\.$/,
    ],
  ])('refuses in one sentence that says what to do: %s', (_, file, sentence) => {
    expect(faults(file)).toEqual([expect.stringMatching(sentence)]);
  });

  it('refuses a key change that is not in the log, and a log entry that is missing from the changes', () => {
    const file = logOf(second, other, rotation(first, second));
    expect(faults({ ...file, key_changes: [] })).toEqual([
      expect.stringMatching(/^keys: Entry 1 changes the keys of the log, but the file does not list it/),
    ]);
    const unlogged = { ...file, key_changes: [{ ...file.key_changes[0]!, index: 0 }] };
    expect(faults(unlogged)).toEqual([expect.stringContaining('its proof does not match the checkpoint')]);
  });

  it('reports for part of a log with a truncated chain that a key change may be missing', () => {
    const whole = logBy([second, first], other, rotation(first, second));
    expect(faults(whole, { verifierKey: first.key })).toEqual([]);
    const cut = { ...whole, verifier_key: first.key, key_changes: [], entries: whole.entries.slice(0, 1) };
    expect(faults(cut, { verifierKey: first.key, complete: true })).toEqual([
      expect.stringContaining('The others were left out'),
    ]);
    expect(faults({ ...cut, entries: whole.entries }, { verifierKey: first.key })).toEqual([
      expect.stringMatching(/^keys: Entry 1 changes the keys of the log, but the file does not list it/),
    ]);
    const { valid, unverified } = verifyLogFile(cut, { verifierKey: first.key });
    expect({ valid, unverified }).toMatchObject({
      valid: true,
      unverified: expect.arrayContaining([expect.stringMatching(/^That the file has all key changes/)]),
    });
    expect(receiptKeys(cut, first.key).unverified).toContainEqual(
      expect.stringContaining('Key changes after the 2 entries'),
    );
  });

  it('does not accept another organization’s key, even if a store returns the same key for both', () => {
    const file = logOf(second, rotation(first, second));
    const foreign = [first, second].map(({ publicKey }) =>
      verifierKey('lucarne.example/log/org_2', publicKey),
    );
    for (const key of foreign) {
      expect(faults(file, { verifierKey: key })).toEqual([
        expect.stringContaining('The expected verifier key and the log belong to different organizations'),
      ]);
      const receipt = { organizationId: 'org_1', verifierKey: second.key, signature: '' };
      expect(() => receiptKeys(file, key).signerOf(receipt)).toThrow('different organizations');
    }
  });

  it.each<[string, LogFile, RegExp]>([
    [
      'the changes stand in another order',
      swapped(logOf(third, rotation(first, second), rotation(second, third))),
      /are not in the order of the log\. Export the log again\.$/,
    ],
    [
      'a rotation is there twice',
      logOf(second, rotation(first, second), rotation(first, second)),
      /Entries 0 and 1 name two successors of the same key/,
    ],
    [
      'a key follows itself',
      logOf(first, rotation(first, first)),
      /returns to a key that was already replaced/,
    ],
    [
      'a rotation is added that the log does not have',
      withAddedRotation(),
      /The key change in entry 1 is not in the log: its proof does not match/,
    ],
    [
      'the first rotation is left out, and its key is expected',
      withoutChange(0, logOf(third, rotation(first, second), rotation(second, third))),
      /None of the keys that signed the log is the expected key/,
    ],
  ])('refuses what an insider does to the changes: %s', (_, file, sentence) => {
    expect(faults(file, { verifierKey: first.key })).toEqual([expect.stringMatching(sentence)]);
  });

  it('does not claim for part of a log that no key change was omitted', () => {
    const file = logOf(second, rotation(first, second), compromise(first, 0, second));
    const omission = expect.stringMatching(/^That the file has all key changes/);
    expect(verifyLogFile(file).unverified).not.toContainEqual(omission);
    const cut = { ...file, key_changes: file.key_changes.slice(0, 1), entries: file.entries.slice(0, 1) };
    expect(verifyLogFile(cut)).toMatchObject({
      valid: true,
      unverified: expect.arrayContaining([omission]),
    });
  });

  it.each([Number.NaN, -1, 1.5])('refuses a compromise from index %s on', (fromIndex) => {
    const file = logOf(second, rotation(first, second), compromise(first, fromIndex, second));
    expect(failuresOf(verifyLogFile(file))).toEqual([
      expect.stringContaining('Entry 1 is not a key change of this log.'),
    ]);
  });
});
