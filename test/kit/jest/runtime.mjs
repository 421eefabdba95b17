// Node.js loads test files itself, instead of Jest's module loader. So each worker loads a module once instead of once for each
// of hundreds of test files, which would take about two seconds of CPU time for the whole product. Test files share the state
// of modules, so each creates what it needs. Changes to the environment variables are undone.
import { registerHooks } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import JestRuntime from 'jest-runtime';
import 'reflect-metadata';
import { useGlobals } from './globals.mjs';

const root = path.resolve(import.meta.dirname, '../../..');
const COMPILED = ['src', 'devnet'].map((folder) => path.join(root, folder) + path.sep);
const GLOBALS_URL = pathToFileURL(path.join(import.meta.dirname, 'globals.mjs')).href;

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@jest/globals') return next(GLOBALS_URL, context);
    const isSource = /^\.{1,2}\/.*\.js$/.test(specifier) && /\.ts(\?|$)/.test(context.parentURL ?? '');
    return next(isSource ? loadedUrl(new URL(specifier, context.parentURL)) : specifier, context);
  },
});

/** The product is loaded in compiled form, because Node.js does not strip decorators. Tests are loaded as source. */
function loadedUrl(url) {
  const file = fileURLToPath(url);
  return pathToFileURL(
    COMPILED.some((folder) => file.startsWith(folder))
      ? path.join(root, 'dist', path.relative(root, file))
      : file.replace(/\.js$/, '.ts'),
  ).href;
}

let runs = 0;

class Runtime extends JestRuntime {
  #variables = { ...process.env };
  #globals = {};

  setGlobalsForRuntime(globals) {
    super.setGlobalsForRuntime(globals);
    this.#globals = globals;
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  async unstable_importModule(file) {
    useGlobals({ ...this.#globals, jest: this.jestGlobals.jestObjectFor(file) });
    // Node.js caches modules, so a file that runs again needs another URL.
    await import(`${pathToFileURL(file).href}?run=${++runs}`);
  }

  teardown() {
    super.teardown();
    for (const name of Object.keys(process.env)) if (!(name in this.#variables)) delete process.env[name];
    Object.assign(process.env, this.#variables);
  }
}

export { Runtime as 'module.exports' };
