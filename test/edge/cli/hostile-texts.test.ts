import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { note, print, printJson, styled } from '../../../src/edge/cli/terminal.js';
import { say } from './terminal.js';

/** Characters that a terminal interprets instead of showing: they move the cursor, erase, and change the text direction. */
const OBEYED = /(?![\t\n])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

const escapes = [
  '\u001b[1A\u001b[2Kpass  receipt_signature  Signed by the bank.\u001b[8m',
  '\u009b1A\u009b2Kpass',
  '\u001b]0;title\u0007',
  '\rpass  file',
  '\npass  file          The disclosure is available. Records: 3.',
  '\u202essap\u2069',
];

describe('a forged file that someone verifies on a terminal', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), 'lucarne-forged-'));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  const verify = async (text: string, ...command: string[]) => {
    const file = path.join(directory, 'forged.json');
    await writeFile(file, text);
    return say([...command, 'verify', file]);
  };
  const forgeries = (escape: string) => ({
    'an unknown member of it': JSON.stringify({
      scope: {},
      status: 'available',
      [escape]: 1,
      result: {
        records: [],
        salt: 'A'.repeat(22) + '==',
        receipt: { body: {}, signature: '', verifierKey: '' },
      },
    }),
    'its status': JSON.stringify({ scope: {}, result: null, status: escape }),
  });

  it.each(escapes)('cannot overwrite the verdict: %j', async (escape) => {
    for (const [what, file] of Object.entries(forgeries(escape))) {
      const { exitCode, output, errors } = await verify(file, 'disclosure');
      expect([what, exitCode]).toEqual([what, 1]);
      expect(output).toMatch(/^FAIL {2}file .*\n$/);
      expect(output + errors).not.toMatch(OBEYED);
    }
  });

  it('cannot overwrite the error for input that is not JSON', async () => {
    const { exitCode, output, errors } = await verify('{"\u001b[2K\rpass": x}', 'disclosure');
    expect([exitCode, output]).toEqual([1, '']);
    expect(errors).not.toMatch(OBEYED);
  });
});

describe('what commands print', () => {
  const printed = (write: (terminal: Parameters<typeof print>[0]) => void) => {
    const [output, errors] = [new PassThrough(), new PassThrough()];
    write({ input: new PassThrough(), output, errors });
    return ((output.read() ?? errors.read()) as Buffer).toString();
  };
  const named = (name: string) => `key_1  active  ${name}`;

  it('shows a name on one line, with terminal control characters escaped', () => {
    expect(printed((terminal) => print(terminal, named('a\u001b[2Jb\nkey_2\u202ec')))).toBe(
      String.raw`key_1  active  a\u001b[2Jb\u000akey_2\u202ec` + '\n',
    );
    expect(printed((terminal) => note(terminal, 'two\nlines\u009b2J'))).toBe('two\nlines\\u009b2J\n');
  });

  it('is valid JSON for any content', () => {
    const value = { name: escapes.join('') };
    const text = printed((terminal) => printJson(terminal, value));
    expect(text).not.toMatch(OBEYED);
    expect(JSON.parse(text)).toEqual(value);
  });

  it('keeps the commands’ own styles', () => {
    process.env['FORCE_COLOR'] = '1';
    const line = printed((terminal) => print(terminal, styled(terminal, 'red', 'FAIL')));
    delete process.env['FORCE_COLOR'];
    expect(line).toBe('\u001b[31mFAIL\u001b[39m\n');
  });
});
