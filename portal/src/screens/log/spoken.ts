const CONSONANTS = 'bdfghjklmnprstvz';
const VOWELS = 'aiou';
const [WORDS_OF_GROUP, BYTES_OF_WORD] = [4, 2];

/** Two bytes as a word of five letters that can be said and heard in any language (a proquint: arXiv 0901.4016). */
function wordOf(high: number, low: number): string {
  const bits = high * 256 + low;
  const letter = (letters: string, shift: number) => letters.charAt((bits >> shift) & (letters.length - 1));
  return (
    letter(CONSONANTS, 12) +
    letter(VOWELS, 10) +
    letter(CONSONANTS, 6) +
    letter(VOWELS, 4) +
    letter(CONSONANTS, 0)
  );
}

/** A hash in base64 as words to read out over the telephone, in groups of four: `lusab babad gutih tugad`. */
export function spokenGroups(hash: string): readonly string[] {
  const bytes = Uint8Array.from(atob(hash), (character) => character.charCodeAt(0));
  const words = Array.from({ length: bytes.length / BYTES_OF_WORD }, (_, index) =>
    wordOf(bytes[2 * index]!, bytes[2 * index + 1]!),
  );
  return Array.from({ length: Math.ceil(words.length / WORDS_OF_GROUP) }, (_, group) =>
    words.slice(group * WORDS_OF_GROUP, (group + 1) * WORDS_OF_GROUP).join(' '),
  );
}

/** As text, 44 characters in base64, of which the last says nothing. */
const TEXT = /^[A-Za-z0-9+/]{43}=?$/;
const [consonant, vowel] = [`[${CONSONANTS}]`, `[${VOWELS}]`];
const WORDS = new RegExp(`^(?:${consonant}${vowel}${consonant}${vowel}${consonant}){16}$`);

function bytesOf(word: string): readonly number[] {
  const bits = [...word].reduce((value, letter, index) => {
    const letters = index % 2 === 0 ? CONSONANTS : VOWELS;
    return value * letters.length + letters.indexOf(letter);
  }, 0);
  return [bits >> 8, bits & 0xff];
}

/** The hash in base64 that somebody wrote, as its text or as its words; undefined if it is neither. */
export function hashWritten(written: string): string | undefined {
  const letters = written.replaceAll(/[\s-]/g, '');
  if (TEXT.test(letters)) return btoa(atob(letters));
  const spoken = letters.toLowerCase();
  if (!WORDS.test(spoken)) return undefined;
  return btoa(String.fromCharCode(...(spoken.match(/.{5}/g) ?? []).flatMap(bytesOf)));
}
