import { expect, it } from '@jest/globals';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

const SOURCE = path.resolve(import.meta.dirname, '..', '..', '..', 'src');
/** The actor's name, which belongs to the `user_id` of the entry. */
const OF_THE_ACTOR = '      user: personal(activity.actor.name),';
/** Lines before a value in which its object names the person. */
const NEAR = 4;

it('every object with a personal value names the person or the invitation, so that an erasure finds it', async () => {
  const files = (await readdir(SOURCE, { recursive: true })).filter((file) => file.endsWith('.ts'));
  const found: string[] = [];
  const nameless: string[] = [];
  for (const file of files) {
    const lines = (await readFile(path.join(SOURCE, file), 'utf8')).split('\n');
    for (const [at, line] of lines.entries()) {
      if (!/[{:] ?personal\(/.test(line) || line === OF_THE_ACTOR) continue;
      found.push(file);
      const near = lines.slice(Math.max(0, at - NEAR), at + 1).join('\n');
      if (!/\b(user_id|invitation_id):/.test(near)) nameless.push(`${file}: ${line.trim()}`);
    }
  }
  expect(found.length).toBeGreaterThanOrEqual(9);
  expect(nameless).toEqual([]);
});
