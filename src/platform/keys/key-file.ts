import { open, readFile } from 'node:fs/promises';
import { base64 } from '../kernel/encoding/bytes.js';
import { ConfigurationError, unreadableFile } from '../kernel/configuration-error.js';
import { systemRandom } from '../kernel/random.js';

const MASTER_KEY_BYTES = 32;

/** The master keys in a text, one for each line. `name` is used in error messages. */
export function parseMasterKeys(name: string, text: string): readonly Uint8Array[] {
  const lines = text.split(/[\s,]+/).filter((line) => line !== '');
  const keys = lines.map((line) => base64.decode(line));
  if (keys.length === 0 || keys.some((key) => key?.length !== MASTER_KEY_BYTES))
    throw new ConfigurationError(
      `${name} must hold 32 bytes in base64${lines.length > 1 ? ' in each of its lines' : ''}.`,
    );
  return keys as Uint8Array[];
}

/** The master keys of a file. The file is read each time, so that a new key needs no restart. */
export async function readMasterKeys(name: string, file: string): Promise<readonly Uint8Array[]> {
  const text = await readFile(file, 'utf8').catch((thrown: unknown) => {
    throw unreadableFile(name, thrown);
  });
  return parseMasterKeys(name, text);
}

/**
 * Adds a new master key to a file as another line, and returns it after it is on disk. Nothing is overwritten, so that two
 * processes that each add a key lose none.
 */
export async function addMasterKey(name: string, file: string): Promise<Uint8Array> {
  const key = systemRandom(MASTER_KEY_BYTES);
  try {
    await using handle = await open(file, 'a+');
    const { size } = await handle.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await handle.read(last, 0, 1, size - 1);
    const separator = size > 0 && last.toString() !== '\n' ? '\n' : '';
    await handle.write(`${separator}${base64.encode(key)}\n`);
    await handle.sync();
  } catch (thrown) {
    throw new ConfigurationError(
      `A new master key cannot be added to ${name}: ${(thrown as Error).message}. Add a line with 32 bytes in base64 to the ` +
        'file yourself, on every instance, and run the command again.',
      { cause: thrown },
    );
  }
  return key;
}
