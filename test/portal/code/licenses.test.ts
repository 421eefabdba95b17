import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

/** The packages that the build found in the page, with their licenses. */
const bundled = JSON.parse(read('dist/portal/packages.json')) as Record<string, string>;

/** Lines such as `  react (MIT)` below the heading of the portal. */
function noticed(): Record<string, string> {
  const [, section = ''] = read('NOTICE').split('Packages in the portal');
  const lines = section
    .split('\n\n')
    .slice(0, 3)
    .join('\n')
    .matchAll(/^ {2}(\S+) \(([^)]+)\)$/gm);
  return Object.fromEntries([...lines].map(([, name = '', license = '']) => [name, license] as const));
}

describe('the packages whose code is in the portal', () => {
  it('are named in NOTICE with their licenses, without omissions or extras', () => {
    expect(Object.keys(bundled)).toEqual(expect.arrayContaining(['react', '@noble/curves']));
    expect(noticed()).toEqual(bundled);
  });

  it('have licenses that require only their notices', () => {
    expect(new Set(Object.values(bundled))).toEqual(new Set(['MIT', 'Apache-2.0']));
  });
});
