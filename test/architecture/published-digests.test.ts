import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const PROJECT = path.resolve(import.meta.dirname, '..', '..');
const read = (file: string) => readFileSync(path.join(PROJECT, file), 'utf8');

/** Members that are named like a digest, a size, a number or a place, but reveal nothing that their readers do not have. */
const NO_SECRET: Readonly<Record<string, string>> = {
  transactionHash: 'the signature of a transaction, as on the ledger',
  blockhash: 'of a block of the ledger',
  message_sha256: 'of a transaction that is public once it is sent',
  package_digest: 'the SHA-256 of a package, which is described as package_sha256',
  packageSha256: 'described as package_sha256',
  leaf_hash: 'described with the hashes of the log: leaf and node',
  rootHash: 'the root of the log, described with its checkpoint',
  size: 'the number of entries of a log, which its readers see',
  salt: 'described with what it salts',
  salts: 'described with the personal values of the log',
  digest_salt: 'the salt of a report, described with salted_sha256',
  indexedCount: 'the number of records that are public on the ledger',
  instructionIndex: 'the place of an instruction in a transaction of the ledger',
  fromIndex: 'of a log entry, chosen by the owner who declares a key compromised',
  tile_index: 'the place of a tile in the tree of a log',
  chunk_index: 'the place of a piece in a file',
  sign_count: 'the counter of a passkey, which the database keeps to recognize a copy',
};

const LIKE_A_DIGEST =
  /^(?:\w*(?:[sS]ha256|[hH]ash(?:es)?|[dD]igest|[sS]alts?)|(?:\w*_)?size\w*|size[A-Z]\w*|(?:\w*_)?(?:count|index)|\w+(?:Count|Index))$/;

function namesIn(file: string, pattern: RegExp): string[] {
  return [...read(file).matchAll(pattern)]
    .map(([, name = '']) => name)
    .filter((name) => LIKE_A_DIGEST.test(name));
}

it('every schema field named like a digest, a salt, a size, a count or an index is documented as published or reveals no secret', () => {
  const names = new Set([
    ...namesIn('schema/schema.graphql', /^ {2}(\w+)[(:]/gm),
    ...namesIn('schema/openapi.json', /"(\w+)": \{/g),
    ...namesIn('schema/database.sql', /^ {2}(\w+) /gm),
  ]);
  expect([...names]).toEqual(
    expect.arrayContaining([
      'metadataHash',
      'size_bytes',
      'input_digest',
      'recordCount',
      'record_count',
      'log_index',
    ]),
  );
  const [, document = ''] = read('docs/security.md').split('## What is published of secrets');
  const described = [...names].filter((name) => document.includes(`\`${name}\``));
  const unknown = [...names].filter((name) => !described.includes(name) && NO_SECRET[name] === undefined);
  expect(unknown).toEqual([]);
  expect(Object.keys(NO_SECRET).filter((name) => !names.has(name) || described.includes(name))).toEqual([]);
});
