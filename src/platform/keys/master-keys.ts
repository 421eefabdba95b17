import { ConfigurationError } from '../kernel/configuration-error.js';
import { fileMasterKey } from './file-master-key.js';
import { addMasterKey, readMasterKeys } from './key-file.js';
import type { KeyStores } from './key-store.js';
import { formatKeyUri, KEY_URI_EXAMPLES, type KeyUri, storeIsMissing } from './key-uri.js';
import { type FileMasterKey, type MasterKeys, WrongMasterKey } from './master-key.js';

/** Where the configured master keys are. `name` is the setting. */
export type MasterKeyPlace =
  | { readonly kind: 'bytes'; readonly name: string; readonly keys: readonly Uint8Array[] }
  | { readonly kind: 'file'; readonly name: string; readonly file: string }
  | { readonly kind: 'store'; readonly name: string; readonly uri: KeyUri };

/** The master keys of the configured place and of the configured stores. */
export function createMasterKeys(place: MasterKeyPlace, stores: KeyStores = {}): MasterKeys {
  const ofFiles = async (): Promise<readonly FileMasterKey[]> => {
    if (place.kind === 'store') return [];
    const keys = place.kind === 'bytes' ? place.keys : await readMasterKeys(place.name, place.file);
    return keys.map(fileMasterKey);
  };
  const kept = (uri: KeyUri) => {
    const store = stores[uri.store];
    if (store) return store.masterKey(uri.locator);
    throw storeIsMissing(`The master key ${formatKeyUri(uri)}`, uri.store);
  };
  const added = async (): Promise<Uint8Array> => {
    if (place.kind === 'file') return addMasterKey(place.name, place.file);
    throw new ConfigurationError(
      place.kind === 'bytes'
        ? `${place.name} holds no new master key. Add one after a comma (openssl rand -base64 32), on every instance, and run the command again.`
        : `No file holds the master key. Name the next one with --to URI: ${KEY_URI_EXAMPLES.join(', ')}.`,
    );
  };

  return {
    ofFiles,
    async find(provider, locator) {
      if (provider !== 'file') return kept({ store: provider, locator });
      const found = (await ofFiles()).find((key) => key.locator === locator);
      if (found) return found;
      throw new WrongMasterKey(
        'The master key does not open this database: it was sealed with another one. Nothing was changed. ' +
          'Set LUCARNE_MASTER_KEY or LUCARNE_MASTER_KEY_FILE to the key that “lucarne master-key status” shows as ' +
          `${locator}, which is the one this database was first started with unless it was rotated.`,
      );
    },
    async first() {
      if (place.kind === 'store') {
        const key = kept(place.uri);
        await key.require();
        return key;
      }
      return (await ofFiles())[0]!;
    },
    async next(known, to) {
      if (to !== undefined) {
        const key = kept(to);
        if (known.has(key.locator))
          throw new ConfigurationError(
            `${formatKeyUri(to)} is already a master key of this database. Name another one.`,
          );
        await key.makeUnlessThere();
        return key;
      }
      const unused = (await ofFiles()).find((key) => !known.has(key.locator));
      return unused ?? fileMasterKey(await added());
    },
  };
}
