import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {
  watchSanctionsFile,
  type SanctionsFile,
} from '../../../src/domain/checks/screening/sanctions-file.js';
import { sanctionsListProvider } from '../../../src/domain/checks/screening/sanctions-list.js';
import { silentLog, type Log } from '../../../src/platform/kernel/log.js';
import { eventually } from '../../kit/eventually.js';
import { randomAddress } from '../../kit/ledger/confidential-records.js';
import { sanctionsXml, standingClock } from './kit.js';

const listOf = (...addresses: string[]) =>
  sanctionsXml({ addresses: { 'Digital Currency Address - SOL': addresses } });

describe('a watched sanctions file', () => {
  let directory: string;
  let file: string;
  let watched: SanctionsFile;
  let failures: number;
  let errors: { readonly err: unknown; readonly keptVersion: string | null }[];

  beforeEach(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), 'lucarne-sanctions-'));
    file = path.join(directory, 'SDN_ADVANCED.XML');
    failures = 0;
    errors = [];
  });
  afterEach(async () => {
    await watched[Symbol.asyncDispose]();
    await rm(directory, { recursive: true });
  });

  const log: Log = { ...silentLog, error: (members) => void errors.push(members as never) };
  const watch = () => {
    watched = watchSanctionsFile({ file, log, failed: () => (failures += 1), pollMs: 5 });
  };

  const names = (address: string) => watched.current()?.addresses.has(address) ?? false;
  const [first, second] = [randomAddress(), randomAddress()];

  it('is read at startup, and again when it is replaced', async () => {
    await writeFile(file, listOf(first));
    watch();
    await eventually(() => names(first));
    await writeFile(`${file}.new`, listOf(second));
    await rename(`${file}.new`, file);
    await eventually(() => names(second));
    expect(names(first)).toBe(false);
    expect(failures).toBe(0);
  });

  it('may appear after the gateway has started: its absence is logged once', async () => {
    watch();
    await eventually(() => failures === 1);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(watched.current()).toBeUndefined();
    expect(errors).toEqual([{ err: expect.objectContaining({ code: 'ENOENT' }), keptVersion: null }]);
    await writeFile(file, listOf(first));
    await eventually(() => names(first));
  });

  it.each([
    ['broken', '<Sanctions><'],
    ['cut off', listOf(second).slice(0, -40)],
    ['empty', ''],
  ])('leaves the list as it was if it becomes %s, which is logged once', async (_, text) => {
    await writeFile(file, listOf(first));
    watch();
    await eventually(() => names(first));
    await writeFile(file, text);
    await eventually(() => errors.length > 0);
    const kept = watched.current()!.version;
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect([names(first), names(second)]).toEqual([true, false]);
    expect(errors.at(-1)).toMatchObject({ keptVersion: kept });
    expect(failures).toBe(errors.length);
    await writeFile(file, listOf(second));
    await eventually(() => names(second));
  });

  it('leaves the list unchanged if it is deleted', async () => {
    await writeFile(file, listOf(first));
    watch();
    await eventually(() => names(first));
    await rm(file);
    await eventually(() => failures === 1);
    expect(names(first)).toBe(true);
  });

  it('is detected as changed through a symbolic link, and by its size alone', async () => {
    const [one, two] = [path.join(directory, 'one'), path.join(directory, 'two')];
    const at = new Date('2026-11-03T00:00:00Z');
    for (const [target, text] of [
      [one, listOf(first)],
      [two, listOf(first, second)],
    ] as const) {
      await writeFile(target, text);
      await utimes(target, at, at);
    }
    await symlink(one, file);
    watch();
    await eventually(() => names(first));
    await symlink(two, `${file}.new`);
    await rename(`${file}.new`, file);
    await eventually(() => names(second));
  });

  it('is reported and not read if it is a directory', async () => {
    file = directory;
    watch();
    await eventually(() => failures === 1);
    expect(errors[0]!.err).toMatchObject({ message: expect.stringMatching('not a regular file') });
  });
});

describe('the sanctions list as a screening step', () => {
  const address = randomAddress();
  const list = (...addresses: string[]) => ({
    issuedAt: new Date('2026-11-03T00:00:00Z'),
    version: '2026-11-03/00',
    addresses: new Set(addresses),
  });
  const ask = async (current: ReturnType<typeof list> | undefined, at: string, maxAgeDays?: number) =>
    sanctionsListProvider({ current: () => current, clock: standingClock(at), maxAgeDays }).screen(address);

  it('clears nothing before it is loaded', async () => {
    expect(await ask(undefined, '2026-11-03T00:00:00Z')).toEqual({ outcome: 'unavailable' });
  });

  it('names the version that decided', async () => {
    const listVersion = '2026-11-03/00';
    expect(await ask(list(), '2026-11-04T00:00:00Z')).toEqual({ outcome: 'clear', listVersion });
    expect(await ask(list(address), '2026-11-04T00:00:00Z')).toEqual({ outcome: 'sanctioned', listVersion });
  });

  it('clears nothing past its maximum age, but still names listed addresses', async () => {
    expect(await ask(list(), '2026-11-13T00:00:00.000Z', 10)).toMatchObject({ outcome: 'clear' });
    expect(await ask(list(), '2026-11-13T00:00:00.001Z', 10)).toMatchObject({ outcome: 'unavailable' });
    expect(await ask(list(address), '2027-11-13T00:00:00Z', 10)).toMatchObject({ outcome: 'sanctioned' });
    expect(await ask(list(), '2026-11-01T00:00:00Z', 10)).toMatchObject({ outcome: 'unavailable' });
    expect(await ask(list(), '2036-11-13T00:00:00Z')).toMatchObject({ outcome: 'clear' });
  });
});
