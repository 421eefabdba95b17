import Sequencer from '@jest/test-sequencer';
import path from 'node:path';

/** Tests of whole processes and browsers take longest, whatever the size of their files. */
const LONG = ['app', 'crash', 'edge/cli', 'portal', 'simulation'].map((room) =>
  path.normalize(`/test/${room}/`),
);

const isLong = ({ path: file }) => LONG.some((room) => file.includes(room));

/** Long files come first, so that no worker is left with one at the end. Jest knows durations only from its cache. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    return [...sorted.filter(isLong), ...sorted.filter((test) => !isLong(test))];
  }
}
