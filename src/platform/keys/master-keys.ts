import { ConfigurationError } from '../kernel/configuration-error.js';
import { fileMasterKey } from './file-master-key.js';
import { addMasterKey, readMasterKeys } from './key-file.js';
import { type FileMasterKey, type MasterKeys, WrongMasterKey } from './master-key.js';
import { pkcs11MasterKey } from './pkcs11/pkcs11-master-key.js';
import { parsePkcs11Uri } from './pkcs11/pkcs11-uri.js';
import type { Tokens } from './pkcs11/tokens.js';

/** Where the configuration says that master keys are. `name` is the setting that says so. */
export type MasterKeyPlace =
  | { readonly kind: 'bytes'; readonly name: string; readonly keys: readonly Uint8Array[] }
  | { readonly kind: 'file'; readonly name: string; readonly file: string }
  | { readonly kind: 'pkcs11'; readonly name: string; readonly uri: string };

/** The master keys of the place, and those of the tokens that are configured beside it. */
export function createMasterKeys(place: MasterKeyPlace, tokens: Tokens | undefined): MasterKeys {
  const ofFiles = async (): Promise<readonly FileMasterKey[]> => {
    if (place.kind === 'pkcs11') return [];
    const keys = place.kind === 'bytes' ? place.keys : await readMasterKeys(place.name, place.file);
    return keys.map(fileMasterKey);
  };
  const inToken = (uri: string) => {
    const { token, object } = parsePkcs11Uri(uri);
    if (!tokens)
      throw new ConfigurationError(
        `The master key ${uri} is in a token. Set LUCARNE_PKCS11_MODULE and LUCARNE_PKCS11_PIN_FILE.`,
      );
    return pkcs11MasterKey(tokens, { token, object });
  };
  const added = async (): Promise<Uint8Array> => {
    if (place.kind === 'file') return addMasterKey(place.name, place.file);
    throw new ConfigurationError(
      place.kind === 'bytes'
        ? `${place.name} holds no new master key. Add one after a comma (openssl rand -base64 32), on every instance, and run the command again.`
        : 'The master key is in a token. Name the next one with --to "pkcs11:token=…;object=…".',
    );
  };

  return {
    ofFiles,
    async find(provider, locator) {
      if (provider === 'pkcs11') return inToken(`pkcs11:${locator}`);
      const found = (await ofFiles()).find((key) => key.locator === locator);
      if (found) return found;
      throw new WrongMasterKey(
        'The master key does not open this database: it was sealed with another one. Nothing was changed. ' +
          'Set LUCARNE_MASTER_KEY or LUCARNE_MASTER_KEY_FILE to the key that “lucarne master-key status” shows as ' +
          `${locator}, which is the one this database was first started with unless it was rotated.`,
      );
    },
    async first() {
      if (place.kind === 'pkcs11') {
        const key = inToken(place.uri);
        await key.require();
        return key;
      }
      return (await ofFiles())[0]!;
    },
    async next(known, to) {
      if (to !== undefined) {
        const key = inToken(to);
        if (known.has(key.locator))
          throw new ConfigurationError(`${to} is a master key of this database already. Name another one.`);
        await key.makeUnlessThere();
        return key;
      }
      const unused = (await ofFiles()).find((key) => !known.has(key.locator));
      return unused ?? fileMasterKey(await added());
    },
  };
}
