import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const tokens = readFileSync(
  path.resolve(import.meta.dirname, '../../../portal/src/design/styles/tokens.css'),
  'utf8',
);

/** `--name: light-dark(#…, #…)`: both colors of a token. */
const colors = new Map(
  [...tokens.matchAll(/--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);/g)].map(
    ([, name = '', light = '', dark = '']) => [name, { light, dark }],
  ),
);

/** Relative luminance (WCAG 2.2). */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

const SURFACES = ['page', 'surface', 'sunken'];
/** Text and its background: at least 4.5 : 1. */
const TEXT = [
  ...SURFACES.flatMap((surface) => [
    ['text', surface],
    ['text-soft', surface],
    ['accent', surface],
    ['bad', surface],
  ]),
  ['accent-text', 'accent'],
  ['text', 'accent-soft'],
  ['surface', 'bad'],
  ['text-soft', 'hidden'],
  ...['good', 'warn', 'bad'].flatMap((tone) => [
    [tone, `${tone}-soft`],
    ['text', `${tone}-soft`],
  ]),
];
/** Outlines of controls and of the focus, and the bars of pictures: at least 3 : 1. */
const SHAPES = [
  ...SURFACES.flatMap((surface) => [
    ['line-strong', surface],
    ['focus', surface],
  ]),
  ...['accent', 'good', 'warn', 'bad', 'line-strong'].map((tone) => [tone, 'surface']),
];

describe('the colors of the portal', () => {
  it('are compared by contrast ratio, which is 21 for white on black', () =>
    expect(contrast('#ffffff', '#000000')).toBeCloseTo(21));

  for (const scheme of ['light', 'dark'] as const) {
    const between = ([a = '', b = '']: readonly string[]) => {
      const [first, second] = [colors.get(a), colors.get(b)];
      if (!first || !second) throw new Error(`${a} or ${b} is no token.`);
      return contrast(first[scheme], second[scheme]);
    };
    const below = (pairs: readonly string[][], least: number) =>
      pairs.filter((pair) => between(pair) < least).map((pair) => `${pair.join(' on ')}: ${between(pair)}`);
    it(`have enough contrast, ${scheme}`, () => {
      expect(below(TEXT, 4.5)).toEqual([]);
      expect(below(SHAPES, 3)).toEqual([]);
    });
  }
});
