import { describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ROOT } from '../gateway-process.js';

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly resolved?: string;
}

// Builds for other platforms that the registry of the lock file does not have, so their integrity is unknown.
const WITHOUT_INTEGRITY = [
  'node_modules/litesvm-darwin-arm64',
  'node_modules/litesvm-darwin-x64',
  'node_modules/litesvm-linux-arm64-gnu',
  'node_modules/litesvm-linux-arm64-musl',
  'node_modules/litesvm-linux-x64-musl',
];

const json = async (file: string) => JSON.parse(await readFile(path.join(ROOT, file), 'utf8')) as unknown;

describe('the lock file', () => {
  it('has an integrity hash for every package except the listed optional builds', async () => {
    const { packages } = (await json('package-lock.json')) as { packages: Record<string, LockedPackage> };
    const found = Object.entries(packages).filter(([place, { link }]) => place !== '' && link !== true);
    expect(found.length).toBeGreaterThan(1_000);
    const without = found.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''));
    expect(without.map(([place]) => place)).toEqual(WITHOUT_INTEGRITY);
    for (const [, { optional }] of without) expect(optional).toBe(true);
  });

  it('names no registry, so that npm uses the configured one', async () => {
    const { packages } = (await json('package-lock.json')) as { packages: Record<string, LockedPackage> };
    expect(Object.values(packages).flatMap(({ resolved }) => resolved ?? [])).toEqual([]);
  });

  it('has a single version of pg: with two, the process would load both, and only one would have our type parsers', async () => {
    const { packages } = (await json('package-lock.json')) as { packages: Record<string, LockedPackage> };
    expect(Object.keys(packages).filter((place) => /(^|\/)node_modules\/pg$/.test(place))).toEqual([
      'node_modules/pg',
    ]);
  });

  it('locks exactly what package.json asks for, and package.json names exact versions', async () => {
    const asked = (await json('package.json')) as Record<string, Record<string, string>>;
    const { packages } = (await json('package-lock.json')) as { packages: Record<string, LockedPackage> };
    for (const [name, version] of Object.entries({ ...asked['dependencies'], ...asked['devDependencies'] })) {
      expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
      expect(packages[`node_modules/${name}`]?.version).toBe(version);
    }
  });
});
