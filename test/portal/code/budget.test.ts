import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

const folder = path.resolve(import.meta.dirname, '../../../dist/portal/public');

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

const chunks = JSON.parse(readFileSync(path.join(folder, 'manifest.json'), 'utf8')) as Record<string, Chunk>;
const compressedBytes = (file: string) =>
  gzipSync(readFileSync(path.join(folder, file)), { level: 9 }).length;

/** The chunks that the page loads before it shows anything. */
function firstLoad(): ReadonlySet<string> {
  const names = new Set<string>();
  const add = (name: string) => {
    if (names.has(name)) return;
    names.add(name);
    for (const imported of chunks[name]?.imports ?? []) add(imported);
  };
  add('index.html');
  return names;
}

const KIB = 1024;

describe('the compressed size of the portal', () => {
  const first = firstLoad();
  it('is at most 140 KiB of JavaScript and 12 KiB of CSS before anything is shown', () => {
    const scripts = [...first].reduce((sum, name) => sum + compressedBytes(chunks[name]?.file ?? ''), 0);
    const styles = (chunks['index.html']?.css ?? []).reduce((sum, file) => sum + compressedBytes(file), 0);
    expect(scripts).toBeLessThanOrEqual(140 * KIB);
    expect(styles).toBeLessThanOrEqual(12 * KIB);
  });

  it('is at most 40 KiB for each later part, and 35 KiB for the verification worker', () => {
    for (const [name, { file }] of Object.entries(chunks)) {
      if (first.has(name) || !file.endsWith('.js')) continue;
      expect([name, compressedBytes(file) <= 40 * KIB]).toEqual([name, true]);
    }
    const workers = readdirSync(path.join(folder, 'assets')).filter((file) => /^worker-.*\.js$/.test(file));
    expect(workers).toHaveLength(1);
    expect(compressedBytes(`assets/${workers[0] ?? ''}`)).toBeLessThanOrEqual(35 * KIB);
  });
});
