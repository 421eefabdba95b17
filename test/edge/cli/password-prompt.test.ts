import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { createTestDatabase } from '../../kit/database/database.js';
import { runOnTerminal } from '../../kit/process/pseudo-terminal.js';
import { dataDirectory, run } from '../../app/gateway-process.js';

const PASSWORD = 'correct horse battery staple';
const PROMPT = 'Password of olga@northwind.example: ';
const REPEAT = 'Repeat the password: ';
const CREATE = [
  ...['organization', 'create', '--name', 'Northwind'],
  ...['--owner-name', 'Olga Owner', '--owner-email', 'olga@northwind.example'],
];
const CONTROL_C = '\u0003';
const CONTROL_D = '\u0004';

describe('the password prompt on a terminal', () => {
  it('creates an organization and a user with the password that was typed twice, and never echoes it', async () => {
    await using parts = new AsyncDisposableStack();
    const directory = parts.use(await dataDirectory());
    const url = process.env['DATABASE_URL'] && parts.use(await createTestDatabase()).url;
    const environment = {
      LUCARNE_DATA_DIR: directory.path,
      LUCARNE_MASTER_KEY: randomBytes(32).toString('base64'),
      ...(url ? { DATABASE_URL: url } : {}),
    };
    expect(await run(['migrate'], environment)).toMatchObject({ exitCode: 0 });

    const created = await runOnTerminal(CREATE, environment, [
      { shown: PROMPT, keys: `${PASSWORD}\r` },
      { shown: REPEAT, keys: `${PASSWORD}\r` },
    ]);
    expect(created).toMatchObject({
      exitCode: 0,
      screen: expect.stringContaining('Owner Olga Owner <olga@northwind.example>: usr_'),
    });
    expect(created.screen).not.toContain(PASSWORD);

    const [organization = ''] = /org_\w+/.exec(created.screen) ?? [];
    const user = ['user', 'create', '--organization', organization, '--name', 'Otto', '--role', 'owner'];
    // Both lines are typed before the second prompt, and neither is lost.
    const second = await runOnTerminal([...user, '--email', 'otto@northwind.example'], environment, [
      { shown: 'Password of otto@northwind.example: ', keys: `${PASSWORD}\r${PASSWORD}\r` },
    ]);
    expect(second).toMatchObject({ exitCode: 0, screen: expect.stringContaining('User Otto <otto@') });
  }, 480_000);

  it.each([
    {
      end: 'the two passwords differ',
      exitCode: 2,
      exchanges: [
        { shown: PROMPT, keys: `${PASSWORD}\r` },
        { shown: REPEAT, keys: 'another password\r' },
      ],
      message: 'The passwords do not match. Nothing was changed.',
    },
    {
      end: 'Control-C is pressed',
      exitCode: 1,
      exchanges: [{ shown: PROMPT, keys: CONTROL_C }],
      message: 'Cancelled. Nothing was changed.',
    },
    {
      end: 'the input ends',
      exitCode: 1,
      exchanges: [{ shown: PROMPT, keys: CONTROL_D }],
      message: 'No password was entered. Nothing was changed.',
    },
  ])(
    'changes nothing when $end',
    async ({ exitCode, exchanges, message }) => {
      await using directory = await dataDirectory();
      const ended = await runOnTerminal(CREATE, { LUCARNE_DATA_DIR: directory.path }, exchanges);
      expect(ended).toMatchObject({ exitCode, screen: expect.stringContaining(message) });
    },
    60_000,
  );
});
