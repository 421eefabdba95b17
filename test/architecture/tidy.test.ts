import { describe, expect, it } from '@jest/globals';
import { findViolations } from '../../scripts/tidy/check.ts';
import type { SourceFile } from '../../scripts/tidy/source-files.ts';

const PATH = 'src/domain/assets/asset.ts';
const file = (path: string, ...lines: string[]): SourceFile => ({ path, lines: [...lines, ''] });
const found = (...files: SourceFile[]) => findViolations(files).map(({ rule, line }) => [rule, line]);
/** The rules that one line of code breaks, except for dead exports, which need several files. */
const rulesOf = (line: string) =>
  findViolations([file(PATH, line)]).flatMap(({ rule }) => (rule === 'dead export' ? [] : [rule]));

describe('the house style', () => {
  it('has no violation anywhere', () => {
    const violations = findViolations();
    expect(
      violations.map(({ rule, file: name, line, problem }) => `${name}:${line}: ${rule}: ${problem}`),
    ).toEqual([]);
  }, 120_000);

  it.each([
    ['// The cursor to continue behind.', 'word: behind'],
    ['// An error is nobody’s.', 'word: nobody’s'],
    ['const message = "whoever asks";', 'word: whoever'],
    ['// It has a thread of its own.', 'word: of its own'],
    ['// Compiled anew.', 'word: anew'],
    ['// It cannot land any more.', 'word: spelling'],
    ['// It waits for ever.', 'word: for ever'],
    ['// It was looked for in vain.', 'word: in vain'],
    ['// The rows of before stay.', 'word: of before'],
    ['// A flood keeps nobody out.', 'word: keeps nobody'],
    ['// Never translated by halves.', 'word: by halves'],
    ['const LONGEST_NAME = 3;', 'name: extremes'],
    ['const DEEPEST = 8;', 'name: extremes'],
    ['const { maximumRestMs } = terms;', 'name: extremes'],
    ['const LOCK_ATTEMPTS = 1_200;', 'name: number of attempts'],
    ['function isPassing(error: Error) {}', 'name: ephemeral'],
    ['const STOP_DEADLINE = 15_000;', 'name: unit of time'],
    ['function pause(durationMilliseconds: number) {}', 'name: spelling of a unit'],
    ['function pause(milliseconds: number) {}', 'name: spelling of a unit'],
    ['const dataDir = 1;', 'name: dataDir'],
    ['const said = 1;', 'name: vague variable'],
    ['const { case: of } = row;', 'name: vague variable'],
    ['const names = rows.map(([given]) => name(given));', 'name: vague variable'],
    ['function find(of: string) {}', 'name: vague variable'],
    ['registerEnumType(Status, {});', 'one of each: enums'],
    ['const rest = FIRST_MS * 2 ** failures;', 'one of each: back-off'],
    ['waitMs = Math.min(2 * waitMs, MAX_MS);', 'one of each: back-off'],
    ['wait = Math.min(wait * 2, MAX_MS);', 'one of each: back-off'],
    ['throw badUserInput(`${member} must be short.`);', 'one of each: members that are refused'],
    ["throw badUserInput('name must be short.');", 'one of each: members that are refused'],
    ["const folder = '/home/olga/lucarne';", 'machine path'],
    ["it.only('runs alone', () => {});", 'focused test'],
  ])('refuses %j', (line, rule) => {
    expect(rulesOf(line)).toEqual([rule]);
  });

  it.each([
    '// The gateway stands behind a proxy.',
    '// The provider lags behind the others.',
    'for (const id of before.ids) keep(id);',
    'const STOP_DEADLINE_MS = 15_000;',
    'const MAX_LOCK_ATTEMPTS = 1_200;',
    'const time = date.getUTCMilliseconds();',
    'for (const row of rows) statements.push({ said: row.text });',
    "throw invalidMember('name', 'must be short');",
  ])('allows %j', (line) => {
    expect(rulesOf(line)).toEqual([]);
  });

  it('counts the lines of a file, and the lines and characters of the README', () => {
    expect(found(file(PATH, ...Array<string>(401).fill('')))).toEqual([['length of a file', 401]]);
    expect(found(file(PATH, ...Array<string>(400).fill('')))).toEqual([]);
    expect(found(file('README.md', ...Array<string>(151).fill('')))).toEqual([['size of the README', 151]]);
    expect(found(file('README.md', 'x'.repeat(161)))).toEqual([['size of the README', 1]]);
  });

  it('refuses a handwritten SQL statement that no comment explains', () => {
    const statement = ['const rows = sql<Row>`', '  select id from assets`;'];
    expect(found(file(PATH, ...statement))).toEqual([['raw SQL', 1]]);
    expect(found(file(PATH, '// Raw: beyond the builder.', ...statement))).toEqual([]);
    expect(found(file('test/domain/assets/asset.test.ts', ...statement))).toEqual([]);
    const texts = [
      'const TEXT = `select id from assets`;',
      'await transaction.rows(sql`lock table assets`);',
    ];
    for (const text of texts) expect(found(file(PATH, text))).toEqual([['raw SQL', 1]]);
    const far = Array<string>(20).fill('');
    expect(found(file(PATH, '// Raw: beyond the builder.', ...far, ...statement))).toEqual([['raw SQL', 22]]);
    expect(found(file(PATH, '// Raw, as all that follow: no entities.', ...far, ...statement))).toEqual([]);
  });

  it('refuses uninformative file and folder names', () => {
    expect(found(file('src/domain/assets/bindMint.ts'), file('src/domain/utils/text.ts'))).toEqual([
      ['name of a file', 1],
      ['name of a file', 1],
    ]);
  });

  it('refuses a folder of more than 16 files', () => {
    const files = Array.from({ length: 17 }, (_, index) => file(`src/domain/assets/file-${index}.ts`));
    expect(found(...files)).toEqual([['files in a folder', 1]]);
  });

  it('finds an export that no other file imports, also through the index of its folder', () => {
    const asset = file(
      PATH,
      'export const used = 1;',
      'export const unused = used;',
      'export class Whole {}',
    );
    const index = file('src/domain/assets/index.ts', "export { used, type Whole } from './asset.js';");
    const user = file('src/app/x.ts', "import { used } from '../domain/assets/index.js';", 'used;');
    const lazy = file('src/app/y.ts', "type W = import('../domain/assets/index.js').Whole;");
    expect(found(asset, index, user)).toEqual([
      ['dead export', 2],
      ['dead export', 1],
    ]);
    expect(found(asset, index, user, lazy)).toEqual([['dead export', 2]]);
  });

  it('finds an export that only tests use, also through the index of its folder', () => {
    const asset = file(
      PATH,
      'export const seed = 1;',
      'export const used = 2;',
      'export const inner = 3;',
      'export const outer = inner;',
    );
    const index = file('src/domain/assets/index.ts', "export { outer, seed, used } from './asset.js';");
    const user = file(
      'src/app/x.ts',
      "import { outer, used } from '../domain/assets/index.js';",
      'used + outer;',
    );
    const kit = file(
      'test/kit/seed.ts',
      "import { seed, used } from '../../src/domain/assets/index.js';",
      "import { inner } from '../../src/domain/assets/asset.js';",
      'seed + used + inner;',
    );
    expect(found(asset, index, user, kit)).toEqual([['dead export', 1]]);
  });
});
