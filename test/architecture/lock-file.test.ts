import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';

interface LockedPackage {
  readonly integrity?: string;
  readonly os?: readonly string[];
  readonly resolved?: string;
}

const read = async () => {
  const lock = await readFile(new URL('../../package-lock.json', import.meta.url), 'utf8');
  const { packages } = JSON.parse(lock) as { readonly packages: Readonly<Record<string, LockedPackage>> };
  return Object.entries(packages).filter(([path]) => path !== '');
};

describe('the lock file', () => {
  it('has the driver of PostgreSQL once, so that the process loads one and each connection is prepared by it', async () => {
    const paths = (await read()).map(([path]) => path);
    expect(paths.filter((path) => /(^|\/)node_modules\/pg$/.test(path))).toEqual(['node_modules/pg']);
  });

  it('has the digest of every package, but the builds of LiteSVM for systems that it is not developed on', async () => {
    const without = (await read()).filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
    expect(without.map(([path]) => path)).toEqual(
      ['darwin-arm64', 'darwin-x64', 'linux-arm64-gnu', 'linux-arm64-musl', 'linux-x64-musl'].map(
        (system) => `node_modules/litesvm-${system}`,
      ),
    );
  });

  it('names no server that packages come from', async () => {
    expect((await read()).filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });
});
