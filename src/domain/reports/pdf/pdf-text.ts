// What the standard fonts of PDF hold beyond Latin-1 (Windows-1252; ISO 32000-1, annex D.2).
const BEYOND_LATIN_1 = '€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ';
const MARKS = /\p{M}+/gu;

/** Stands for what the standard fonts do not hold. */
const REPLACEMENT = '?';

/** Whether a font holds a character. */
export type Holds = (character: string) => boolean;

// Scripts whose characters stand side by side, one after the other. Others join, stack or run to the left.
const SIDE_BY_SIDE =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Hangul}\p{Script=Common}]$/u;
const DRAWN = /^[\p{L}\p{N}\p{P}\p{S}]$/u;

/** A character that needs no shaping: a font that holds it shows it as it was written. */
export const standsAlone = (character: string): boolean =>
  DRAWN.test(character) && SIDE_BY_SIDE.test(character);

/** Whether the standard fonts of PDF hold all of a text. */
export const isStandard = (text: string): boolean => Array.from(text).every(inStandardFonts);

/**
 * The text as the fonts can show it: letters without the marks that they do not hold, and `?` for what none holds.
 * White space of any kind is a space.
 */
export function printable(
  text: string,
  holds: Holds = inStandardFonts,
): { readonly text: string; readonly replaced: number } {
  let shown = '';
  let replaced = 0;
  const isHeld: Holds = (character) => inStandardFonts(character) || holds(character);
  for (const character of text.normalize('NFC').replace(/\s+/g, ' ')) {
    if (isHeld(character)) {
      shown += character;
      continue;
    }
    const base = character.normalize('NFKD').replace(MARKS, '');
    replaced += 1;
    shown += base !== '' && Array.from(base).every(isHeld) ? base : REPLACEMENT;
  }
  return { text: shown, replaced };
}

function inStandardFonts(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return (
    (code >= 0x20 && code <= 0x7e) || (code >= 0xa0 && code <= 0xff) || BEYOND_LATIN_1.includes(character)
  );
}

/** Breaks text into lines no wider than `width`: at spaces, and inside of what has none. */
export function wrap(text: string, width: number, widthOf: (character: string) => number): string[] {
  const lines: string[] = [];
  let line = '';
  let lineWidth = 0;
  let breakAt = -1;
  for (const character of text) {
    const next = widthOf(character);
    // Twice where the rest after a space fills a line by itself.
    while (lineWidth + next > width && line !== '') {
      const rest = breakAt < 0 ? '' : line.slice(breakAt + 1);
      lines.push(breakAt < 0 ? line : line.slice(0, breakAt));
      line = rest;
      lineWidth = widthIn(rest, widthOf);
      breakAt = -1;
    }
    if (character === ' ' && line === '' && lines.length > 0) continue;
    if (character === ' ') breakAt = line.length;
    line += character;
    lineWidth += next;
  }
  if (line !== '' || lines.length === 0) lines.push(line);
  return lines;
}

function widthIn(text: string, widthOf: (character: string) => number): number {
  let width = 0;
  for (const character of text) width += widthOf(character);
  return width;
}
