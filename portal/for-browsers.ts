import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Plugin } from 'vite';

const root = path.join(import.meta.dirname, '..');
const sources = path.join(root, 'src') + path.sep;
/** The files of `src/` that the page was made of. `scripts/build.mjs` builds it again when one of them changed. */
const listFile = path.join(root, 'dist', 'portal', 'inputs.json');
const taken = new Set<string>();
/** The packages whose code is in the page, with their licenses; NOTICE names each. */
const packagesFile = path.join(root, 'dist', 'portal', 'packages.json');
const bundled = new Map<string, string>();

/** The package that a module belongs to, and its folder. */
function packageOf(moduleId: string): { readonly name: string; readonly folder: string } | undefined {
  const found = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/@][^/]*))\//.exec(moduleId);
  return found ? { folder: found[1]!, name: found[2]! } : undefined;
}

/**
 * Takes `x.browser.ts` in place of `x.ts` where the gateway's own code has one, and refuses every import of Node's: what
 * checks the gateway's answers in the browser is the code that checks them offline.
 */
export function forBrowsers(): Plugin {
  return {
    name: 'for-browsers',
    enforce: 'pre',
    resolveId(source, importer) {
      if (source.startsWith('node:'))
        throw new Error(`${importer ?? ''} imports ${source}: it cannot run in a browser.`);
      if (!source.startsWith('.') || !importer) return null;
      const file = path.resolve(path.dirname(importer), source).replace(/\.js$/, '.ts');
      if (!file.startsWith(sources)) return null;
      const browser = file.replace(/\.ts$/, '.browser.ts');
      const chosen = existsSync(browser) ? browser : file;
      taken.add(path.relative(root, chosen));
      return chosen;
    },
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue;
        for (const moduleId of chunk.moduleIds) {
          const found = packageOf(moduleId);
          if (!found || bundled.has(found.name)) continue;
          const description = readFileSync(path.join(found.folder, 'package.json'), 'utf8');
          bundled.set(found.name, (JSON.parse(description) as { license?: string }).license ?? 'unknown');
        }
      }
    },
    async closeBundle() {
      await mkdir(path.dirname(listFile), { recursive: true });
      await writeFile(listFile, JSON.stringify([...taken].sort(), null, 1));
      await writeFile(packagesFile, JSON.stringify(Object.fromEntries([...bundled].sort()), null, 1));
    },
  };
}
