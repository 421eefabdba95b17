import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  exportText,
  newestCheckpoint,
  type SignedCheckpoint,
} from '../../../src/domain/activity-log/index.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { forFile } from '../../kit/for-file.js';
import { seedOrganization, testFoundation } from '../../kit/seed.js';
import { act, sequence } from '../../domain/activity-log/kit.js';
import { say } from './terminal.js';

const database = forFile(await createTestDatabase());
const directory = await mkdtemp(path.join(os.tmpdir(), 'lucarne-log-'));

describe('lucarne log verify', () => {
  let older: SignedCheckpoint;
  let newest: SignedCheckpoint;
  const inDirectory = (name: string) => path.join(directory, name);

  beforeAll(async () => {
    const foundation = testFoundation(database);
    const { organization } = await seedOrganization(foundation);
    await act(foundation, organization.id, 3);
    await sequence(foundation);
    older = await newestCheckpoint(database, organization.id);
    await act(foundation, organization.id, 3);
    await sequence(foundation);
    newest = await newestCheckpoint(database, organization.id);
    const pieces: string[] = [];
    for await (const piece of exportText(database, newest, { organizationId: organization.id }))
      pieces.push(piece);
    await writeFile(inDirectory('log.json'), pieces.join(''));
    await writeFile(inDirectory('older.txt'), older.note);
    await writeFile(inDirectory('forged.json'), pieces.join('').replace('asset.created', 'asset.assigned'));
    await writeFile(inDirectory('text.json'), 'not JSON');
  });
  afterAll(async () => {
    await rm(directory, { recursive: true });
  });

  it('exits with 0 if every check passes, and lists what a file cannot prove', async () => {
    const { exitCode, output, errors } = await say(['log', 'verify', inDirectory('log.json')]);
    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
    expect(output).toContain(`pass  complete    The file has all ${newest.size} entries of the log.`);
    expect(output).toContain('A file alone cannot prove:');
  });

  it('accepts a pinned key, an older checkpoint and --complete, and prints JSON', async () => {
    const options = [
      '--key',
      newest.verifierKey,
      '--since',
      inDirectory('older.txt'),
      '--complete',
      '--json',
    ];
    const { exitCode, output } = await say(['log', 'verify', inDirectory('log.json'), ...options]);
    expect(exitCode).toBe(0);
    const { valid, checks } = JSON.parse(output) as {
      valid: boolean;
      checks: { name: string; detail: string }[];
    };
    expect(valid).toBe(true);
    expect(checks.at(-1)).toEqual({
      name: 'since',
      passed: true,
      detail: `The log continues the older checkpoint of ${older.size} entries.`,
    });
  });

  it('exits with 1 and names the changed entry', async () => {
    const { exitCode, output, errors } = await say(['log', 'verify', inDirectory('forged.json')]);
    expect(exitCode).toBe(1);
    expect(output).toMatch(/FAIL {2}proofs {6}Entry \d+ is not the entry that was logged at this index/);
    expect(errors).toContain('forged.json does not verify.');
  });

  it('exits with 1 for a key other than the pinned one, and for a file that is not JSON', async () => {
    const other = newest.verifierKey.replace(/.{4}$/, 'AAA=');
    expect((await say(['log', 'verify', inDirectory('log.json'), '--key', other])).exitCode).toBe(1);
    expect((await say(['log', 'verify', inDirectory('text.json')])).exitCode).toBe(1);
  });

  it('exits with 2 for a file that cannot be read', async () => {
    const missing = await say(['log', 'verify', inDirectory('missing.json')]);
    expect(missing).toMatchObject({
      exitCode: 2,
      errors: expect.stringContaining('missing.json cannot be read'),
    });
    const since = await say([
      'log',
      'verify',
      inDirectory('log.json'),
      '--since',
      inDirectory('missing.txt'),
    ]);
    expect(since.exitCode).toBe(2);
  });

  it('contains each leaf as the exact hashed text', async () => {
    const lines = (await readFile(inDirectory('log.json'), 'utf8')).split('\n').slice(1, -2);
    expect(lines).toHaveLength(newest.size);
    expect(lines[0]).toMatch(/^\{"index":0,"entry":\{"application_foreign_id":null,"case_id":null,/);
  });
});
