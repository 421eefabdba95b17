// What the standard fonts of PDF hold beyond Latin-1 (Windows-1252; ISO 32000-1, annex D.2).
const BEYOND_LATIN_1 = '€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ';
const MARKS = /\p{M}+/gu;

/** Stands for what the standard fonts do not hold. */
export const REPLACEMENT = '?';

/**
 * The text as the standard fonts can show it: letters without the marks that they do not hold, and `?` for other
 * scripts. White space of any kind is a space.
 */
export function printable(text: string): { readonly text: string; readonly replaced: number } {
  let shown = '';
  let replaced = 0;
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

function isHeld(character: string): boolean {
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
    // Twice where what is left behind a space fills a line by itself.
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
