import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The functions of the compiler that are used. It reads and writes through the given functions. */
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

// Not a literal import: its types declare globals of AssemblyScript, which would change those of every file here.
const COMPILER: string = 'assemblyscript/asc';
const { default: asc } = (await import(COMPILER)) as { readonly default: Compiler };

/** Omits only assertions, of which the sources have none. All traps stay. */
const OPTIONS = ['--runtime', 'stub', '--noAssert', '--enable', 'simd'];

export interface Kernel {
  readonly name: string;
  /** Features of WebAssembly in addition to SIMD. */
  readonly features: readonly string[];
  /** Modules that a script generates and that are not stored, by name. */
  readonly generated: Readonly<Record<string, string>>;
}

export const folderOf = (name: string): string =>
  path.resolve(import.meta.dirname, '..', '..', 'src/platform/crypto', name);

/** The WebAssembly that `assembly/index.ts` of a kernel compiles to. The same source and compiler produce the same bytes. */
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

/** `null` makes the compiler look for the module elsewhere. */
function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
