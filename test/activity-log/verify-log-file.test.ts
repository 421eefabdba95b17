import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fc } from '../kit/properties.js';
import {
  exportText,
  newestCheckpoint,
  verifyLogFile,
  type ExportedEntry,
  type LogVerification,
  type SignedCheckpoint,
  type VerifyLogOptions,
} from '../../src/activity-log/index.js';
import {
  generateSigningKey,
  leafHash,
  sign,
  signCheckpoint,
  signingPublicKey,
  tileAppender,
  verifierKey,
  inclusionRanges,
  rangeHash,
} from '../../src/crypto/index.js';
import { sql, type Database, type Foundation } from '../../src/database/index.js';
import { base64 } from '../../src/kernel/bytes.js';
import type { Id } from '../../src/kernel/ids.js';
import { canonicalJson } from '../../src/kernel/json.js';
import { createTestDatabase } from '../kit/database.js';
import { seedOrganization, testFoundation, type SeededOrganization } from '../kit/seed.js';
import { act, sequence } from './kit.js';

// A file is edited member by member, as a forger would.
interface LogFile {
  origin: string;
  verifier_key: string;
  checkpoint: string;
  entries: {
    index: number;
    entry: Record<string, unknown>;
    salts: Record<string, { salt: string; value: string }>;
    proof: string[];
  }[];
}

