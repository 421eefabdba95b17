import { statementText } from '../../../../src/domain/activity-log/key-statement.js';
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
} from '../../../../src/platform/crypto/index.js';
import { base64 } from '../../../../src/platform/kernel/encoding/bytes.js';
import { canonicalJson, type JsonObject } from '../../../../src/platform/kernel/encoding/json.js';
import type { FileEntry, LogFile } from '../exporting/exported-log.js';

/** A key of a forger or an organization, with everything that it can sign. */
export interface Signer {
  readonly name: string;
  readonly publicKey: Uint8Array;
  readonly key: string;
  sign(message: Uint8Array): Uint8Array;
}

/** What a log with this name could state about its keys, true or forged. */
export function chainOf(origin: string) {
  const signerOf = (): Signer => {
    const { secret, publicKey } = generateSigningKey();
    const key = verifierKey(origin, publicKey);
    return { name: origin, publicKey, key, sign: (message) => sign(secret, message) };
  };
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
  const loss = (previous: Signer, next: Signer, by: Signer = next) => ({
    event_type: 'signing_key.lost',
    details: {
      statement: signNote(
        statementText(origin, { type: 'signing_key.lost', previous: previous.key, next: next.key }),
        by,
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

  /** The log of these entries, signed with a key. Its key changes are those of the entries. */
  const logOf = (signer: Signer, ...entries: readonly JsonObject[]) => logBy([signer], ...entries);

  /** The same with additional signers of the checkpoint. */
  function logBy(signers: readonly [Signer, ...Signer[]], ...entries: readonly JsonObject[]): LogFile {
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
      verifier_key: signers[0].key,
      checkpoint: signCheckpoint({ origin, size: entries.length, root: appender.root() }, ...signers),
      key_changes: file.filter(({ entry }) => String(entry['event_type']).startsWith('signing_key.')),
      entries: file,
    };
  }
  return { signerOf, rotation, loss, compromise, logOf, logBy };
}
