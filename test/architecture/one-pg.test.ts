import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';

describe('the driver of PostgreSQL', () => {
  it('is installed once, so that the process loads one and each connection is prepared by it', async () => {
    const lock = await readFile(new URL('../../package-lock.json', import.meta.url), 'utf8');
    const { packages } = JSON.parse(lock) as { readonly packages: Readonly<Record<string, unknown>> };
    expect(Object.keys(packages).filter((name) => /(^|\/)node_modules\/pg$/.test(name))).toEqual([
      'node_modules/pg',
    ]);
  });
});
