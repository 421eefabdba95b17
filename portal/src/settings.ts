/** The languages that the page speaks. English comes first: the others must have every text of it. */
export const LANGUAGES = ['en', 'fr'] as const;
export type Language = (typeof LANGUAGES)[number];

/** What a person set for this browser. Nothing else but checkpoints is kept in it. */
export interface Settings {
  /** As the browser asks, unless it was chosen. */
  readonly language: 'browser' | Language;
  readonly scheme: 'system' | 'light' | 'dark';
  readonly isCompact: boolean;
  readonly isLocalTime: boolean;
}

const KEY = 'lucarne.settings';
const DEFAULTS: Settings = { language: 'browser', scheme: 'system', isCompact: false, isLocalTime: false };

function read(): Settings {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Settings>;
    return {
      language: LANGUAGES.find((known) => known === kept.language) ?? 'browser',
      scheme: kept.scheme === 'light' || kept.scheme === 'dark' ? kept.scheme : 'system',
      isCompact: kept.isCompact === true,
      isLocalTime: kept.isLocalTime === true,
    };
  } catch {
    return DEFAULTS;
  }
}

export let settings: Settings = read();

export function keepSettings(changed: Settings): void {
  settings = changed;
  localStorage.setItem(KEY, JSON.stringify(settings));
}
