import { ConfigurationError } from '../../kernel/configuration-error.js';
import type { KeptMasterKey, KeyStore } from '../key-store.js';
import type { SigningKey } from '../signing-key.js';
import { locatorOf, type ObjectName, parseObjectName } from './pkcs11-uri.js';
import type { Tokens } from './tokens.js';

export const pkcs11Store = (tokens: Tokens): KeyStore => ({
  masterKey: (locator) => masterKey(tokens, parseObjectName(locator)),
  signingKey: (locator) => signingKey(tokens, parseObjectName(locator)),
});

function masterKey(tokens: Tokens, { token, object }: ObjectName): KeptMasterKey {
  return {
    provider: 'pkcs11',
    locator: locatorOf({ token, object }),
    wrap: async (bytes, context) => (await tokens.ask(token, { operation: 'wrap', object, bytes, context }))!,
    unwrap: async (bytes, context) =>
      (await tokens.ask(token, { operation: 'unwrap', object, bytes, context }))!,
    async require() {
      await tokens.ask(token, { operation: 'require', object });
    },
    async weakness() {
      try {
        await tokens.ask(token, { operation: 'examine', object });
        return undefined;
      } catch (thrown) {
        if (thrown instanceof ConfigurationError) return thrown.message;
        throw thrown;
      }
    },
    async makeUnlessThere() {
      await tokens.ask(token, { operation: 'make', object });
    },
  };
}

async function signingKey(tokens: Tokens, { token, object }: ObjectName): Promise<SigningKey> {
  return {
    publicKey: (await tokens.ask(token, { operation: 'publicKey', object }))!,
    sign: async (bytes) => (await tokens.ask(token, { operation: 'sign', object, bytes }))!,
  };
}
