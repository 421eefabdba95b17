import { describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { product } from '../../../src/app/product.js';
import { createProgram } from '../../../src/edge/cli/program.js';
import { chainOf } from '../../domain/activity-log/signing-keys/key-chain-kit.js';
import { receiptSignedBy } from '../../domain/relays/evidence/receipt-kit.js';
import { say } from './terminal.js';

const silent = () => new PassThrough().resume();

/** Every command with its words. */
function commandsOf(command: Command, words: readonly string[] = []): [string, Command][] {
  return command.commands.flatMap((child): [string, Command][] => {
    const path = [...words, child.name()];
    return [[path.join(' '), child], ...commandsOf(child, path)];
  });
}

const program = createProgram({ input: new PassThrough(), output: silent(), errors: silent() }, product);
const commands = commandsOf(program);

describe('the lucarne command', () => {
  it('has these commands', () => {
    expect(commands.filter(([, command]) => command.commands.length === 0).map(([words]) => words)).toEqual([
      'serve',
      'migrate',
      'doctor',
      'master-key status',
      'master-key rotate',
      'master-key reseal',
      'master-key retire',
      'organization create',
      'organization retention',
      'user create',
      'api-key create',
      'api-key list',
      'api-key revoke',
      'auditor-key import',
      'disclosure verify',
      'amount verify',
      'log verify',
      'log resume',
      'log erase',
      'records parts',
      'records move',
      'records archive',
      'records attach',
      'relay verify',
      'relay show',
      'relayer status',
      'openapi',
      'schema',
      'demo',
    ]);
  });

  it.each(commands)('describes “%s” in one sentence and exits with 0 for --help', async (words, command) => {
    expect(command.description()).toMatch(/^[A-Z][^\n]+\.$/);
    const { exitCode, output, errors } = await say([...words.split(' '), '--help']);
    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
    expect(output).toContain(`Usage: lucarne ${words}`);
    if (command.commands.length === 0) expect(output).toContain(`Examples:\n  lucarne ${words}`);
  });

  it.each(commands.flatMap(([words, command]) => command.options.map((option) => [words, option] as const)))(
    'describes each option of “%s”',
    (_words, option) => expect(option.description).toMatch(/\.$/),
  );

  it('prints its exit codes and its version', async () => {
    expect((await say(['--help'])).output).toMatch(/Exit codes:\n {2}0 {2}done/);
    expect(await say(['--version'])).toMatchObject({ exitCode: 0, output: '0.1.0\n' });
  });

  it.each(commands)('exits with 2 for an unknown option of “%s”', async (words, command) => {
    const required = command.options.flatMap(({ mandatory, long }) => (mandatory ? [String(long), 'x'] : []));
    const { exitCode, output, errors } = await say([...words.split(' '), ...required, '--no-such-option']);
    expect({ exitCode, output }).toEqual({ exitCode: 2, output: '' });
    expect(errors).toContain("unknown option '--no-such-option'");
  });

  it.each([
    { words: [], because: 'Usage: lucarne' },
    { words: ['no-such-command'], because: "unknown command 'no-such-command'" },
    { words: ['api-key'], because: 'Usage: lucarne api-key' },
    { words: ['serve', 'surplus'], because: 'too many arguments' },
    { words: ['api-key', 'list'], because: "required option '--organization <id>' not specified" },
    { words: ['schema', '--write', '--check'], because: 'cannot be used with' },
    { words: ['disclosure', 'verify'], because: "missing required argument 'file'" },
  ])('exits with 2 for “$words”', async ({ words, because }) => {
    const { exitCode, errors } = await say(words);
    expect(exitCode).toBe(2);
    expect(errors).toContain(because);
  });

  it('refuses invalid values before it opens the database', async () => {
    const create = ['--name', 'A', '--email', 'a@example.org', '--password-stdin'];
    expect(await say(['user', 'create', '--organization', 'acme', ...create])).toMatchObject({
      exitCode: 2,
      errors: '--organization must be the id of an organization (org_…).\n',
    });
    const organization = ['--organization', 'org_01kaj5zz3xfjtb8wq2m7v4c9ye'];
    expect(await say(['user', 'create', ...organization, ...create, '--role', 'king'])).toMatchObject({
      exitCode: 2,
      errors: expect.stringContaining('not “king”'),
    });
    const key = ['api-key', 'create', ...organization, '--name', 'A', '--scope', 'assets:read'];
    expect(await say([...key, '--expires', 'tomorrow'])).toMatchObject({
      exitCode: 2,
      errors: expect.stringContaining('--expires must be an ISO 8601 time'),
    });
  });

  it('does not prompt for a password without a terminal', async () => {
    const owner = ['--owner-name', 'O', '--owner-email', 'o@example.org'];
    expect(await say(['organization', 'create', '--name', 'N', ...owner])).toMatchObject({
      exitCode: 2,
      errors: expect.stringContaining('Use --password-stdin'),
    });
  });
});

describe('lucarne disclosure verify', () => {
  it('reports a file that is missing, is not JSON, or is not a disclosure', async () => {
    const directory = await mkdtemp(path.join(os.tmpdir(), 'lucarne-cli-'));
    try {
      const file = path.join(directory, 'file.json');
      expect(await say(['disclosure', 'verify', file])).toMatchObject({
        exitCode: 2,
        errors: expect.stringContaining('cannot be read'),
      });
      await writeFile(file, '{');
      expect(await say(['disclosure', 'verify', file])).toMatchObject({
        exitCode: 1,
        errors: expect.stringContaining('is ambiguous or invalid JSON'),
      });
      await writeFile(file, '{"amount":"1","amount":"2"}');
      expect(await say(['disclosure', 'verify', file])).toMatchObject({
        exitCode: 1,
        errors: expect.stringContaining('Duplicate member name: amount'),
      });
      await writeFile(file, '{}');
      const { exitCode, output, errors } = await say(['disclosure', 'verify', file]);
      expect({ exitCode, errors }).toEqual({ exitCode: 1, errors: `${file} does not verify.\n` });
      expect(output).toContain('FAIL  file');
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});

describe('lucarne relay verify', () => {
  it('follows the key changes from a known key to the one that signed', async () => {
    const directory = await mkdtemp(path.join(os.tmpdir(), 'lucarne-cli-'));
    try {
      const written = async (name: string, content: unknown) => {
        await writeFile(path.join(directory, name), JSON.stringify(content));
        return path.join(directory, name);
      };
      const { signerOf, rotation, compromise, logOf } = chainOf('lucarne.example/log/org_1');
      const [first, second] = [signerOf(), signerOf()];
      const receipt = await written('receipt.json', receiptSignedBy(second));
      const keys = await written('log.json', logOf(second, rotation(first, second)));
      const verify = ['relay', 'verify', receipt, '--verifier-key', first.key];
      expect(await say(verify)).toMatchObject({
        exitCode: 1,
        output: expect.stringContaining('also pass the key file (--keys)'),
      });
      expect(await say([...verify, '--keys', keys])).toMatchObject({
        exitCode: 0,
        output: expect.stringContaining('pass  keys        Signed by key 2 of 2'),
      });
      const old = await written('old.json', receiptSignedBy(first));
      const keysFile = await written(
        'told.json',
        logOf(second, rotation(first, second), compromise(first, 0, second)),
      );
      expect(await say(['relay', 'verify', old, '--keys', keysFile])).toMatchObject({
        exitCode: 1,
        output: expect.stringContaining('declared compromised as of index 0'),
      });
      expect(await say([...verify, '--keys', path.join(directory, 'none.json')])).toMatchObject({
        exitCode: 2,
        errors: expect.stringContaining('cannot be read'),
      });
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});

describe('printed documents', () => {
  it('include the OpenAPI document', async () => {
    const { exitCode, output } = await say(['openapi']);
    expect(exitCode).toBe(0);
    expect(JSON.parse(output)).toMatchObject({ openapi: '3.1.0' });
  });

  it('include the GraphQL schema', async () => {
    const { exitCode, output } = await say(['schema']);
    expect(exitCode).toBe(0);
    expect(output).toContain('type Query {');
  });

  it('include the database schema as SQL, without the migration tool’s tables', async () => {
    const { printDatabaseSchema } = await import('../../../src/app/schemas/database-schema.js');
    const printed = await printDatabaseSchema();
    expect(printed).toContain('create table organizations (\n  id text not null,\n');
    expect(printed).not.toContain('mikro_orm');
  });
});
