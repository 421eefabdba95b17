import { describe, expect, it } from '@jest/globals';
import { forFile } from '../../../kit/for-file.js';
import { fc } from '../../../kit/properties.js';
import {
  verifyExportedLog,
  verifyLogFile,
  type VerifyLogOptions,
} from '../../../../src/domain/activity-log/index.js';
import { parseUnambiguousJson } from '../../../../src/platform/kernel/encoding/json.js';
import { openExportedLog } from './exported-log.js';

const log = forFile(await openExportedLog());

describe('offline verification of an activity log, line by line', () => {
  /** The bytes in chunks of this size. */
  function* cut(bytes: Buffer, size: number) {
    for (let at = 0; at < bytes.length; at += size) yield Buffer.from(bytes.subarray(at, at + size));
  }
  const verifyText = (text: string, options?: VerifyLogOptions, pieceSize = 4_096) =>
    verifyExportedLog(cut(Buffer.from(text), pieceSize), options);
  const asParsed = (text: string, options?: VerifyLogOptions) =>
    verifyLogFile(parseUnambiguousJson(text), options);

  it('gives the same result as parsing the whole file, for chunks of any size', async () => {
    const part = await log.exportedText({ applicationId: log.seed.application.id });
    const [header, ...lines] = log.text.split('\n');
    const turned = [header, ...[...lines.slice(0, -3), `${lines.at(-3)},`].reverse()].join('\n');
    for (const text of [
      log.text,
      log.text.trimEnd(),
      part,
      `${header}\n]}\n`,
      `${turned.slice(0, -1)}\n]}\n`,
      log.text.replaceAll('"salts":', '"salts": '),
      log.text.replaceAll('Ana', 'Mallory'),
      log.text.replace('asset.created', 'asset.assigned'),
      log.text.replace('"details":', '"details" :'),
      log.text.replace('"origin":"', '"origin":"x'),
    ]) {
      for (const [pieceSize, options] of [
        [7, {}],
        [500, { complete: true }],
        [1_000_000, { since: log.older.note, verifierKey: log.file.verifier_key }],
      ] as const) {
        expect(await verifyText(text, options, pieceSize)).toEqual(asParsed(text, options));
      }
    }
    expect(await verifyText(log.text)).toMatchObject({ valid: true });
  });

  it.each<[string, (text: string) => string]>([
    ['is a GraphQL answer', (text) => `{"data":{"log":${text}}}`],
    ['has another member last', (text) => text.replace('"entries":[', '"entries":[],"more":[')],
    ['ends early', (text) => text.slice(0, -4)],
    ['continues after its end', (text) => `${text}{}`],
    ['names a member of an entry twice', (text) => text.replace('"case_id":', '"case_id":1,"case_id":')],
    ['names a member of a line twice', (text) => text.replace('{"index":3', '{"index":4,"index":3')],
    ['names a member twice before the entries', (text) => text.replace('{"origin"', '{"origin":"","origin"')],
    ['names a pointer twice', (text) => text.replace('"salts":{', '"salts":{"/user":{},')],
    ['has a comma too many', (text) => text.replace('\n]}', ',\n]}')],
    ['has a comma too few', (text) => text.replace('},\n{"index":3', '}\n{"index":3')],
    ['is one line', (text) => text.replaceAll('\n', '')],
    ['has an entry that is none', (text) => text.replace('{"index":3', '{"number":3')],
  ])('is left to the parser of whole files when it %s', async (_, change) => {
    expect(change(log.text)).not.toBe(log.text);
    expect(await verifyText(change(log.text))).toBeUndefined();
  });

  it('gives the same result as parsing the whole file, or falls back to the parser, for any changed byte of an entry', async () => {
    const [header, first, second] = log.text.split('\n');
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

  it('gives the same result as parsing the whole file, or falls back to the parser, for any inserted text', async () => {
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
    // The end of a line has proofs, which are many similar bytes, so other positions are chosen as often.
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
    const bytes = Buffer.from(log.text);
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 1, maxLength: 3 }),
        fc.constantFrom<VerifyLogOptions>({}, { complete: true }, { since: log.older.note }),
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

  it('gives the same result in worker threads, for any split of the file and any defect', async () => {
    // As one line, so that the invalid part is often between many valid ones.
    const part = await log.exportedText({ applicationId: log.seed.application.id });
    const [header, ...rest] = log.text.trimEnd().split('\n');
    const lines = rest.slice(0, -1).map((line) => line.replace(/,$/, ''));
    const damages: Record<string, (line: string) => string[]> = {
      kept: (line) => [line],
      'left out': () => [],
      doubled: (line) => [line, line],
      'with another value': (line) => [line.replace('Ana', 'Mallory')],
      'with another event': (line) => [line.replace('"event_type":"', '"event_type":"x')],
      'with another proof': (line) => [line.replace('"proof":["', '"proof":["A')],
      'with spaces': (line) => [line.replace('"salts":', '"salts": ')],
      'that changes a key': (line) => [line.replace('"event_type":"', '"event_type":"signing_key.')],
      'at another index': (line) => [line.replace('{"index":', '{"index":1')],
      'that is no JSON': (line) => [line.slice(1)],
      'before the one before it': (line) => [line],
    };
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.keys(damages)),
        fc.nat({ max: lines.length - 1 }),
        fc.integer({ min: 100, max: 20_000 }),
        fc.integer({ min: 1, max: 3 }),
        fc.constantFrom<VerifyLogOptions>({}, { complete: true }, { since: log.older.note }),
        fc.boolean(),
        async (damage, at, pieceSize, threads, options, isWhole) => {
          const damaged = lines.flatMap((line, index) => (index === at ? damages[damage]!(line) : [line]));
          if (damage === 'before the one before it')
            damaged.splice(Math.max(0, at - 1), 2, ...damaged.slice(Math.max(0, at - 1), at + 1).reverse());
          const text = isWhole ? `${header}\n${damaged.join(',\n')}\n]}\n` : part;
          const pieces = () => cut(Buffer.from(text), pieceSize);
          const found = await verifyExportedLog(pieces(), options, { threads });
          expect(found).toEqual(await verifyExportedLog(pieces(), options));
          if (found) compared += 1;
        },
      ),
      { numRuns: 40 },
    );
    expect(compared).toBeGreaterThan(20);
  });
});
