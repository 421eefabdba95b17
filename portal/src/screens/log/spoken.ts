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

/** Whether somebody wrote this hash, as its text or as its words. */
export function isWritten(hash: string, written: string): boolean {
  const letters = (text: string) => text.replaceAll(/[\s-]/g, '');
  return (
    letters(written) === letters(hash) ||
    letters(written.toLowerCase()) === letters(spokenGroups(hash).join(' '))
  );
}