describe('the offline check of an activity log', () => {
  let database: Database;
  let foundation: Foundation;
  let seed: SeededOrganization;
  let organizationId: Id<'org'>;
  let older: SignedCheckpoint;
  let original: LogFile;

  async function exported(scope: { applicationId?: Id<'app'> } = {}): Promise<LogFile> {
    const checkpoint = await newestCheckpoint(database, organizationId);
    let text = '';
    for await (const piece of exportText(database, checkpoint, { organizationId, ...scope })) text += piece;
    return JSON.parse(text) as LogFile;
  }

  beforeAll(async () => {
    database = await createTestDatabase();
    foundation = testFoundation(database);
    seed = await seedOrganization(foundation);
    organizationId = seed.organization.id;
    await act(foundation, organizationId, 30);
    await sequence(foundation);
    older = await newestCheckpoint(database, organizationId);
    await act(foundation, organizationId, 10, { application: seed.application });
    await sequence(foundation);
    original = await exported();
  });
  afterAll(async () => database[Symbol.asyncDispose]());

  const copy = () => structuredClone(original);
  const failuresOf = ({ checks }: LogVerification) =>
    checks.filter(({ passed }) => !passed).map(({ name, detail }) => `${name}: ${detail}`);
  const after = (change: (file: LogFile) => void, options: VerifyLogOptions = {}) => {
    const file = copy();
    change(file);
    return failuresOf(verifyLogFile(file, options));
  };

  it('passes for a whole log, its key pinned, and against a checkpoint from before', () => {
    const verification = verifyLogFile(original, {
      verifierKey: original.verifier_key,
      since: older.note,
      complete: true,
    });
    expect(verification.checks.map(({ name, passed }) => [name, passed])).toEqual(
      ['file', 'checkpoint', 'entries', 'salts', 'proofs', 'complete', 'since'].map((name) => [name, true]),
    );
    expect(verification.valid).toBe(true);
    expect(verification.unverified).toHaveLength(1);
  });

  it('passes for the entries of one application, and says that others are not here', async () => {
    const file = await exported({ applicationId: seed.application.id });
    const verification = verifyLogFile(file);
    expect(verification.valid).toBe(true);
    expect(verification.checks.at(-1)?.detail).toMatch(
      /^\d+ of \d+ entries are here; the export is of a part/,
    );
    expect(failuresOf(verifyLogFile(file, { complete: true }))).toEqual([
      expect.stringMatching(/^complete: .* were left out\.$/),
    ]);
    expect(failuresOf(verifyLogFile(file, { since: older.note }))).toEqual([
      expect.stringContaining('since: This needs the first'),
    ]);
  });

  it('reads the export out of a GraphQL answer too', () => {
    expect(verifyLogFile({ data: { exportActivityLog: original } }).valid).toBe(true);
  });

  it('passes after a personal value was erased, and for entries without salts', () => {
    expect(after((file) => file.entries.forEach((entry) => (entry.salts = {})))).toEqual([]);
  });

  it('fails for an entry that was changed, in any member', () =>
    fc.assert(
      fc.property(
        fc.nat(),
        fc.constantFrom('event_type', 'user_id', 'created_at', 'object', 'details', 'case_id'),
        (chosen, member) => {
          const at = chosen % original.entries.length;
          const failures = after((file) => (file.entries[at]!.entry[member] = 'forged'));
          expect(failures).toContainEqual(
            expect.stringMatching(new RegExp(`^proofs: Entry ${at} is not the one that was logged there`)),
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
    ['the list is turned round', ({ entries }) => entries.reverse(), 'the order is not the log’s'],
    [
      'an entry is there twice',
      ({ entries }) => entries.splice(3, 0, entries[3]!),
      'entries: Entry 3 is there twice.',
    ],
    [
      'an index is none of the log',
      ({ entries }) => (entries.at(-1)!.index = 10_000),
      'entries: Entry 10000 is none',
    ],
    ['an index is negative', ({ entries }) => (entries[0]!.index = -1), 'entries: Entry -1 is none'],
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
      'salts: The value of entry 2 at /user is not',
    ],
    [
      'a value is claimed where the entry has no digest',
      ({ entries }) => (entries[2]!.salts['/details'] = entries[2]!.salts['/user']!),
      'salts: Entry 2 holds no digest at /details.',
    ],
    [
      'a salt points nowhere',
      ({ entries }) => (entries[2]!.salts['/constructor/name'] = entries[2]!.salts['/user']!),
      'salts: Entry 2 holds no digest at /constructor/name.',
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
      'checkpoint: The verifier key is named',
    ],
    ['the key is none', (file) => (file.verifier_key = 'key'), 'checkpoint: The verifier key is malformed.'],
    ['there is no checkpoint', (file) => (file.checkpoint = ''), 'checkpoint: The checkpoint is malformed'],
  ])('fails when %s', (_, change, message) => {
    expect(after(change).join('\n')).toContain(message);
  });

  it('of a whole log tells that entries were cut off or left out', () => {
    const found = `complete: ${original.entries.length - 1} of ${original.entries.length} entries are here`;
    expect(after((file) => file.entries.pop(), { complete: true })).toEqual([expect.stringContaining(found)]);
    expect(after((file) => file.entries.splice(5, 1), { complete: true })).toEqual([
      expect.stringContaining(found),
    ]);
  });

  it('tells a log that was cut off from the checkpoint that somebody kept', async () => {
    const { note } = await newestCheckpoint(database, organizationId);
    const shorter = forge(original.entries.slice(0, older.size), older);
    expect(failuresOf(verifyLogFile(shorter, { since: note }))).toEqual([
      expect.stringMatching(/^since: .* not signed by the key/),
    ]);
    const cut = { ...original, checkpoint: older.note, entries: [] };
    expect(failuresOf(verifyLogFile(cut, { since: note }))).toEqual([
      expect.stringMatching(/^since: The log had \d+ entries before and has \d+ now: it was cut off\.$/),
    ]);
  });

  it('tells a history that was rewritten and signed anew with the log’s own key', async () => {
    const secret = await ownSecret();
    const entries = structuredClone(original.entries);
    entries[3]!.entry['event_type'] = 'session.ended';
    const forked = forge(entries, { origin: original.origin }, secret);
    expect(failuresOf(verifyLogFile(forked, { verifierKey: original.verifier_key, complete: true }))).toEqual(
      [],
    );
    expect(failuresOf(verifyLogFile(forked, { since: older.note }))).toEqual([
      `since: The first ${older.size} entries are not those of the older checkpoint: the history was forked.`,
    ]);
    expect(failuresOf(verifyLogFile(forked, { since: original.checkpoint }))).toEqual([
      `since: The first ${entries.length} entries are not those of the older checkpoint: the history was forked.`,
    ]);
  });

  it('tells a log that was signed by somebody else, when the key is pinned', () => {
    const forged = forge(original.entries, { origin: original.origin });
    expect(verifyLogFile(forged).valid).toBe(true);
    expect(failuresOf(verifyLogFile(forged, { verifierKey: original.verifier_key }))).toEqual([
      'checkpoint: The log is signed by another key than the expected one.',
    ]);
    expect(failuresOf(verifyLogFile(original, { verifierKey: 'no key' }))).toEqual([
      'checkpoint: The expected verifier key is malformed.',
    ]);
  });

  it('says what is not an export, and never throws', () => {
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
          // Salts alone may be absent: they can be erased.
          const erased =
            member === 'salts' && typeof value === 'object' && Object.keys(value ?? []).length === 0;
          expect(verifyLogFile(file).valid).toBe(erased && value !== null && !Array.isArray(value));
        },
      ),
    );
  });

  async function ownSecret(): Promise<Uint8Array> {
    const [row] = await database.rows(sql<{ sealed: Uint8Array }>`
      select sealed_secret as sealed from signing_keys where organization_id = ${organizationId}`);
    return foundation.sealer.open(row!.sealed, `signing_keys/${organizationId}`);
  }

  /** A log of these entries, made anew and signed: by a key of the forger’s, or by one that was stolen. */
  function forge(entries: LogFile['entries'], { origin }: { origin: string }, stolen?: Uint8Array): LogFile {
    const secret = stolen ?? generateSigningKey().secret;
    const appender = tileAppender(0, []);
    for (const { entry } of entries)
      appender.append(leafHash(canonicalJson(entry as ExportedEntry['entry'])));
    const publicKey = signingPublicKey(secret);
    const signer = { name: origin, publicKey, sign: (message: Uint8Array) => sign(secret, message) };
    return {
      origin,
      verifier_key: verifierKey(origin, publicKey),
      checkpoint: signCheckpoint({ origin, size: entries.length, root: appender.root() }, signer),
      entries: entries.map((entry, index) => ({
        ...entry,
        index,
        proof: inclusionRanges(index, entries.length).map((range) =>
          base64.encode(rangeHash(range, appender.nodes)),
        ),
      })),
    };
  }
});
