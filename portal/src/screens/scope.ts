import { dayText, listText, shortText, utcDayText } from '../format.ts';
import { counted, texts } from '../texts.ts';
import { FLAGS, type Flag } from './flags.ts';

/** The values of a record that a disclosure can show. */
export const FIELD_NAMES: Readonly<Record<'amount' | 'fee', string>> = texts(
  { amount: 'amount', fee: 'fee' },
  { fr: { amount: 'montant', fee: 'frais' } },
);
export const fieldsText = (fields: readonly ('amount' | 'fee')[]): string =>
  listText(fields.map((field) => FIELD_NAMES[field]));

const words = texts(
  {
    fullTxIds: 'full transaction ids',
    senderInformation: 'sender information',
    withdrawalDetails: 'withdrawal details',
    fullTxIdsMeans:
      'Ids, signatures and exact times of transactions, by which each can be found on the ledger.',
    senderInformationMeans: 'The accounts debited, who authorized and who paid: the addresses of senders.',
    withdrawalDetailsMeans: 'Amounts and destination accounts of withdrawals.',
    staysHidden: 'What stays hidden',
    nothingHidden: 'nothing of what a case can hide',
    least: 'amounts and days only',
    with: (names: string) => `amounts and days, with ${names}`,
    period: (from: string, to: string) => `${from} to ${to}, both days included, UTC`,
    days: (days: number) => `${counted(days, 'day', 'days')} from the approval`,
    access: (days: number) => counted(days, 'day of access', 'days of access'),
    before: (day: string) => `the days before ${day}`,
    after: (day: string) => `the days after ${day}`,
  },
  {
    fr: {
      fullTxIds: 'identifiants complets',
      senderInformation: 'informations sur l’émetteur',
      withdrawalDetails: 'détails des retraits',
      fullTxIdsMeans:
        'Identifiants, signatures et heures exactes, avec lesquels chaque transaction se retrouve sur le registre.',
      senderInformationMeans:
        'Les comptes débités, qui a autorisé et qui a payé : les adresses des émetteurs.',
      withdrawalDetailsMeans: 'Montants et comptes de destination des retraits.',
      staysHidden: 'Ce qui reste masqué',
      nothingHidden: 'rien de ce qu’un dossier peut masquer',
      least: 'montants et jours seulement',
      with: (names: string) => `montants et jours, avec ${names}`,
      period: (from: string, to: string) => `du ${from} au ${to}, jours entiers, UTC`,
      days: (days: number) => `${counted(days, 'jour', 'jours')} à compter de l’approbation`,
      access: (days: number) => counted(days, 'jour d’accès', 'jours d’accès'),
      before: (day: string) => `les jours avant le ${day}`,
      after: (day: string) => `les jours après le ${day}`,
    },
  },
);

interface Asset {
  readonly id: string;
  readonly name: string;
  readonly mintAddress: string | null;
}

/**
 * Assets as a person can tell them apart: names are free, and those of two assets may be the same. Then each has its mint
 * beside its name or, without a mint, its id.
 */
export const distinguished = <A extends Asset>(assets: readonly A[]): readonly A[] =>
  assets.map((asset) =>
    assets.some(({ id, name }) => id !== asset.id && name === asset.name)
      ? { ...asset, name: `${asset.name} ${shortText(asset.mintAddress ?? asset.id, 6)}` }
      : asset,
  );

/** The name of one of these assets with its symbol. */
export function assetText(
  assets: readonly (Asset & { readonly symbol: string })[],
  id: string,
): string | undefined {
  const asset = distinguished(assets).find((one) => one.id === id);
  return asset && `${asset.name} (${asset.symbol})`;
}

export interface Flags {
  readonly fullTxIds: boolean;
  readonly senderInformation: boolean;
  readonly withdrawalDetails: boolean;
}

export const flagName = (flag: Flag): string => words[flag];
export const flagMeaning = (flag: Flag): string => words[`${flag}Means`];

/** What is shown, as part of a sentence. */
export function flagsText(flags: Flags): string {
  const names = FLAGS.filter((flag) => flags[flag]).map((flag) => words[flag]);
  return names.length === 0 ? words.least : words.with(listText(names));
}

/** The name of what a case does not show, in a request, in its approval and before a report. */
export const HIDDEN_NAME = words.staysHidden;
export function hiddenText(flags: Flags): string {
  const names = FLAGS.filter((flag) => !flags[flag]).map((flag) => words[flag]);
  return names.length === 0 ? words.nothingHidden : listText(names);
}

export const periodText = (from: string, to: string) => words.period(dayText(from), dayText(to));
export const daysText = (days: number) => words.days(days);

export interface Scope {
  readonly disclosureFlags: Flags;
  readonly periodFrom: string;
  readonly periodTo: string;
  readonly accessDays: number;
  readonly assetIds: readonly string[];
  readonly auditors: readonly { readonly id: string; readonly name: string }[];
}

export interface Difference {
  readonly kind: 'added' | 'removed';
  readonly text: string;
}

/** What `now` asks more or less than `before`. */
export function differences(before: Scope, now: Scope, assetName: (id: string) => string): Difference[] {
  const found: Difference[] = [];
  const add = (kind: Difference['kind'], text: string) => found.push({ kind, text });
  for (const flag of FLAGS) {
    if (now.disclosureFlags[flag] && !before.disclosureFlags[flag]) add('added', words[flag]);
    if (!now.disclosureFlags[flag] && before.disclosureFlags[flag]) add('removed', words[flag]);
  }
  // What is more or less are days: those between the two beginnings, and between the two ends.
  const { periodFrom, periodTo } = now;
  if (periodFrom < before.periodFrom) add('added', words.before(utcDayText(before.periodFrom)));
  if (periodFrom > before.periodFrom) add('removed', words.before(utcDayText(periodFrom)));
  if (periodTo > before.periodTo) add('added', words.after(utcDayText(before.periodTo)));
  if (periodTo < before.periodTo) add('removed', words.after(utcDayText(periodTo)));
  const days = now.accessDays - before.accessDays;
  if (days !== 0) add(days > 0 ? 'added' : 'removed', words.access(Math.abs(days)));
  for (const id of now.assetIds) if (!before.assetIds.includes(id)) add('added', assetName(id));
  for (const id of before.assetIds) if (!now.assetIds.includes(id)) add('removed', assetName(id));
  const had = new Set(before.auditors.map(({ id }) => id));
  const has = new Set(now.auditors.map(({ id }) => id));
  for (const { id, name } of now.auditors) if (!had.has(id)) add('added', name);
  for (const { id, name } of before.auditors) if (!has.has(id)) add('removed', name);
  return found;
}

/** What a request for more than a case shows begins with: the scope of the case, with these flags. */
export const scopeSearch = (
  item: {
    readonly periodFrom: string;
    readonly periodTo: string;
    readonly assetIds: readonly string[];
    readonly auditors: readonly { readonly id: string }[];
  },
  has: (flag: Flag) => boolean,
) => ({
  from: item.periodFrom,
  to: item.periodTo,
  flags: FLAGS.filter(has),
  assets: [...item.assetIds],
  auditors: item.auditors.map(({ id }) => id),
});
