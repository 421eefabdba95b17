import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fc } from '../kit/properties.js';
import {
  exportText,
  newestCheckpoint,
  verifyExportedLog,
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
import { canonicalJson, parseUnambiguousJson } from '../../src/kernel/json.js';
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
  let originalText: string;

  async function exportedText(scope: { applicationId?: Id<'app'> } = {}): Promise<string> {
    const checkpoint = await newestCheckpoint(database, organizationId);
    let text = '';
    for await (const piece of exportText(database, checkpoint, { organizationId, ...scope })) text += piece;
    return text;
  }
  const exported = async (scope?: { applicationId?: Id<'app'> }) =>
    JSON.parse(await exportedText(scope)) as LogFile;

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
    originalText = await exportedText();
    original = JSON.parse(originalText) as LogFile;
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

  it('continues a checkpoint from when the log was empty', async () => {
    const empty = forge([], { origin: original.origin }, await ownSecret());
    expect(failuresOf(verifyLogFile(original, { since: empty.checkpoint }))).toEqual([]);
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

  describe('as it is written line by line', () => {
    /** The bytes in pieces of this size. */
    function* cut(bytes: Buffer, size: number) {
      for (let at = 0; at < bytes.length; at += size) yield Buffer.from(bytes.subarray(at, at + size));
    }
    const verifyText = (text: string, options?: VerifyLogOptions, pieceSize = 4_096) =>
      verifyExportedLog(cut(Buffer.from(text), pieceSize), options);
    const asParsed = (text: string, options?: VerifyLogOptions) =>
      verifyLogFile(parseUnambiguousJson(text), options);

    it('is found the same as when it is parsed, in pieces of any size', async () => {
      const part = await exportedText({ applicationId: seed.application.id });
      const [header, ...lines] = originalText.split('\n');
      const turned = [header, ...[...lines.slice(0, -3), `${lines.at(-3)},`].reverse()].join('\n');
      for (const text of [
        originalText,
        originalText.trimEnd(),
        part,
        `${header}\n]}\n`,
        `${turned.slice(0, -1)}\n]}\n`,
        originalText.replaceAll('"salts":', '"salts": '),
        originalText.replaceAll('Ana', 'Mallory'),
        originalText.replace('asset.created', 'asset.assigned'),
        originalText.replace('"details":', '"details" :'),
        originalText.replace('"origin":"', '"origin":"x'),
      ]) {
        for (const [pieceSize, options] of [
          [7, {}],
          [500, { complete: true }],
          [1_000_000, { since: older.note, verifierKey: original.verifier_key }],
        ] as const) {
          expect(await verifyText(text, options, pieceSize)).toEqual(asParsed(text, options));
        }
      }
      expect(await verifyText(originalText)).toMatchObject({ valid: true });
    });

    it.each<[string, (text: string) => string]>([
      ['is a GraphQL answer', (text) => `{"data":{"log":${text}}}`],
      ['has another member last', (text) => text.replace('"entries":[', '"entries":[],"more":[')],
      ['ends early', (text) => text.slice(0, -4)],
      ['goes on behind its end', (text) => `${text}{}`],
      ['names a member of an entry twice', (text) => text.replace('"case_id":', '"case_id":1,"case_id":')],
      ['names a member of a line twice', (text) => text.replace('{"index":3', '{"index":4,"index":3')],
      [
        'names a member twice before the entries',
        (text) => text.replace('{"origin"', '{"origin":"","origin"'),
      ],
      ['names a pointer twice', (text) => text.replace('"salts":{', '"salts":{"/user":{},')],
      ['has a comma too many', (text) => text.replace('\n]}', ',\n]}')],
      ['has a comma too few', (text) => text.replace('},\n{"index":3', '}\n{"index":3')],
      ['is one line', (text) => text.replaceAll('\n', '')],
      ['has an entry that is none', (text) => text.replace('{"index":3', '{"number":3')],
    ])('is left to who parses it whole when it %s', async (_, change) => {
      expect(change(originalText)).not.toBe(originalText);
      expect(await verifyText(change(originalText))).toBeUndefined();
    });

    it('is found the same as when it is parsed, or left, wherever a byte of an entry is another', async () => {
      const [header, first, second] = originalText.split('\n');
      const bytes = Buffer.from(`${header}\n${first}\n${second!.slice(0, -1)}\n]}\n`);
      expect(await verifyExportedLog([bytes])).toMatchObject({ valid: true });
      const line = bytes.indexOf('\n', header!.length + 1);
      let compared = 0;
      for (let at = line; at < bytes.length; at += 5) {
        const changed = Buffer.from(bytes);
        changed[at] = 0x20;
        const found = await verifyExportedLog([changed]);
        if (!found) continue;
        compared += 1;
        expect(found).toEqual(asParsed(changed.toString()));
      }
      expect(compared).toBeGreaterThan(100);
    });

    it('is found the same as when it is parsed, or left, whatever was written into it', async () => {
      const written = fc.constantFrom<Buffer>(
        ...[
          '',
          ' ',
          '\n',
          '\r\n',
          ',',
          '"',
          '\\',
          '{',
          '}',
          '[',
          ']',
          '-',
          '0',
          '.0',
          'e0',
          '\\u0061',
          '\\/',
          'A',
          'é',
        ]
          .concat([
            '"a":1,',
            '{}',
            '[],',
            '\u0000',
            '\ufeff',
            '\u2028',
            '😀',
            '"salts":{},',
            ',"entry":{}',
            '~1',
            '/',
          ])
          .map((text) => Buffer.from(text)),
        Buffer.of(0xff),
        Buffer.of(0xed, 0xa0, 0x80),
        Buffer.of(0xc0, 0xaf),
      );
      // Near the end of a line there are proofs, which are many bytes alike: other places are chosen as often.
      const place = fc.oneof(
        fc.nat(),
        fc
          .tuple(
            fc.constantFrom('"index":', '"entry":', '"salts":', '"proof":', '"sha256":', '"/user":'),
            fc.nat(),
          )
          .map(([near, at]) => ({ near, at })),
      );
      const change = fc.record({ place, skipped: fc.nat({ max: 90 }), removed: fc.nat({ max: 3 }), written });
      const bytes = Buffer.from(originalText);
      let compared = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(change, { minLength: 1, maxLength: 3 }),
          fc.constantFrom<VerifyLogOptions>({}, { complete: true }, { since: older.note }),
          async (changes, options) => {
            let changed = bytes;
            for (const { place: chosen, skipped, removed, written: more } of changes) {
              const from =
                typeof chosen === 'number'
                  ? chosen % changed.length
                  : changed.indexOf(chosen.near, chosen.at % changed.length) + skipped;
              changed = Buffer.concat([changed.subarray(0, from), more, changed.subarray(from + removed)]);
            }
            const found = await verifyExportedLog(cut(changed, 3_000), options);
            if (!found) return;
            compared += 1;
            expect(found).toEqual(asParsed(changed.toString(), options));
          },
        ),
        { numRuns: 150 },
      );
      expect(compared).toBeGreaterThan(0);
    });
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
