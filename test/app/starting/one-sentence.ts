import { expect } from '@jest/globals';
import type { Ended } from '../gateway-process.js';

/** Settings of a gateway that prints only why it ends. */
export const QUIET = { LUCARNE_PORT: '0', LUCARNE_LOG_LEVEL: 'silent' };

/** If a person can repair the problem, the command ends with one sentence and prints nothing else. */
export const isOneSentence = (ended: Ended, pattern: RegExp) => {
  expect(ended).toMatchObject({ exitCode: 1, output: '' });
  expect(ended.errors).toMatch(pattern);
  expect(ended.errors.trimEnd().split('\n')).toHaveLength(1);
};
