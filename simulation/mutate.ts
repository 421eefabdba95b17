import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';
import { MUTATIONS } from './mutations.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const BUILT = path.join(ROOT, 'dist/src');

/** Breaks a rule of the product in this process. Modules that are already loaded stay as they are. */
export function mutate(name: string): void {
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
  registerHooks({
    load(url, context, nextLoad) {
      if (!url.startsWith('file:')) return nextLoad(url, context);
      const file = path.relative(BUILT, fileURLToPath(url)).replace(/\.js$/, '.ts');
      const source = changed.get(file);
      if (source === undefined) return nextLoad(url, context);
      const { code } = transformSync(source, { swcrc: true, configFile: path.join(ROOT, '.swcrc') });
      return { format: 'module', source: code, shortCircuit: true };
    },
  });
}
