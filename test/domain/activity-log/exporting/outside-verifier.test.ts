import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { createRequire } from 'node:module';
import { beforeAll, describe, expect, it } from '@jest/globals';
import canonicalize from 'canonicalize';
import {
  exportText,
  newestCheckpoint,
  type ExportedEntry,
} from '../../../../src/domain/activity-log/index.js';
import { seedOrganization, openTestFoundation } from '../../../kit/seed.js';
import { act, sequence } from '../kit.js';

// The reader is from Sigstore (npm: @sigstore/verify, dist/tlog), and shares no code with ours. The package exports only its
// verifier of whole bundles, so its parts for checkpoints and proofs are loaded from their files.

interface TransparencyLog {
  readonly logID: Buffer;
  readonly baseURL: string;
  readonly publicKey: KeyObject;
}
interface LogEntry {
  readonly canonicalizedBody: Buffer;
  readonly inclusionProof: {
    readonly logIndex: string;
    readonly hashes: readonly Buffer[];
    readonly checkpoint: { readonly envelope: string };
  };
}
interface LogCheckpoint {
  readonly origin: string;
  readonly logSize: bigint;
  readonly logHash: Buffer;
}
const require = createRequire(import.meta.url);
const { verifyCheckpoint } = require('@sigstore/verify/dist/tlog/checkpoint.js') as {
  readonly verifyCheckpoint: (entry: LogEntry, logs: readonly TransparencyLog[]) => LogCheckpoint;
};
const { verifyMerkleInclusion } = require('@sigstore/verify/dist/tlog/merkle.js') as {
  readonly verifyMerkleInclusion: (entry: LogEntry, checkpoint: LogCheckpoint) => void;
};

interface Export {
  readonly origin: string;
  readonly verifier_key: string;
  readonly checkpoint: string;
  readonly entries: readonly ExportedEntry[];
}

/** The beginning of the DER of an Ed25519 SubjectPublicKeyInfo (RFC 8410), before the 32 bytes of the key. */
const ED25519_SPKI = Buffer.from('302a300506032b6570032100', 'hex');

/** Reads a C2SP verifier key according to its specification only. */
function logOf(verifierKey: string): TransparencyLog {
  // Base64 may contain a plus, so only the first two separate.
  const [, name = '', keyId, encoded = ''] = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(verifierKey) ?? [];
  const key = Buffer.from(encoded, 'base64').subarray(1);
  const id = createHash('sha256').update(`${name}\n\u0001`).update(key).digest();
  expect(id.subarray(0, 4).toString('hex')).toBe(keyId);
  return {
    logID: id,
    baseURL: name,
    publicKey: createPublicKey({ key: Buffer.concat([ED25519_SPKI, key]), format: 'der', type: 'spki' }),
  };
}

function entryOf(file: Export, { index, entry, proof }: ExportedEntry): LogEntry {
  return {
    canonicalizedBody: Buffer.from(canonicalize(entry)!),
    inclusionProof: {
      logIndex: String(index),
      hashes: proof.map((hash) => Buffer.from(hash, 'base64')),
      checkpoint: { envelope: file.checkpoint },
    },
  };
}

const { database, foundation } = await openTestFoundation();
const organizationId = (await seedOrganization(foundation)).organization.id;

describe('Sigstore’s reader of transparency logs', () => {
  let file: Export;
  let log: TransparencyLog;

  beforeAll(async () => {
    // Batches of several sizes, across the border of a tile of 256 hashes.
    for (const count of [1, 2, 60, 210]) {
      await act(foundation, organizationId, count);
      await sequence(foundation);
    }
    const checkpoint = await newestCheckpoint(database, organizationId);
    let text = '';
    for await (const piece of exportText(database, checkpoint, { organizationId })) text += piece;
    file = JSON.parse(text) as Export;
    log = logOf(file.verifier_key);
  });

  const verify = (entry: LogEntry, logs: readonly TransparencyLog[] = [log]) =>
    verifyMerkleInclusion(entry, verifyCheckpoint(entry, logs));

  it('reads the checkpoint, and finds every entry in the signed tree', () => {
    const first = entryOf(file, file.entries[0]!);
    expect(verifyCheckpoint(first, [log])).toMatchObject({
      origin: file.origin,
      logSize: BigInt(file.entries.length),
    });
    expect(file.entries.length).toBeGreaterThan(256);
    for (const entry of file.entries) expect(() => verify(entryOf(file, entry))).not.toThrow();
  });

  it('refuses an entry that was changed, one at another index, and a checkpoint of another size', () => {
    const [one, other] = [file.entries[100]!, file.entries[101]!];
    const changed = { ...one, entry: { ...one.entry, event_type: 'asset.assigned' } };
    expect(() => verify(entryOf(file, changed))).toThrow('calculated root hash');
    expect(() => verify(entryOf(file, { ...one, index: other.index }))).toThrow('calculated root hash');
    const resized = { ...file, checkpoint: file.checkpoint.replace(/\n\d+\n/, '\n1000\n') };
    expect(() => verify(entryOf(resized, one))).toThrow('invalid checkpoint signature');
  });

  it('refuses the checkpoint of another organization’s log', async () => {
    const other = (await seedOrganization(foundation, { name: 'Other', foreignId: 'other' })).organization;
    await sequence(foundation);
    const { verifierKey } = await newestCheckpoint(database, other.id);
    const entry = entryOf(file, file.entries[0]!);
    expect(() => verify(entry, [logOf(verifierKey)])).toThrow('invalid checkpoint signature');
  });
});
