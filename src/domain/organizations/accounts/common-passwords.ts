import { createRequire } from 'node:module';

const MIN_LISTED_LENGTH = 4;
/** A word with at most this many other characters still counts as the word. */
const MAX_DECORATION = 8;
const MIN_DISTINCT_CHARACTERS = 5;
const MAX_REPEATED_LENGTH = 4;
const ROWS = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
  'qwertyuiopasdfghjklzxcvbnm',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm',
];
const LOOKALIKES: Readonly<Record<string, string>> = {
  '4': 'a',
  '@': 'a',
  '3': 'e',
  '1': 'i',
  '!': 'i',
  '0': 'o',
  $: 's',
  '5': 's',
  '7': 't',
};

/**
 * Whether a password is among those that attackers try first: one of 49,233 from breaches, also with digits or signs around
 * it, with lookalikes for letters, repeated, or a keyboard run; or a value of the person in `about`. Contacts no server.
 */
export function isCommonPassword(password: string, about: readonly string[] = []): boolean {
  const folded = password.normalize('NFKC').toLowerCase();
  if (new Set(folded).size < MIN_DISTINCT_CHARACTERS || isRun(folded)) return true;
  const known = new Set(
    about.map((word) => word.toLowerCase()).filter(({ length }) => length >= MIN_LISTED_LENGTH),
  );
  const isListed = (word: string) => listed().has(word) || known.has(word);
  return [folded, unitOf(folded)].some(
    (text) =>
      text.length <= MAX_REPEATED_LENGTH ||
      isListed(text) ||
      isDecorated(text, isListed) ||
      isDecorated(unmask(text), isListed),
  );
}

function isDecorated(text: string, isListed: (word: string) => boolean): boolean {
  const word = text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  return (
    word.length >= MIN_LISTED_LENGTH && text.length - word.length <= MAX_DECORATION && isListed(unmask(word))
  );
}

/** The shortest text that repeats to this one. Usually it is the text itself. */
function unitOf(text: string): string {
  const place = (text + text).indexOf(text, 1);
  return text.slice(0, place);
}

const isRun = (text: string) =>
  ROWS.some((row) => {
    const around = row.repeat(Math.ceil(text.length / row.length) + 1);
    return around.includes(text) || Array.from(around).reverse().join('').includes(text);
  });

const unmask = (text: string) => Array.from(text, (character) => LOOKALIKES[character] ?? character).join('');

let list: ReadonlySet<string> | undefined;

// Unpacked when it is first needed, because most processes never check a new password.
function listed(): ReadonlySet<string> {
  const { dictionary } = createRequire(import.meta.url)('@zxcvbn-ts/language-common') as {
    readonly dictionary: Readonly<Record<string, readonly string[]>>;
  };
  return (list ??= new Set(
    (dictionary['passwords-common'] ?? []).filter(({ length }) => length >= MIN_LISTED_LENGTH),
  ));
}
