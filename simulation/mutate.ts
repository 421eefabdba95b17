import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';
import { MUTATIONS } from './mutations.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const BUILT = path.join(ROOT, 'dist/src');

/**
 * Breaks a rule of the product in this process, and loads the product.
 * @throws {Error} if the source does not contain a text exactly once, or if `load` used a module that was loaded earlier and is
 *   therefore unchanged.
 */
export async function mutate<Loaded>(name: string, load: () => Promise<Loaded>): Promise<Loaded> {
  const { edits } = MUTATIONS[name]!;
  const changed = new Map<string, string>();
  for (const { file, find, replace } of edits) {
    const source = changed.get(file) ?? readFileSync(path.join(ROOT, 'src', file), 'utf8');
    if (source.split(find).length !== 2)
      throw new Error(`Mutation ${name}: src/${file} must have this text exactly once: ${find}`);
    changed.set(
      file,
      source.replace(find, () => replace),
    );
  }
  const broken = new Set<string>();
  registerHooks({
    load(url, context, nextLoad) {
      if (!url.startsWith('file:')) return nextLoad(url, context);
      const file = path.relative(BUILT, fileURLToPath(url)).replace(/\.js$/, '.ts');
      const source = changed.get(file);
      if (source === undefined) return nextLoad(url, context);
      broken.add(file);
      const { code } = transformSync(source, { swcrc: true, configFile: path.join(ROOT, '.swcrc') });
      return { format: 'module', source: code, shortCircuit: true };
    },
  });
  const loaded = await load();
  for (const file of changed.keys())
    if (!broken.has(file))
      throw new Error(
        `Mutation ${name}: src/${file} was loaded before it was broken, or is not loaded at all.`,
      );
  return loaded;
}
