import { registerHooks } from 'node:module';

// A module of the page and its imports from the page have one language: each language has separate copies.
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    const [, language] = /\?language=(.+)$/.exec(context.parentURL ?? '') ?? [];
    if (language === undefined || !resolved.url.includes('/portal/src/')) return resolved;
    return { ...resolved, url: `${resolved.url}?language=${language}` };
  },
});

/** A module of `portal/src` for this browser language, such as `fr-FR`. */
export async function inLanguage<Module>(language: string, file: string): Promise<Module> {
  const before = Object.getOwnPropertyDescriptor(globalThis, 'navigator')!;
  Object.defineProperty(globalThis, 'navigator', { value: { languages: [language] }, configurable: true });
  try {
    return (await import(`../../../portal/src/${file}?language=${language}`)) as Module;
  } finally {
    Object.defineProperty(globalThis, 'navigator', before);
  }
}
