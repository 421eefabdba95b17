import type { KeyStore } from '../key-store.js';
import { pkcs11MasterKey } from './pkcs11-master-key.js';
import { pkcs11SigningKey } from './pkcs11-signer.js';
import { parseObjectName } from './pkcs11-uri.js';
import type { Tokens } from './tokens.js';

export const pkcs11Store = (tokens: Tokens): KeyStore => ({
  masterKey: (locator) => pkcs11MasterKey(tokens, parseObjectName(locator)),
  signingKey: (locator) => pkcs11SigningKey(tokens, parseObjectName(locator)),
});
