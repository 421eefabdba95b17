import { describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { fc } from '../../kit/properties.js';
import {
  readSanctionsList,
  UnreadableSanctionsList,
} from '../../../src/domain/checks/screening/parse-sanctions-list.js';
import { randomAddress } from '../../kit/ledger/confidential-records.js';
import { sanctionsXml, sha256Hex } from './kit.js';

async function* inChunks(text: string | Uint8Array, size = 65_536): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}

const read = (text: string | Uint8Array, size?: number) => readSanctionsList(inChunks(text, size));

async function refusal(text: string | Uint8Array): Promise<string> {
  const thrown: unknown = await read(text).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(UnreadableSanctionsList);
  return (thrown as Error).message;
}

const whole = sanctionsXml({
  addresses: {
    'Digital Currency Address - XBT': ['149w62rY42aZBox8fGcmqNsXUzSStKeq8C'],
    'Digital Currency Address - SOL': ['5oNDL3swdJJF1g9DzJiZ4ynHXgszjAEpUkxVYejchzrY', ' padded \n'],
    'Digital Currency Address - USDT': ['TCUn', '<![CDATA[A&B]]>', 'C&amp;D'],
    'Email Address': ['someone@example.test'],
  },
});

describe('a sanctions file', () => {
  it('yields every digital currency address of any currency, and nothing else', async () => {
    const { addresses } = await read(whole);
    expect([...addresses].sort()).toEqual(
      [
        ...['149w62rY42aZBox8fGcmqNsXUzSStKeq8C', '5oNDL3swdJJF1g9DzJiZ4ynHXgszjAEpUkxVYejchzrY'],
        ...['padded', 'TCUn', 'A&B', 'C&D'],
      ].sort(),
    );
  });

  it('is identified by its issue date and the SHA-256 of its bytes', async () => {
    const { version, issuedAt } = await read(whole);
    expect(version).toBe(`2026-11-03/${sha256Hex(whole)}`);
    expect(issuedAt.toISOString()).toBe('2026-11-03T00:00:00.000Z');
  });

  it('yields the same result for any split, even into single bytes', async () => {
    const expected = await read(whole);
    for (const size of [1, 2, 3, 7, 1024]) expect(await read(whole, size)).toEqual(expected);
  });

  it('may have a byte order mark and name prefixes', async () => {
    const prefixed = whole.replaceAll(/<(\/?)([A-Z])/g, '<$1s:$2').replace('xmlns=', 'xmlns:s=');
    const cdata = prefixed.replaceAll('<![s:CDATA', '<![CDATA');
    expect((await read(`\uFEFF${cdata}`)).addresses).toEqual((await read(whole)).addresses);
  });

  it('is refused if it is truncated anywhere', async () => {
    const end = whole.lastIndexOf('</Sanctions>') + '</Sanctions>'.length;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: end - 1 }), async (length) => {
        await refusal(whole.slice(0, length));
      }),
      { numRuns: 200 },
    );
  });

  it('is parsed or refused, without other errors, for any content', async () => {
    const damaged = fc
      .tuple(fc.nat(whole.length), fc.nat(40), fc.string({ unit: 'binary' }))
      .map(([at, cut, text]) => whole.slice(0, at) + text + whole.slice(at + cut));
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string({ unit: 'binary' }), damaged), async (text) => {
        await read(text).catch((thrown: unknown) => expect(thrown).toBeInstanceOf(UnreadableSanctionsList));
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['of another root', '<sdnList><sdnEntry/></sdnList>', /format of SDN_ADVANCED/],
    [
      'without digital currency addresses',
      sanctionsXml({ addresses: { Gender: [] } }),
      /declares no digital/,
    ],
    ['without a date of issue', whole.replace(/<DateOfIssue.*<\/DateOfIssue>/, ''), /no date of issue/],
    ['of a day that does not exist', sanctionsXml({ issued: [2026, 2, 30] }), /no date of issue/],
    [
      'with a feature of an unknown type',
      whole.replace('FeatureTypeID="345"', 'FeatureTypeID="9"'),
      /does not declare/,
    ],
    ['in another encoding', whole.replace('utf-8', 'utf-16'), /not in UTF-8/],
    ['with something after its end', `${whole}<more/>`, /not well-formed/],
    ['that is empty', '', /not well-formed/],
  ])('%s is refused', async (_, text, message) => {
    expect(await refusal(text)).toMatch(message);
  });

  it('is refused if it is not UTF-8', async () => {
    const bytes = Buffer.from(whole);
    bytes[whole.indexOf('TCUn')] = 0xff;
    expect(await refusal(bytes)).toMatch(/not well-formed/);
  });

  it('is refused with a document type, and no entity is expanded', async () => {
    const entities = '<!DOCTYPE s [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>';
    const bomb = whole.replace('?>', `?>${entities}`).replace('TCUn', '&b;');
    expect(await refusal(bomb)).toMatch(/document type/);
    expect(await refusal(whole.replace('TCUn', '&b;'))).toMatch(/not well-formed/);
  });

  it.each([
    ['an address', whole.replace('TCUn', 'x'.repeat(1_001))],
    ['a text that nobody reads', whole.replace('>Text<', `>${'x'.repeat(3_000_000)}<`)],
    ['an attribute', whole.replace('Version="', `Version="${'x'.repeat(3_000_000)}`)],
    ['a comment', whole.replace('<Comment />', `<!--${'x'.repeat(3_000_000)}-->`)],
    ['a tag', whole.replace('<Comment />', `<${'x'.repeat(3_000_000)}/>`)],
  ])('is refused if %s is too long', async (_, text) => {
    expect(await refusal(text)).toMatch(/too long/);
  });

  it('is refused if it is nested too deeply', async () => {
    const nested = whole.replace('<Comment />', `${'<a>'.repeat(100)}${'</a>'.repeat(100)}`);
    expect(await refusal(nested)).toMatch(/nested/);
  });

  it('is parsed in constant memory if it has many parties', async () => {
    const parties = 20_000;
    const addresses = Array.from({ length: 50 }, randomAddress);
    const [head = '', party = '', tail = ''] = sanctionsXml({
      addresses: { 'Digital Currency Address - SOL': ['ADDRESS'] },
    }).split(/(<DistinctParty [^]*<\/DistinctParty>)/);
    async function* file() {
      yield await Promise.resolve(Buffer.from(head));
      for (let index = 0; index < parties; index += 1)
        yield Buffer.from(party.replace('ADDRESS', addresses[index % addresses.length]!));
      yield Buffer.from(tail);
    }
    expect((await readSanctionsList(file())).addresses).toEqual(new Set(addresses));
  });
});

describe('the reader of sanctions files', () => {
  it('contains no URL to download one from', async () => {
    const directory = new URL('../../../src/domain/checks/', import.meta.url);
    const { readdir } = await import('node:fs/promises');
    for (const file of (await readdir(directory, { recursive: true })).filter((name) => name.endsWith('.ts')))
      expect(await readFile(new URL(file, directory), 'utf8')).not.toMatch(/https?:\/\//);
  });
});
