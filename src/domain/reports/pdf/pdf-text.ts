const MARKS = /\p{M}+/gu;

/** Replaces characters that no font has. */
const REPLACEMENT = '?';

/** Whether a font has a character. */
export type Holds = (character: string) => boolean;

// Scripts whose characters are placed side by side. Characters of other scripts join, stack or run from right to left.
const SIDE_BY_SIDE =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Hangul}\p{Script=Common}]$/u;
const DRAWN = /^[\p{L}\p{N}\p{P}\p{S}]$/u;

/** A character that needs no shaping. A font that has it shows it as it was written. */
export const standsAlone = (character: string): boolean =>
  DRAWN.test(character) && SIDE_BY_SIDE.test(character);

/** The text as the fonts can show it, without unknown marks. Other missing characters become `?`, white space a space. */
export function printable(text: string, holds: Holds): { readonly text: string; readonly replaced: number } {
  let shown = '';
  let replaced = 0;
  for (const character of text.normalize('NFC').replace(/\s+/g, ' ')) {
    if (holds(character)) {
      shown += character;
      continue;
    }
    const base = character.normalize('NFKD').replace(MARKS, '');
    replaced += 1;
    shown += base !== '' && Array.from(base).every(holds) ? base : REPLACEMENT;
  }
  return { text: shown, replaced };
}

/**
 * Breaks text into lines no wider than `width`: at spaces, and inside of words without spaces. The space at a line break
 * stays at the end of the line, where it takes no room, so that a screen reader knows whether a word ends there.
 */
export function wrap(text: string, width: number, widthOf: (character: string) => number): string[] {
  const lines: string[] = [];
  let line = '';
  let lineWidth = 0;
  let breakAt = -1;
  for (const character of text) {
    const next = widthOf(character);
    if (character === ' ' && lineWidth + next > width && line !== '') {
      lines.push(`${line} `);
      [line, lineWidth, breakAt] = ['', 0, -1];
      continue;
    }
    // It can happen twice, if the rest after a space fills a line by itself.
    while (lineWidth + next > width && line !== '') {
      const rest = breakAt < 0 ? '' : line.slice(breakAt + 1);
      lines.push(breakAt < 0 ? line : line.slice(0, breakAt + 1));
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
