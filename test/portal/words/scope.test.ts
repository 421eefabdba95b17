import { describe, expect, it } from '@jest/globals';
import {
  differences,
  assetText,
  distinguished,
  type Difference,
  type Scope,
} from '../../../portal/src/screens/scope.ts';
import { FLAGS } from '../../../portal/src/screens/flags.ts';
import { fc } from '../../kit/properties.js';

const flags = fc.record({
  fullTxIds: fc.boolean(),
  senderInformation: fc.boolean(),
  withdrawalDetails: fc.boolean(),
});
const ASSETS = ['Dollar', 'Euro', 'Franc', 'Yen'];
const PEOPLE = ['Ana', 'Ben', 'Cleo', 'Dan'].map((name) => ({ id: `usr_${name}`, name }));
const dayOf = (days: number) => new Date(days * 86_400_000).toISOString().slice(0, 10);
const period = fc
  .tuple(fc.integer({ min: 20_000, max: 20_400 }), fc.integer({ min: 0, max: 200 }))
  .map(([from, length]) => ({ periodFrom: dayOf(from), periodTo: dayOf(from + length) }));
const scope: fc.Arbitrary<Scope> = fc
  .record({
    disclosureFlags: flags,
    period,
    accessDays: fc.integer({ min: 1, max: 90 }),
    assetIds: fc.subarray(ASSETS, { minLength: 1 }),
    auditors: fc.subarray(PEOPLE, { minLength: 1 }),
  })
  .map(({ period: days, ...others }) => ({ ...days, ...others }));

const nameOf = (id: string) => `Private ${id}`;
const between = (before: Scope, now: Scope) => differences(before, now, nameOf);
const sorted = (found: readonly Difference[]) => found.map(({ kind, text }) => `${kind} ${text}`).sort();
const reversed = (found: readonly Difference[]): Difference[] =>
  found.map(({ kind, text }) => ({ kind: kind === 'added' ? 'removed' : 'added', text }));

/** All days from the first to the last. */
const daysIn = ({ periodFrom, periodTo }: Scope) => {
  const [from, to] = [Date.parse(periodFrom), Date.parse(periodTo)];
  return Array.from({ length: (to - from) / 86_400_000 + 1 }, (_, day) => dayOf(from / 86_400_000 + day));
};

describe('the difference between two scopes', () => {
  it('is empty if they are the same, in any order', () => {
    fc.assert(
      fc.property(scope, (one) => {
        const other = { ...one, assetIds: one.assetIds.toReversed(), auditors: one.auditors.toReversed() };
        expect(between(one, other)).toEqual([]);
      }),
    );
  });

  it('is symmetric, with more and less exchanged', () => {
    fc.assert(
      fc.property(scope, scope, (one, other) => {
        expect(sorted(between(one, other))).toEqual(sorted(reversed(between(other, one))));
      }),
    );
  });

  it('contains each thing that only one of them shows, once', () => {
    fc.assert(
      fc.property(scope, scope, (before, now) => {
        const found = between(before, now);
        const says = (kind: Difference['kind'], text: RegExp | string) =>
          found.filter(
            (one) =>
              one.kind === kind && (typeof text === 'string' ? one.text === text : text.test(one.text)),
          ).length;
        const wants = <Part>(
          added: readonly Part[],
          removed: readonly Part[],
          textOf: (part: Part) => RegExp | string,
        ) => {
          for (const part of added) expect([part, says('added', textOf(part))]).toEqual([part, 1]);
          for (const part of removed) expect([part, says('removed', textOf(part))]).toEqual([part, 1]);
          return added.length + removed.length;
        };
        const without = <Part>(from: readonly Part[], these: readonly Part[]) =>
          from.filter((part) => !these.includes(part));
        const shown = ({ disclosureFlags }: Scope) => FLAGS.filter((flag) => disclosureFlags[flag]);
        const FLAG_WORDS = {
          fullTxIds: /ids$/,
          senderInformation: /^sender/,
          withdrawalDetails: /^withdrawal/,
        };
        const names = ({ auditors }: Scope) => auditors.map(({ name }) => name);
        const days = now.accessDays - before.accessDays;
        const access =
          days === 0 ? [] : [`${Math.abs(days)} ${Math.abs(days) === 1 ? 'day' : 'days'} of access`];
        const count =
          wants(
            without(shown(now), shown(before)),
            without(shown(before), shown(now)),
            (flag) => FLAG_WORDS[flag],
          ) +
          wants(without(now.assetIds, before.assetIds), without(before.assetIds, now.assetIds), nameOf) +
          wants(without(names(now), names(before)), without(names(before), names(now)), (name) => name) +
          wants(days > 0 ? access : [], days < 0 ? access : [], (text) => text);
        const ofDays = found.filter(({ text }) => text.startsWith('the days'));
        expect(found).toHaveLength(count + ofDays.length);
        // For days, there is more exactly if a day was added, and less if one was removed.
        const [had, has] = [new Set(daysIn(before)), new Set(daysIn(now))];
        const came = [...has].some((day) => !had.has(day));
        const went = [...had].some((day) => !has.has(day));
        expect(ofDays.some(({ kind }) => kind === 'added')).toBe(came);
        expect(ofDays.some(({ kind }) => kind === 'removed')).toBe(went);
      }),
    );
  });

  it('is only less if less was granted than was requested', () => {
    fc.assert(
      fc.property(scope, scope, (asked, other) => {
        const assetIds = asked.assetIds.filter((id) => other.assetIds.includes(id));
        const granted = {
          ...asked,
          disclosureFlags: {
            fullTxIds: asked.disclosureFlags.fullTxIds && other.disclosureFlags.fullTxIds,
            senderInformation:
              asked.disclosureFlags.senderInformation && other.disclosureFlags.senderInformation,
            withdrawalDetails:
              asked.disclosureFlags.withdrawalDetails && other.disclosureFlags.withdrawalDetails,
          },
          accessDays: Math.min(asked.accessDays, other.accessDays),
          assetIds,
          periodTo: asked.periodFrom,
        };
        expect(between(asked, granted).filter(({ kind }) => kind === 'added')).toEqual([]);
      }),
    );
  });
});

describe('assets of the same name', () => {
  it('have their mints after their names, or their ids without a mint, and others have their names only', () => {
    const [mint, dollar] = ['9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin', null];
    const assets = [
      { id: 'ast_01m8m82d4ge86tszxe5nra8r2h', name: 'Euro', symbol: 'EUR', mintAddress: mint },
      { id: 'ast_01m8m834hneczarazqkfnd6n24', name: 'Euro', symbol: 'EUR', mintAddress: null },
      { id: 'ast_01m8m81cajeddrk4cc8a94aw91', name: 'Dollar', symbol: 'USD', mintAddress: dollar },
    ];
    expect(distinguished(assets).map(({ name }) => name)).toEqual([
      'Euro 9xQeWv…usVFin',
      'Euro ast_01…nd6n24',
      'Dollar',
    ]);
    // The same asset twice is one asset.
    expect(distinguished([assets[2]!, assets[2]!]).map(({ name }) => name)).toEqual(['Dollar', 'Dollar']);
    expect(assetText(assets, assets[0]!.id)).toBe('Euro 9xQeWv…usVFin (EUR)');
    expect(assetText(assets, 'ast_unknown')).toBeUndefined();
  });
});
