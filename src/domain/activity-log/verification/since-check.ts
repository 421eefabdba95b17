import {
  type Checkpoint,
  openCheckpoint,
  parseVerifierKey,
  treeBuilder,
} from '../../../platform/crypto/index.js';
import { equalBytes } from '../../../platform/kernel/encoding/bytes.js';
import { breakAfter, type ChainedKey, distrust } from './key-chain.js';
import { CheckFailed } from '../../../platform/kernel/verification.js';
import type { EntryCheck } from './log-check.js';

/** Whether the log continues an older checkpoint. `expected` is a key of the log from another source. */
export function sinceCheck(
  now: Checkpoint,
  keys: readonly ChainedKey[],
  since: string,
  expected: string | undefined,
) {
  const opened = keys.flatMap((key) => {
    const checkpoint = openCheckpoint(since, parseVerifierKey(key.verifierKey)!);
    return checkpoint ? [{ key, checkpoint }] : [];
  });
  const older = opened[0]?.checkpoint;
  const distrusted =
    older &&
    distrust(
      opened.map(({ key }) => key),
      older.size,
    );
  // With an expected key, a break does not matter: the caller has that key from another source.
  const broken =
    opened[0] && expected === undefined ? breakAfter(keys, keys.indexOf(opened[0].key)) : undefined;
  // The tree of as many entries as the older log had.
  const tree = treeBuilder();
  let newest = -1;
  const append = (index: number, leaf: Uint8Array) => {
    if (!older || older.size >= now.size || tree.size === older.size) return;
    tree.append(leaf);
    newest = index;
  };
  return {
    name: 'since',
    add: ({ index }, leaf) => append(index, leaf),
    append,
    finish() {
      if (!older)
        throw new CheckFailed('The older checkpoint is malformed, or not signed by the key of this log.');
      if (distrusted !== undefined) throw new CheckFailed(distrusted);
      if (broken !== undefined)
        throw new CheckFailed(
          `Entry ${broken} declares that the key of the older checkpoint, or a later key, was lost. Anyone could have written that entry. Get the current key from your organization itself, and pass it too (--key).`,
        );
      if (older.size > now.size)
        throw new CheckFailed(
          `The log had ${older.size} entries before and has ${now.size} now: entries at its end were removed.`,
        );
      if (older.size < now.size && (tree.size < older.size || newest !== older.size - 1)) {
        throw new CheckFailed(
          `This check needs the first ${older.size} entries of the log, and the file does not have all of them.`,
        );
      }
      const root = older.size === now.size ? now.root : tree.root();
      if (!equalBytes(root, older.root)) {
        throw new CheckFailed(
          `The first ${older.size} entries are not those of the older checkpoint: the history of the log was changed.`,
        );
      }
      return `The log continues the older checkpoint of ${older.size} entries.`;
    },
  } satisfies EntryCheck & Record<string, unknown>;
}
