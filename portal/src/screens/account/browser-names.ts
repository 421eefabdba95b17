import { texts } from '../../texts.ts';

const { on, unknown } = texts(
  { on: (browser: string, system: string) => `${browser} on ${system}`, unknown: 'An unknown browser' },
  { fr: { on: (browser, system) => `${browser} sur ${system}`, unknown: 'Un navigateur inconnu' } },
);

// In this order: a browser also names those whose pages it can show.
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Headless)?Chrom(e|ium)\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bWindows\b/, 'Windows'],
  [/\bAndroid\b/, 'Android'],
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/** The common name of the browser in a `User-Agent`; the header itself if it is unknown. */
export function browserName(userAgent: string | null): string {
  if (userAgent === null) return unknown;
  const named = (names: typeof BROWSERS) => names.find(([sign]) => sign.test(userAgent))?.[1];
  const [browser, system] = [named(BROWSERS), named(SYSTEMS)];
  if (browser === undefined) return userAgent.slice(0, 40);
  return system === undefined ? browser : on(browser, system);
}
