import { expect, it } from '@jest/globals';
import { brokenSince } from '../../../portal/src/verification/broken-since.ts';
import type { FileEntry } from '../../../src/domain/activity-log/verification/file-entry.js';
import { followKeys } from '../../../src/domain/activity-log/verification/key-chain.js';
import { chainOf } from '../../domain/activity-log/signing-keys/key-chain-kit.js';

it('a browser does not trust a log with a key that no earlier key named', () => {
  const { signerOf, rotation, loss, logOf } = chainOf('lucarne.example/log/org_1');
  const [first, second, third] = [signerOf(), signerOf(), signerOf()];
  const { origin, key_changes: changes } = logOf(third, rotation(first, second), loss(second, third));
  const keys = followKeys(origin, changes as readonly FileEntry[], third.key);
  for (const { key } of [first, second])
    expect(brokenSince(keys, key)).toMatch(
      /^Entry 1 declares that the key that this browser remembers, .* was lost/,
    );
  expect(brokenSince(keys, third.key)).toBeUndefined();
});
