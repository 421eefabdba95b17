import { describe, expect, it } from '@jest/globals';
import { auditorKeysOf } from '../../../src/domain/assets/index.js';
import { sql } from '../../../src/platform/database/index.js';
import { formatElGamalKeypair, generateElGamalKeypair } from '../../../src/platform/crypto/index.js';
import { WRONG_KEYPAIRS } from '../../domain/assets/wrong-keypairs.js';
import { seedOrganization, openTestFoundation } from '../../kit/seed.js';
import { say } from './terminal.js';

const REASON = ['--reason', 'Mints of our former gateway'];

const { database, foundation } = await openTestFoundation();
const home = await seedOrganization(foundation);

describe('lucarne auditor-key import', () => {
  const importKey = (
    input: string,
    parameters: readonly string[] = ['--organization', home.organization.id, ...REASON],
  ) =>
    say(['auditor-key', 'import', ...parameters], input, {
      withFoundation: (_access, work) => work(foundation),
    });
  const keypair = () => formatElGamalKeypair(generateElGamalKeypair());
  const stored = async () => ({
    keys: (await auditorKeysOf(database, home.organization.id)).length,
    entries: (
      await database.rows(sql`select id from activity_entries
        where organization_id = ${home.organization.id} and event_type = 'auditor_key.imported'`)
    ).length,
  });

  it.each(WRONG_KEYPAIRS)(
    'explains what is wrong with %s, without repeating any of it, and stores nothing',
    async (_, text, answer) => {
      const before = await stored();
      const { exitCode, output, errors } = await importKey(text);
      expect({ exitCode, output }).toEqual({ exitCode: 2, output: '' });
      expect(errors.startsWith(answer)).toBe(true);
      if (text.trim() !== '') expect(errors).not.toContain(text.trim().slice(0, 20));
      expect(await stored()).toEqual(before);
    },
  );

  it.each<[string, () => readonly [string, readonly string[]], number, string]>([
    [
      'no reason',
      () => [keypair(), ['--organization', home.organization.id, '--reason', ' ']],
      2,
      'reason must ',
    ],
    [
      'another id',
      () => [keypair(), ['--organization', 'org_1', ...REASON]],
      2,
      '--organization must be the id',
    ],
    [
      'an organization that does not exist',
      () => [keypair(), ['--organization', 'org_01kaj5zz3xfjtb8wq2m7v4c9ye', ...REASON]],
      1,
      'No such organization.',
    ],
    [
      'more than 4 KiB',
      () => ['1'.repeat(5_000), ['--organization', home.organization.id, ...REASON]],
      2,
      'The keypair on standard input is too long.',
    ],
  ])('is refused with %s', async (_, parametersOf, exitCode, answer) => {
    const [input, parameters] = parametersOf();
    const before = await stored();
    expect(await importKey(input, parameters)).toMatchObject({
      ...{ exitCode, output: '' },
      errors: expect.stringContaining(answer),
    });
    expect(await stored()).toEqual(before);
  });

  it('accepts a keypair afterwards', async () => {
    const { exitCode, output } = await importKey(`${keypair()}\n`);
    expect(exitCode).toBe(0);
    expect(output).toMatch(/^Auditor key 1 of the organization: [A-Za-z0-9+/]{43}=\n$/);
    expect(await stored()).toEqual({ keys: 1, entries: 1 });
  });
});
