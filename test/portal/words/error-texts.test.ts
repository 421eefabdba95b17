import { describe, expect, it } from '@jest/globals';
import { ERROR_CODES, ERROR_REASONS } from '../../../src/platform/kernel/errors.js';
import { inLanguage } from '../../kit/browser/portal-language.js';

type Texts = typeof import('../../../portal/src/graphql/error-texts.ts');
const textsIn = (language: string) => inLanguage<Texts>(language, 'graphql/error-texts.ts');

describe('an error of the gateway', () => {
  it('has a text in each language for every code and every reason', async () => {
    const english = await textsIn('en-GB');
    const french = await textsIn('fr-FR');
    for (const { CODE_TEXTS, REASON_TEXTS } of [english, french]) {
      expect(Object.keys(CODE_TEXTS)).toEqual([...ERROR_CODES]);
      expect(Object.keys(REASON_TEXTS)).toEqual(Object.keys(ERROR_REASONS));
    }
    for (const code of ERROR_CODES) expect(french.CODE_TEXTS[code]).not.toBe(english.CODE_TEXTS[code]);
    for (const reason of Object.keys(ERROR_REASONS) as (keyof typeof ERROR_REASONS)[])
      expect(french.REASON_TEXTS[reason]).not.toBe(english.REASON_TEXTS[reason]);
  });

  it('is shown in English as the gateway says it', async () => {
    const { errorText } = await textsIn('en-GB');
    expect(errorText('CONFLICT', undefined, 'It was decided.')).toEqual({ message: 'It was decided.' });
    expect(errorText('CONFLICT', undefined, '').message).toBe('This is not possible in the present state.');
  });

  it('is shown in French by its reason or, with the gateway’s sentence as a detail, by its code', async () => {
    const { errorText } = await textsIn('fr-FR');
    expect(errorText('FORBIDDEN', 'second_factor_required', 'Prove yours.')).toEqual({
      message: 'Un second facteur est exigé : prouvez le vôtre, ou ajoutez-en un.',
    });
    const general = 'Ce n’est pas possible dans l’état actuel.';
    expect(errorText('CONFLICT', undefined, 'It was decided.')).toEqual({
      message: general,
      detail: 'It was decided.',
    });
    // A reason that only a newer gateway knows.
    expect(errorText('CONFLICT', 'toString', 'It was decided.').message).toBe(general);
    expect(errorText('UNKNOWN', undefined, 'A teapot.').message).toBe(
      'La requête a échoué dans la passerelle.',
    );
  });
});
