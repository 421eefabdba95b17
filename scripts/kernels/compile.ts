import { readFileSync } from 'node:fs';
import path from 'node:path';

/** What is used of the compiler: it reads and writes through these functions. */
interface Compiler {
  main(
    options: readonly string[],
    host: {
      readonly stderr: { readonly write: (text: unknown) => void };
      readonly readFile: (file: string) => string | null;
      readonly writeFile: (file: string, contents: string | Uint8Array) => void;
    },
  ): Promise<{ readonly error: Error | null }>;
}

// Not by its literal name: its types declare globals of AssemblyScript, which would change those of every file here.
const COMPILER: string = 'assemblyscript/asc';
const { default: asc } = (await import(COMPILER)) as { readonly default: Compiler };

/** Nothing that could trap is left out but assertions, of which the sources have none. */
const OPTIONS = ['--runtime', 'stub', '--noAssert', '--enable', 'simd'];

export interface Kernel {
  readonly name: string;
  /** Features of WebAssembly in addition to SIMD. */
  readonly features: readonly string[];
  /** Modules that are written by a script and not kept, by their names. */
  readonly generated: Readonly<Record<string, string>>;
}

export const folderOf = (name: string): string =>
  path.resolve(import.meta.dirname, '..', '..', 'src/platform/crypto', name);

/** The WebAssembly that `assembly/index.ts` of a kernel compiles to. The same source and compiler make the same bytes. */
export async function compile(
  { name, features, generated }: Kernel,
  optimizeLevel = 3,
): Promise<Buffer<ArrayBuffer>> {
  const folder = path.join(folderOf(name), 'assembly');
  let module: Uint8Array | undefined;
  let messages = '';
  const { error } = await asc.main(
    [
      ...['index.ts', '--outFile', 'kernel.wasm', '--optimizeLevel', String(optimizeLevel), ...OPTIONS],
      ...features.flatMap((feature) => ['--enable', feature]),
    ],
    {
      stderr: { write: (text) => void (messages += String(text)) },
      readFile: (file) => generated[file] ?? read(path.join(folder, file)),
      writeFile: (_, contents) => {
        if (typeof contents === 'string') throw new Error('The compiler wrote text.');
        module = contents;
      },
    },
  );
  if (error || messages !== '' || !module)
    throw new Error(`The kernel does not compile.\n${messages}`, { cause: error });
  return Buffer.from(module);
}

/** `null` tells the compiler to look for the module elsewhere. */
function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
