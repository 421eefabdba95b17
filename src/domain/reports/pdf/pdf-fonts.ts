import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { unwrapWoff } from './woff.js';

export type Style = 'regular' | 'bold' | 'italic';

/** A font, of which a document embeds only the used glyphs. */
export interface EmbeddedFont {
  readonly name: string;
  /** The main font. The other fonts have characters that it lacks. */
  readonly style?: Style;
  readonly bytes: Buffer;
}

// Noto Sans by style and script. Each file is small and loaded as a whole.
const STYLES = { regular: '400-normal', bold: '700-normal', italic: '400-italic' } as const;
const OTHER_SCRIPTS = ['latin-ext', 'cyrillic', 'cyrillic-ext', 'greek', 'greek-ext', 'vietnamese'];
/** Every character of the Basic Multilingual Plane, in plain shapes. */
const LAST_RESORT = '@fontsource/unifontex/files/unifontex-latin-400-normal.woff';

let loading: Promise<readonly EmbeddedFont[]> | undefined;

/** The fonts of documents in order of preference. They are loaded once. */
export function loadFonts(): Promise<readonly EmbeddedFont[]> {
  return (loading ??= Promise.all([
    ...(['regular', 'bold', 'italic'] as const).map(async (style) => ({
      ...(await load(`Noto ${style}`, notoFile('latin', STYLES[style]))),
      style,
    })),
    ...OTHER_SCRIPTS.map((script) => load(`Noto ${script}`, notoFile(script, STYLES.regular))),
    load('Unifont', LAST_RESORT),
  ]));
}

const notoFile = (script: string, style: string) =>
  `@fontsource/noto-sans/files/noto-sans-${script}-${style}.woff`;

async function load(name: string, file: string): Promise<EmbeddedFont> {
  return { name, bytes: await unwrapWoff(await readFile(fileURLToPath(import.meta.resolve(file)))) };
}
