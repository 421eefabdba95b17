import { describe, expect, it } from '@jest/globals';
import { forFile } from '../../../kit/for-file.js';
import { fc } from '../../../kit/properties.js';
import {
  newestCheckpoint,
  verifyLogFile,
  type VerifyLogOptions,
} from '../../../../src/domain/activity-log/index.js';
import { sha256 } from '../../../../src/platform/crypto/index.js';
import { canonicalJson } from '../../../../src/platform/kernel/encoding/json.js';
import { failuresOf, forge, openExportedLog, type LogFile } from './exported-log.js';

const log = forFile(await openExportedLog());
const original = log.file;

describe('offline verification of an activity log', () => {
  const copy = () => structuredClone(original);
  const after = (change: (file: LogFile) => void, options: VerifyLogOptions = {}) => {
    const file = copy();
    change(file);
    return failuresOf(verifyLogFile(file, options));
  };

  it('passes for a whole log with a pinned key, and against an earlier checkpoint', () => {
    const verification = verifyLogFile(original, {
      verifierKey: original.verifier_key,
      since: log.older.note,
      complete: true,
    });
    expect(verification.checks.map(({ name, passed }) => [name, passed])).toEqual(
      ['file', 'checkpoint', 'keys', 'entries', 'salts', 'proofs', 'complete', 'since'].map((name) => [
        name,
        true,
      ]),
    );
    expect(verification.valid).toBe(true);
    expect(verification.unverified).toHaveLength(1);
  });

  it('passes for the entries of one application, and reports that others are not in the file', async () => {
    const file = JSON.parse(await log.exportedText({ applicationId: log.seed.application.id })) as LogFile;
    const verification = verifyLogFile(file);
    expect(verification.valid).toBe(true);
    expect(verification.checks.at(-1)?.detail).toMatch(/^The file has \d+ of \d+ entries\. It covers a part/);
    expect(failuresOf(verifyLogFile(file, { complete: true }))).toEqual([
      expect.stringMatching(/^complete: .* were left out\.$/),
    ]);
    expect(failuresOf(verifyLogFile(file, { since: log.older.note }))).toEqual([
      expect.stringContaining('since: This check needs the first'),
    ]);
  });

  it('also accepts an export inside a GraphQL response', () => {
    expect(verifyLogFile({ data: { exportActivityLog: original } }).valid).toBe(true);
  });

  it('passes after a personal value was erased, and for entries without salts', () => {
    expect(after((file) => file.entries.forEach((entry) => (entry.salts = {})))).toEqual([]);
  });

  it('fails for an entry that was changed in any member', () =>
    fc.assert(
      fc.property(
        fc.nat(),
        fc.constantFrom('event_type', 'user_id', 'created_at', 'object', 'details', 'case_id'),
        (chosen, member) => {
          const at = chosen % original.entries.length;
          const failures = after((file) => (file.entries[at]!.entry[member] = 'forged'));
          expect(failures).toContainEqual(
            expect.stringMatching(
              new RegExp(`^proofs: Entry ${at} is not the entry that was logged at this index`),
            ),
          );
        },
      ),
      { numRuns: 30 },
    ));

  it.each<[string, (file: LogFile) => void, string]>([
    ['a member is added', ({ entries }) => (entries[3]!.entry['more'] = 1), 'proofs: Entry 3 is not'],
    ['a member is gone', ({ entries }) => delete entries[3]!.entry['details'], 'proofs: Entry 3 is not'],
    [
      'two entries changed places',
      ({ entries }) => ([entries[4]!.entry, entries[5]!.entry] = [entries[5]!.entry, entries[4]!.entry]),
      'proofs: Entry 4 is not',
    ],
    [
      'two entries changed places with their proofs',
      ({ entries }) =>
        ([entries[4], entries[5]] = [
          { ...entries[5]!, index: 4 },
          { ...entries[4]!, index: 5 },
        ]),
      'proofs: Entry 4 is not',
    ],
    ['the list is turned round', ({ entries }) => entries.reverse(), 'entries are out of order'],
    [
      'an entry is there twice',
      ({ entries }) => entries.splice(3, 0, entries[3]!),
      'entries: Entry 3 appears twice.',
    ],
    [
      'an index is none of the log',
      ({ entries }) => (entries.at(-1)!.index = 10_000),
      'entries: Entry 10000 is not in the log',
    ],
    [
      'an index is negative',
      ({ entries }) => (entries[0]!.index = -1),
      'entries: Entry -1 is not in the log',
    ],
    ['a proof is cut', ({ entries }) => entries[7]!.proof.pop(), 'proofs: Entry 7 is not'],
    [
      'a proof is longer',
      ({ entries }) => entries[7]!.proof.push(entries[7]!.proof[0]!),
      'proofs: Entry 7 is not',
    ],
    ['a proof is turned round', ({ entries }) => entries[7]!.proof.reverse(), 'proofs: Entry 7 is not'],
    [
      'a proof is not base64',
      ({ entries }) => (entries[7]!.proof[0] = '!'),
      'proofs: The proof of entry 7 is not base64',
    ],
    [
      'a personal value is another',
      ({ entries }) => (entries[2]!.salts['/user']!.value = 'Mallory'),
      'salts: The value of entry 2 at /user is not the one that was logged.',
    ],
    [
      'a salt is another',
      ({ entries }) => (entries[2]!.salts['/user']!.salt = 'AAAA'),
      'salts: The salt of entry 2 at /user must have 16 bytes.',
    ],
    [
      'a value is claimed where the entry has no digest',
      ({ entries }) => (entries[2]!.salts['/details'] = entries[2]!.salts['/user']!),
      'salts: Entry 2 has no digest at /details.',
    ],
    [
      'a salt points nowhere',
      ({ entries }) => (entries[2]!.salts['/constructor/name'] = entries[2]!.salts['/user']!),
      'salts: Entry 2 has no digest at /constructor/name.',
    ],
    [
      'the root is another',
      (file) => (file.checkpoint = file.checkpoint.replace(/\n[A-Za-z0-9+/]/, '\nx')),
      'checkpoint: ',
    ],
    [
      'the size is another',
      (file) => (file.checkpoint = file.checkpoint.replace(/\n\d/, '\n9')),
      'checkpoint: ',
    ],
    [
      'the origin is another',
      (file) => (file.origin = 'elsewhere.example/log'),
      'checkpoint: The verifier key names a different log',
    ],
    ['the key is none', (file) => (file.verifier_key = 'key'), 'checkpoint: The verifier key is malformed.'],
    ['there is no checkpoint', (file) => (file.checkpoint = ''), 'checkpoint: The checkpoint is malformed'],
  ])('fails when %s', (_, change, message) => {
    expect(after(change).join('\n')).toContain(message);
  });

  it.each([1, 4, 8])('fails when the first %d bytes of a value were moved to its salt', (moved) => {
    const altered = (file: LogFile) => {
      const opening = file.entries[2]!.salts['/user']!;
      const bytes = Buffer.from(opening.value);
      opening.salt = Buffer.concat([Buffer.from(opening.salt, 'base64'), bytes.subarray(0, moved)]).toString(
        'base64',
      );
      opening.value = bytes.subarray(moved).toString();
    };
    expect(after(altered)).toEqual([expect.stringContaining('salts: The salt of entry 2 at /user')]);
  });

  it('fails when the end of a salt was moved to its value', () => {
    // A salt that ends like text, which happens with one in 2^8.
    const value = 'a name';
    const salt = Buffer.concat([Buffer.alloc(15, 7), Buffer.from('x')]);
    const digest = Buffer.from(sha256(salt, value)).toString('hex');
    const entry = { user: { sha256: digest } };
    const moved = { salt: salt.subarray(0, 15).toString('base64'), value: `x${value}` };
    const file = { ...copy(), entries: [{ index: 0, entry, salts: { '/user': moved }, proof: [] }] };
    expect(failuresOf(verifyLogFile(file)).join()).toContain('salts: The salt of entry 0 at /user');
  });

  it('fails when a character that a name may have was replaced by half of one, which has the same bytes in UTF-8', () => {
    const salt = Buffer.alloc(16, 7);
    const logged = 'Pia \ufffd Person';
    const digest = Buffer.from(sha256(salt, logged)).toString('hex');
    const fileWith = (value: string) => {
      const opening = { salt: salt.toString('base64'), value };
      return forge(
        [{ index: 0, entry: { user: { sha256: digest } }, salts: { '/user': opening }, proof: [] }],
        {
          origin: original.origin,
        },
      );
    };
    expect(failuresOf(verifyLogFile(fileWith(logged)))).toEqual([]);
    for (const half of ['\ud800', '\udfff'])
      expect(failuresOf(verifyLogFile(fileWith(logged.replace('\ufffd', half))))).toEqual([
        'salts: The value of entry 0 at /user is not Unicode text.',
      ]);
  });

  it.each<[string, (file: LogFile) => object]>([
    ['itself', (file) => file],
    ['an entry', ({ entries }) => entries[3]!],
    ['a salt', ({ entries }) => entries[2]!.salts['/user']!],
  ])('fails when %s has a member that nothing proves', (_, part) => {
    const failures = after((file) => Object.assign(part(file), { amount: '842135' }));
    expect(failures).toEqual([expect.stringMatching(/members are not allowed|nothing else|is malformed/)]);
  });

  it('fails if a GraphQL response contains a second export', () => {
    const file = { data: { one: original, another: original } };
    expect(failuresOf(verifyLogFile(file))).toEqual([expect.stringContaining('This is not an export')]);
  });

  it('reports truncated and missing entries of a whole log', () => {
    const found = `complete: The file has ${original.entries.length - 1} of ${original.entries.length} entries.`;
    expect(after((file) => file.entries.pop(), { complete: true })).toEqual([expect.stringContaining(found)]);
    expect(after((file) => file.entries.splice(5, 1), { complete: true })).toEqual([
      expect.stringContaining(found),
    ]);
  });

  it('detects a truncated log with a saved checkpoint', async () => {
    const { note } = await newestCheckpoint(log.database, log.seed.organization.id);
    const shorter = forge(original.entries.slice(0, log.older.size), log.older);
    expect(failuresOf(verifyLogFile(shorter, { since: note }))).toEqual([
      expect.stringMatching(/^since: .* not signed by the key/),
    ]);
    const cut = { ...original, checkpoint: log.older.note, entries: [] };
    expect(failuresOf(verifyLogFile(cut, { since: note }))).toEqual([
      expect.stringMatching(
        /^since: The log had \d+ entries before and has \d+ now: entries at its end were removed\.$/,
      ),
    ]);
  });

  it('detects a history that was rewritten and signed again with the log’s key', async () => {
    const secret = await log.secret();
    const entries = structuredClone(original.entries);
    entries[3]!.entry['event_type'] = 'session.ended';
    const forked = forge(entries, { origin: original.origin }, secret);
    expect(failuresOf(verifyLogFile(forked, { verifierKey: original.verifier_key, complete: true }))).toEqual(
      [],
    );
    expect(failuresOf(verifyLogFile(forked, { since: log.older.note }))).toEqual([
      `since: The first ${log.older.size} entries are not those of the older checkpoint: the history of the log was changed.`,
    ]);
    expect(failuresOf(verifyLogFile(forked, { since: original.checkpoint }))).toEqual([
      `since: The first ${entries.length} entries are not those of the older checkpoint: the history of the log was changed.`,
    ]);
  });

  it('accepts a checkpoint of the empty log as a start', async () => {
    const empty = forge([], { origin: original.origin }, await log.secret());
    expect(failuresOf(verifyLogFile(original, { since: empty.checkpoint }))).toEqual([]);
  });

  it('detects a log signed by someone else if the key is pinned', () => {
    const forged = forge(original.entries, { origin: original.origin });
    expect(verifyLogFile(forged).valid).toBe(true);
    expect(failuresOf(verifyLogFile(forged, { verifierKey: original.verifier_key }))).toEqual([
      'checkpoint: The log is not signed by the expected key.',
    ]);
    expect(failuresOf(verifyLogFile(original, { verifierKey: 'no key' }))).toEqual([
      expect.stringContaining('checkpoint: The expected verifier key is malformed. '),
    ]);
  });

  it('reports input that is not an export, and never throws', () => {
    for (const file of [
      null,
      7,
      'text',
      [],
      {},
      { data: null },
      { checkpoint: 1, entries: [] },
      { ...original, entries: [1] },
    ]) {
      const verification = verifyLogFile(file);
      expect(verification).toMatchObject({ valid: false, checks: [{ name: 'file', passed: false }] });
    }
    fc.assert(
      fc.property(
        fc.nat(),
        fc.jsonValue(),
        fc.constantFrom('index', 'entry', 'salts', 'proof'),
        (chosen, value, member) => {
          const file = copy() as unknown as { entries: Record<string, unknown>[] };
          const entry = file.entries[chosen % file.entries.length]!;
          fc.pre(canonicalJson(entry[member] as string) !== canonicalJson(value as string));
          entry[member] = value;
          // Only salts may be absent, because they can be erased.
          const erased =
            member === 'salts' && typeof value === 'object' && Object.keys(value ?? []).length === 0;
          expect(verifyLogFile(file).valid).toBe(erased && value !== null && !Array.isArray(value));
        },
      ),
    );
  });
});
