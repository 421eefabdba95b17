import Sequencer from '@jest/test-sequencer';
import path from 'node:path';

/** Stories of whole processes and browsers take the longest, whatever the size of their files. */
const LONG = ['app', 'crash', 'edge/cli', 'portal', 'simulation'].map((room) =>
  path.normalize(`/test/${room}/`),
);

const isLong = ({ path: file }) => LONG.some((room) => file.includes(room));

/** Long files first, so that no worker is left with one of them at the end. Jest knows how long each takes only from its cache. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    return [...sorted.filter(isLong), ...sorted.filter((test) => !isLong(test))];
  }
}
