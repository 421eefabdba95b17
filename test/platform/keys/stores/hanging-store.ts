import { generateSigningKey, sign } from '../../../../src/platform/crypto/index.js';
import type { KeyStores } from '../../../../src/platform/keys/index.js';

/** Ed25519 keys in memory. A key that hangs does not answer until it is released. */
export interface HangingStore {
  readonly stores: KeyStores;
  /** The keys are at `vault:transit/NAME`, and are created on first use. */
  hang(name: string): void;
  letGo(name: string): void;
  /** Number of unanswered requests to the key. */
  unanswered(name: string): number;
}

export function createHangingStore(): HangingStore {
  const keys = new Map<string, ReturnType<typeof generateSigningKey>>();
  const hanging = new Map<string, PromiseWithResolvers<void>>();
  const unanswered = new Map<string, number>();
  const keyAt = (name: string) => {
    const key = keys.get(name) ?? generateSigningKey();
    keys.set(name, key);
    return key;
  };
  async function pass(name: string): Promise<void> {
    const change = (by: number) => unanswered.set(name, (unanswered.get(name) ?? 0) + by);
    change(1);
    await hanging.get(name)?.promise;
    change(-1);
  }
  return {
    stores: {
      vault: {
        masterKey: () => {
          throw new Error('Nobody asks for a master key.');
        },
        async signingKey(locator) {
          const name = locator.replace('transit/', '');
          await pass(name);
          const { publicKey, secret } = keyAt(name);
          return {
            publicKey,
            async sign(message) {
              await pass(name);
              return sign(secret, message);
            },
          };
        },
      },
    },
    hang: (name) => void hanging.set(name, Promise.withResolvers()),
    letGo(name) {
      hanging.get(name)?.resolve();
      hanging.delete(name);
    },
    unanswered: (name) => unanswered.get(name) ?? 0,
  };
}
