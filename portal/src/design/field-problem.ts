import { countText, dayText } from '../format.ts';
import { texts } from '../texts.ts';

const words = texts(
  {
    missing: 'Fill this in.',
    short: (count: number) => `Enter at least ${countText(count)} characters.`,
    mail: 'Enter an e-mail address.',
    form: 'This does not have the right form.',
    whole: 'Enter a whole number.',
    number: 'Enter a number.',
    day: 'Enter a whole date.',
    least: (least: number) => `Enter ${countText(least)} or more.`,
    most: (most: number) => `Enter ${countText(most)} or less.`,
    earliest: (day: string) => `Choose ${day} or a later day.`,
    latest: (day: string) => `Choose ${day} or an earlier day.`,
  },
  {
    fr: {
      missing: 'Remplissez ce champ.',
      short: (count: number) => `Saisissez au moins ${countText(count)} caractères.`,
      mail: 'Saisissez une adresse e-mail.',
      form: 'Ceci n’a pas la bonne forme.',
      whole: 'Saisissez un nombre entier.',
      number: 'Saisissez un nombre.',
      day: 'Saisissez une date entière.',
      least: (least: number) => `Saisissez ${countText(least)} ou plus.`,
      most: (most: number) => `Saisissez ${countText(most)} ou moins.`,
      earliest: (day: string) => `Choisissez le ${day} ou un jour suivant.`,
      latest: (day: string) => `Choisissez le ${day} ou un jour précédent.`,
    },
  },
);

export interface Bounds {
  readonly type?: string;
  readonly minLength?: number;
  readonly min?: string;
  readonly max?: string;
}

/** What is wrong with a field, in the words of the page: the browser speaks its own language, and writes days otherwise. */
export function problemOf(found: ValidityState, bounds: Bounds): string | undefined {
  const { type, minLength = 0, min = '', max = '' } = bounds;
  const isDay = type === 'date';
  if (found.badInput) return isDay ? words.day : words.number;
  if (found.valueMissing) return words.missing;
  if (found.tooShort) return words.short(minLength);
  if (found.typeMismatch) return words.mail;
  if (found.patternMismatch) return words.form;
  if (found.rangeUnderflow) return isDay ? words.earliest(dayText(min)) : words.least(Number(min));
  if (found.rangeOverflow) return isDay ? words.latest(dayText(max)) : words.most(Number(max));
  if (found.stepMismatch) return words.whole;
  return undefined;
}
