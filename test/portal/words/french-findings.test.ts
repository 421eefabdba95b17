import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { inFrench } from '../../../portal/src/verification/french-findings.ts';

const root = path.resolve(import.meta.dirname, '../../..');

/** The source files of sentences that the page shows. */
const SOURCES = [
  'src/domain/activity-log/verification/key-chain.ts',
  'src/domain/activity-log/verification/log-verifier.ts',
  'src/domain/activity-log/verification/receipt-keys.ts',
  'src/domain/activity-log/verification/since-check.ts',
  'src/domain/disclosures/verification/verify-amount-file.ts',
  'src/domain/disclosures/verification/verify-disclosure-file.ts',
  'src/domain/relays/evidence/verify-relay-receipt.ts',
  'portal/src/verification/broken-since.ts',
  'portal/src/verification/hash-findings.ts',
  'portal/src/verification/log-files.ts',
  'portal/src/verification/worker.ts',
  'src/platform/kernel/verification.ts',
];

/** Sentences that the code concatenates, by their last part. */
const WHOLE: Readonly<Record<string, string>> = {
  '7 not decryptable.': 'Amounts: 7 proven, 7 public on the ledger, 7 not decryptable.',
};

/** Every complete sentence in the code, with a number in place of each of its values. */
function sentencesOf(file: string): string[] {
  const code = readFileSync(path.join(root, file), 'utf8').replace(/\/\*.*?\*\/|\/\/[^\n]*/gs, '');
  const literals = code.matchAll(/'((?:[^'\\\n])*\.)'|`((?:[^`\\\n])*\.)`/g);
  return [...literals]
    .map(([, plain, template]) => plain ?? template!.replaceAll(/\$\{(?:[^{}]|\{[^}]*\})*\}/g, '7'))
    .filter((text) => /^[A-Z7].* /.test(text))
    .map((text) => WHOLE[text] ?? text);
}

describe('the results of the checks', () => {
  it('are in French on a French page', () => {
    const sentences = SOURCES.flatMap(sentencesOf);
    expect(sentences.length).toBeGreaterThan(80);
    expect(sentences.filter((sentence) => inFrench(sentence) === sentence)).toEqual([]);
  });

  it('keep the values unchanged', () => {
    expect(inFrench('Entry 5 follows entry 9: entries are out of order.')).toBe(
      'L’entrée 5 suit l’entrée 9 : les entrées ne sont pas dans l’ordre.',
    );
    expect(inFrench('record txn_1 discloses fee, which the scope does not include.')).toBe(
      'record txn_1 divulgue fee, que la portée ne contient pas.',
    );
    expect(
      inFrench(
        'rly_1 rejected (kyt_rejected) at 2026-01-01T00:00:00.000Z. Statements of providers: one: free; two: absent (not counted: contradicted).',
      ),
    ).toBe(
      'rly_1 rejected (kyt_rejected), 2026-01-01T00:00:00.000Z. Déclarations des fournisseurs : one : free; two : absent (non compté : contradicted).',
    );
    expect(inFrench('Something else went wrong.')).toBe('Something else went wrong.');
  });
});
