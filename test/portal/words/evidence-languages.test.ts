import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { inLanguage } from '../../kit/browser/portal-language.js';

/** Stored evidence, and its description in English and in French: every reason and every witness. */
const SAID = JSON.parse(
  readFileSync(path.resolve(import.meta.dirname, '../../vectors/relay-evidence-words.json'), 'utf8'),
) as readonly Readonly<{ evidence: Record<string, unknown>; english: string[]; french: string[] }>[];

const FOLDER = 'screens/relays';
type Words = typeof import('../../../portal/src/screens/relays/evidence-words.ts');
type Texts = typeof import('../../../portal/src/screens/relays/evidence-texts.ts');

async function wordsIn(language: string) {
  const { evidenceInWords } = await inLanguage<Words>(language, `${FOLDER}/evidence-words.ts`);
  const { EVIDENCE_WORDS, ...tables } = await inLanguage<Texts>(language, `${FOLDER}/evidence-texts.ts`);
  const texts = SAID.map(({ evidence }) => {
    const { sentences, facts, groups, rest } = evidenceInWords(evidence);
    expect(rest).toEqual({});
    return [
      ...sentences,
      ...facts.map(({ name, value }) => `${name}: ${value}`),
      ...groups.flatMap(({ title, statements }) => [title, ...statements.flatMap((one) => one.sentences)]),
    ].map((text) => text.replaceAll(/[\u00a0\u202f]/g, ' '));
  });
  return { texts, words: EVIDENCE_WORDS, tables };
}

/** The constant parts of a sentence. */
function partsOf(word: string | ((...values: never[]) => string)): string[] {
  if (typeof word === 'string') return [word];
  const gap = '\u0001';
  return (word as (...values: string[]) => string)(...Array.from({ length: word.length }, () => gap)).split(
    gap,
  );
}

describe.each([
  { language: 'en-GB', at: 'english' },
  { language: 'fr-FR', at: 'french' },
] as const)('The evidence of a relay in $language', ({ language, at }) => {
  it('is shown in French, for every reason and provider', async () => {
    const { texts } = await wordsIn(language);
    expect(texts).toEqual(SAID.map((row) => row[at]));
  });

  it('has no text that no evidence uses', async () => {
    const { texts, words, tables } = await wordsIn(language);
    const every = texts.flat();
    const isSaid = (parts: readonly string[]) =>
      every.some((text) => parts.every((part) => text.includes(part)));
    for (const [table, names] of Object.entries(tables))
      for (const [name, word] of Object.entries(names))
        expect([table, name, isSaid([word])]).toEqual([table, name, true]);
    // The number of spent nullifiers has five phrases, all of which are above.
    for (const [name, word] of Object.entries(words).filter(([known]) => known !== 'spent'))
      expect([name, isSaid(partsOf(word))]).toEqual([name, true]);
  });
});

it('the evidence of a relay is never in English on a French page', async () => {
  const [english, french] = [await wordsIn('en-GB'), await wordsIn('fr-FR')];
  // Terms that French adopts.
  const SAME = /^(Transaction|Blockhash|Slot): /;
  const kept = english.texts.flatMap((lines, row) =>
    lines.filter((text, line) => french.texts[row]![line] === text && !SAME.test(text)),
  );
  expect(kept).toEqual([]);
});
