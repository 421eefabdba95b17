import { isCode, type SourceFile } from './source-files.ts';

/** One violation of a rule. Lines count from 1. */
export interface Violation {
  readonly rule: string;
  readonly file: string;
  readonly line: number;
  readonly problem: string;
}

interface LineRule {
  readonly name: string;
  readonly pattern: RegExp;
  readonly advice: string;
  /** Parts of a line that match but are allowed. */
  readonly except?: RegExp;
  readonly applies?: (file: string) => boolean;
}

const outside = (prefix: RegExp) => (file: string) => isCode(file) && !prefix.test(file);

/** Words and phrases that plain technical English does not need. */
const WORDS: readonly LineRule[] = [
  {
    name: 'word: behind',
    pattern: /\bbehind\b/gi,
    // Something can be behind a proxy, a façade or an interface, and a node can lag behind.
    except:
      /\b(lag(s|ged|ging)?|fall(s|en|ing)?|fell|slots?|far|is|are|be|been|was|were|being) behind\b|\bbehind (an?|the|its|one|this|that|two|several|your|`?\w+`?’?s?) (\w+ )?(proxy|proxies|façade|interface|queue|load balancer|door|server)\b|\bleav(e|es|ing) \w+( \w+)? behind\b/gi,
    advice: '“after”',
  },
  {
    name: 'word: nobody’s',
    pattern: /\bnobody(’|')s\b/gi,
    advice: '“of no organization”, “without an owner”',
  },
  { name: 'word: whoever', pattern: /\b(whoever|whomever)\b/gi, advice: '“anyone who”, “the caller who”' },
  { name: 'word: whichever', pattern: /\bwhichever\b/gi, advice: '“any”, “whether … or …”' },
  { name: 'word: anybody', pattern: /\b(anybody|everybody)\b/gi, advice: '“anyone”, “everyone”' },
  {
    name: 'word: of its own',
    pattern: /\bof (its|their|one(’|')s) own\b/gi,
    advice: '“its own …”, “a separate …”',
  },
  { name: 'word: anew', pattern: /\b(anew|afresh)\b/gi, advice: '“again”, “from scratch”' },
  { name: 'word: besides', pattern: /\bbesides\b/gi, advice: '“also”, “in addition to”' },
  { name: 'word: go on', pattern: /\b(go|goes|going|gone|went) on\b/gi, advice: '“continue”, “resume”' },
  {
    name: 'word: is over',
    pattern: /\b(is|are|was|were|be) over\b(?! (TLS|HTTP|HTTPS|NOTIFY|Redis|\d))/gi,
    advice: '“has ended”',
  },
  { name: 'word: for good', pattern: /\bfor good\b/gi, advice: '“permanently”, “forever”' },
  { name: 'word: for ever', pattern: /\bfor ever\b/gi, advice: '“forever”' },
  { name: 'word: in vain', pattern: /\bin vain\b/gi, advice: '“without success”, “not found”' },
  { name: 'word: of before', pattern: /\bof before\b(?!\.)/gi, advice: '“earlier”, “previous”' },
  {
    name: 'word: keeps nobody',
    pattern: /\bkeeps? (nobody|no one) \w+/gi,
    advice: '“does not delay others”, “does not lock anyone out”',
  },
  { name: 'word: by halves', pattern: /\bby halves\b/gi, advice: '“partly”' },
  {
    name: 'word: take on',
    pattern: /\b(take|takes|taken|took) (on|up)\b/gi,
    advice: '“accept”, “claim”, “continue”',
  },
  { name: 'word: told apart', pattern: /\b(told|tell|tells) apart\b/gi, advice: '“distinguished”' },
  { name: 'word: came to nothing', pattern: /\b(came|come|comes) to nothing\b/gi, advice: '“failed”' },
  {
    name: 'word: broke off',
    pattern: /\b(broke|break|breaks|broken) off\b/gi,
    advice: '“failed”, “was interrupted”',
  },
  { name: 'word: found right', pattern: /\bfound right\b/gi, advice: '“passed verification”' },
  { name: 'word: a beat', pattern: /\b(a|the) beat\b/gi, advice: '“lease renewal”' },
  { name: 'word: mend', pattern: /\bmend(s|ed|ing)?\b/gi, advice: '“fix”, “repair”' },
  {
    name: 'word: archaic',
    pattern:
      /\b(lest|hence|whence|thereof|therein|hereby|herein|albeit|likewise|moreover|notwithstanding|once more|as it were)\b/gi,
    advice: 'common words',
  },
  {
    name: 'word: spelling',
    pattern: /\b(any more|recognis(e|es|ed|ing)|colours?|behaviours?|defences?)\b/gi,
    advice: 'American spelling: “anymore”, “recognize”, “color”',
  },
  { name: 'word: reads alike', pattern: /\breads? alike\b/gi, advice: '“ambiguous”' },
  { name: 'word: unfinished', pattern: /\b(TODO|FIXME|XXX|HACK)\b/g, advice: 'finish it, or write an issue' },
];

const TIME =
  'AGE|DEADLINE|DELAY|DURATION|GRACE|IDLE|INTERVAL|LIFETIME|PATIENCE|PAUSE|PERIOD|TIMEOUT|TTL|WAIT|WINDOW';

const NAMES: readonly LineRule[] = [
  {
    name: 'name: extremes',
    pattern:
      /\b((LARGEST|MOST|SMALLEST|GREATEST|LEAST|FEWEST|MAXIMUM|MINIMUM)_[A-Z0-9_]+|(LONGEST|SHORTEST|DEEPEST)\w*|maximum\w*(Ms|Bytes|Calls|Length))\b/g,
    advice: 'begin with MAX_ or MIN_, or with max or min',
    applies: isCode,
  },
  {
    name: 'name: number of attempts',
    pattern: /\bconst (?!MAX_|MIN_|DEFAULT_)([A-Z0-9]+_)*(ATTEMPTS|TRIES|RETRIES|ROUNDS)(?= = \d)/g,
    advice: 'begin with MAX_, MIN_ or DEFAULT_',
    applies: (file) => isCode(file) && /^(src|devnet)\//.test(file),
  },
  {
    name: 'name: unit of time',
    pattern: new RegExp(String.raw`\bconst ([A-Z0-9]+_)*(${TIME})(?= = [\d_]+)`, 'g'),
    advice: 'end with the unit: _MS, _SECONDS',
    applies: isCode,
  },
  {
    name: 'name: spelling of a unit',
    pattern:
      /\b\w*(?<!get|set|getUTC|setUTC)Milliseconds\b|\bmilliseconds(?=\??: number)|\b[A-Z0-9_]+_(MILLISECONDS|MILLIS|SECS|SEC|MINUTES_MS)\b/g,
    advice: 'durationMs, timeoutMs, _MS, _SECONDS, _BYTES',
    applies: isCode,
  },
  {
    name: 'name: dataDir',
    pattern: /\b\w*[dD]ataDir\b/g,
    // PGlite's own options.
    except: /PGlite\.create\(.*|\b(load|dump)DataDir\b/,
    advice: 'dataDirectory',
    applies: isCode,
  },
  {
    name: 'name: locate',
    pattern: /\blocate[A-Z]\w*\b/g,
    advice: 'parseIdOrNotFound, or find… that throws NOT_FOUND',
    applies: isCode,
  },
  {
    name: 'name: ephemeral',
    pattern: /\b(fulfillAtMost|fulfilAtMost|proveDeath|mostAttempts|isPassing|PASSING|passing\b(?= ?[:=]))/g,
    advice: 'fulfillWithTimeout, proveExpiry, maxAttempts, transient',
    applies: isCode,
  },
];

const MECHANISMS: readonly LineRule[] = [
  {
    name: 'one of each: enums',
    pattern: /\b(function|const) enumOf\b|\bregisterEnumType\(/g,
    advice: 'graphqlEnum of src/platform/kernel/enums/enum.type.ts',
    applies: outside(/^src\/platform\/kernel\/enums\/enum\.type\.ts$|^bench\/references\//),
  },
  {
    name: 'one of each: back-off',
    pattern:
      /\b2 \*\* \(?[\w.]*(failures|attempts?|tries|retries|round)\b|\bMath\.min\([^;]*\b2 \*\* |\b2 \* (wait|delay|pause)\w*|\b(wait|delay|pause)\w* \* 2\b|\b(function|const) \w*[bB]ackOff\w*Ms\b/g,
    advice: 'backOffMs of src/platform/jobs',
    applies: outside(/^(src|test)\/platform\/jobs\//),
  },
  {
    name: 'one of each: leases',
    pattern: /\bclass LeaseLost\b/g,
    advice: 'LeaseLost of src/platform/jobs',
    applies: outside(/^src\/platform\/jobs\//),
  },
  {
    name: 'one of each: members that are refused',
    // Its first argument begins with the name of a member.
    pattern: /\bbadUserInput\(\s*(`\$\{(member|name|path)\}|['"`][a-z]\w*(\[\d\])? must\b)/g,
    advice: 'invalidMember(member, problem)',
    applies: outside(/^(src\/platform\/kernel|test)\//),
  },
  {
    name: 'machine path',
    pattern: /(?<![\w.])\/(work|home|root|Users)\/\w+/g,
    advice: 'a path relative to the repository',
  },
  {
    name: 'focused test',
    pattern: /\b(it|test|describe)\.only\(/g,
    advice: 'run all of them',
    applies: isCode,
  },
];

const LINE_RULES: readonly LineRule[] = [...WORDS, ...NAMES, ...MECHANISMS];

/** All violations of rules about single lines in a file. */
export function brokenLines(file: SourceFile): readonly Violation[] {
  const text = file.lines.join('\n');
  const rules = LINE_RULES.filter(
    ({ applies, pattern }) => (applies?.(file.path) ?? true) && text.search(pattern) >= 0,
  );
  return file.lines.flatMap((line, index) =>
    rules.flatMap(({ name, pattern, except, advice }) => {
      const examined = except ? line.replace(except, '') : line;
      return [...examined.matchAll(pattern)].map(([match]) => ({
        rule: name,
        file: file.path,
        line: index + 1,
        problem: `“${match}” → ${advice}`,
      }));
    }),
  );
}

const RAW_STATEMENT =
  /\bsql(<[^`]*>)?`\s*(select|insert|update|delete|with|grant|revoke|lock|alter|create|drop|vacuum)\b|\bprepared<[A-Z]\w+>\(\n|[`']select [a-z(].*\bfrom\b/g;
const REASON = /(\/\/|\*) .*\b(raw|builder|prepared)\b/i;
const REASON_OF_MANY = /(\/\/|\*) .*\b(all of this file|all that follow|the statements below)\b/;
/** A statement and the expressions that it uses may share one reason. */
const MAX_LINES_FROM_REASON = 14;

/** Raw statements without a nearby reason for not using `query`, which is typed by the entities. */
export function unexplainedStatements(files: readonly SourceFile[]): readonly Violation[] {
  return files
    .filter(({ path }) => /^src\/.*\.ts$/.test(path) && !path.startsWith('src/platform/database/migrations/'))
    .flatMap(({ path, lines }) =>
      [...lines.join('\n').matchAll(RAW_STATEMENT)].flatMap(({ index, input }) => {
        const line = input.slice(0, index).split('\n').length;
        const isExplained =
          lines
            .slice(Math.max(0, line - 1 - MAX_LINES_FROM_REASON), line + 1)
            .some((near) => REASON.test(near)) ||
          lines.slice(0, line).some((before) => REASON_OF_MANY.test(before));
        const problem = 'write it with `query`, or say in a comment right above why it is raw';
        return isExplained ? [] : [{ rule: 'raw SQL', file: path, line, problem }];
      }),
    );
}

export const MAX_FILE_LINES = 400;
const MAX_FOLDER_FILES = 16;
const MAX_README_LINES = 150;
const MAX_README_LINE_LENGTH = 160;

export function longFiles(files: readonly SourceFile[]): readonly Violation[] {
  return files
    .filter(({ path }) => isCode(path))
    .flatMap(({ path, lines }) =>
      lines.length - 1 > MAX_FILE_LINES
        ? [
            {
              rule: 'length of a file',
              file: path,
              line: MAX_FILE_LINES + 1,
              problem: `${lines.length - 1} lines; at most ${MAX_FILE_LINES}`,
            },
          ]
        : [],
    );
}

export function crowdedFolders(files: readonly SourceFile[]): readonly Violation[] {
  const folders = Map.groupBy(
    // `x.browser.ts` is the counterpart of `x.ts`.
    files.filter(({ path }) => /^(src|devnet|portal|test)\//.test(path) && !path.endsWith('.browser.ts')),
    ({ path }) => path.slice(0, path.lastIndexOf('/')),
  );
  return [...folders]
    .filter(([folder, inside]) => inside.length > MAX_FOLDER_FILES && !folder.endsWith('/migrations'))
    .flatMap(([folder, inside]) =>
      inside.slice(MAX_FOLDER_FILES).map(({ path }) => ({
        rule: 'files in a folder',
        file: path,
        line: 1,
        problem: `${folder} has ${inside.length} files; at most ${MAX_FOLDER_FILES}, then sub-folders by what they do`,
      })),
    );
}

export function badFileNames(files: readonly SourceFile[]): readonly Violation[] {
  return files.flatMap(({ path }) => {
    const parts = path.split('/');
    const name = parts.at(-1)!.replace(/^\./, '');
    const problems: string[] = [];
    if (isCode(path) && !/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9-]+)*$/.test(name))
      problems.push('names of files are kebab-case');
    if (parts.slice(0, -1).some((folder) => /^(utils?|helpers?|common|shared|misc)$/.test(folder)))
      problems.push('a folder is named after what its files do');
    return problems.map((problem) => ({ rule: 'name of a file', file: path, line: 1, problem }));
  });
}

export function readmeSize(files: readonly SourceFile[]): readonly Violation[] {
  const readme = files.find(({ path }) => path === 'README.md');
  if (!readme) return [];
  const at = (line: number, problem: string) => ({
    rule: 'size of the README',
    file: readme.path,
    line,
    problem,
  });
  const lines = readme.lines.slice(0, -1);
  return [
    ...lines.flatMap((line, index) =>
      line.length > MAX_README_LINE_LENGTH
        ? [at(index + 1, `${line.length} characters; at most ${MAX_README_LINE_LENGTH}`)]
        : [],
    ),
    ...(lines.length > MAX_README_LINES
      ? [at(MAX_README_LINES + 1, `${lines.length} lines; at most ${MAX_README_LINES}`)]
      : []),
  ];
}
