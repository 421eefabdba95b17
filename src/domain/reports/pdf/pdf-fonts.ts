import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { unwrapWoff } from './woff.js';

/** A font that is embedded as far as a document uses it. */
export interface EmbeddedFont {
  readonly name: string;
  readonly bytes: Buffer;
}

// Noto Sans by script: each is loaded whole, and small.
const NOTO_PARTS = ['latin', 'latin-ext', 'cyrillic', 'cyrillic-ext', 'greek', 'greek-ext', 'vietnamese'];
/** Every character of the Basic Multilingual Plane, in plain shapes. */
const LAST_RESORT = '@fontsource/unifontex/files/unifontex-latin-400-normal.woff';

let loading: Promise<readonly EmbeddedFont[]> | undefined;

/** The fonts for what the standard fonts of PDF do not hold, in order of preference; loaded once. */
export function loadFonts(): Promise<readonly EmbeddedFont[]> {
  return (loading ??= Promise.all([
    ...NOTO_PARTS.map((part) =>
      load(`Noto ${part}`, `@fontsource/noto-sans/files/noto-sans-${part}-400-normal.woff`),
    ),
    load('Unifont', LAST_RESORT),
  ]));
}

async function load(name: string, file: string): Promise<EmbeddedFont> {
  return { name, bytes: await unwrapWoff(await readFile(fileURLToPath(import.meta.resolve(file)))) };
}
