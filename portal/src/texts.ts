import { LANGUAGES, settings, type Language } from './settings.ts';

const asked = globalThis.navigator?.languages?.[0]?.toLowerCase() ?? 'en';

/** The language of this page. A choice takes effect when the page is loaded again: texts are read once. */
export const language: Language =
  settings.language === 'browser'
    ? (LANGUAGES.find((known) => asked.startsWith(known)) ?? 'en')
    : settings.language;

type Text = string | ((...values: never[]) => string);

/**
 * The texts of a component, in the reader's language. A language without a text of a component shows the English one, so
 * that a component is translated completely or not at all.
 */
export function texts<T extends Readonly<Record<string, Text>>>(
  english: T,
  others: Partial<Record<Exclude<Language, 'en'>, T>> = {},
): T {
  return (language === 'en' ? undefined : others[language]) ?? english;
}

const english = new Intl.PluralRules(language);

/** `1 day`, `2 days`: the number with the form of the noun that it takes. */
export function counted(count: number, one: string, many: string): string {
  return `${new Intl.NumberFormat(language).format(count)} ${english.select(count) === 'one' ? one : many}`;
}

/** A phrase at the beginning of a line. */
export const capitalized = (phrase: string): string =>
  phrase.charAt(0).toLocaleUpperCase(language) + phrase.slice(1);
