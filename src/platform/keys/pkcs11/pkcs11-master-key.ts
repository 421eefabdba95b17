import { ConfigurationError } from '../../kernel/configuration-error.js';
import { isLucarneError } from '../../kernel/errors.js';
import { systemRandom } from '../../kernel/random.js';
import type { KeptMasterKey } from '../key-store.js';
import { notWrappedBy } from '../master-key.js';
import { type Attribute, CK, type Handle, type Mechanism } from './pkcs11-module.js';
import { locatorOf, type ObjectName } from './pkcs11-uri.js';
import type { Session, Sessions } from './sessions.js';

const KEY_LENGTH = 32;
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;
/** Only the token can open what its key wrapped, so another token helps only after a rotation. */
const ADVICE_IN_USE =
  'Its key is in use: allow the mechanism again in the settings or by the firmware of the token. To use another token after ' +
  'that, run: lucarne master-key rotate --to URI';

interface TokenMasterKey extends KeptMasterKey {
  /** Throws an explanation if the key, which is in use, is too short. */
  examine(): Promise<void>;
}

/** A 256-bit AES key in a token, which wraps and unwraps itself. Wrapped form: nonce 12 | AES-256-GCM ciphertext | tag 16. */
export function pkcs11MasterKey(sessions: Sessions, { token, object }: ObjectName): TokenMasterKey {
  const template: Attribute[] = [
    { type: CK.CLASS, value: CK.SECRET_KEY },
    { type: CK.KEY_TYPE, value: CK.KEY_TYPE_AES },
    { type: CK.LABEL, value: object },
  ];
  const using = <Result>(work: (session: Session) => Promise<Result>, advice?: string) =>
    sessions.use(token, (session) => {
      session.requireMechanism(CK.AES_GCM, 'CKM_AES_GCM', advice);
      return work(session);
    });
  // A new key is required or created before it wraps anything.
  const useNew = <Result>(work: (session: Session) => Promise<Result>) => using(work);
  const use = <Result>(work: (session: Session) => Promise<Result>) => using(work, ADVICE_IN_USE);
  const required = (session: Session): Handle => {
    const key = session.find(object, template);
    if (key) return key;
    throw new ConfigurationError(
      `The token “${token}” has no AES key “${object}”. Correct its label, or make it.`,
    );
  };
  /** A shorter key would be the weakest link for everything that it wraps. */
  const strong = (session: Session, key: Handle, advice: string): Handle => {
    const [length] = session.cryptoki.C_GetAttributeValue(session.handle, key, [{ type: CK.VALUE_LEN }]);
    const bytes = length!.value.readUInt32LE();
    if (bytes === KEY_LENGTH) return key;
    throw new ConfigurationError(
      `The AES key “${object}” of the token “${token}” has ${8 * bytes} bits, and a master key needs ${8 * KEY_LENGTH}. ${advice}`,
    );
  };
  const strongInUse = (session: Session) =>
    strong(
      session,
      required(session),
      'It is in use. Replace it with a key of 256 bits: lucarne master-key rotate --to URI',
    );
  const ofNew = 'Name a key of 256 bits.';
  const gcm = (iv: Uint8Array, context: string): Mechanism => ({
    mechanism: CK.AES_GCM,
    parameter: {
      type: CK.PARAMETERS_OF_AES_GCM,
      iv: Buffer.from(iv),
      ivBits: NONCE_LENGTH * 8,
      aad: Buffer.from(context),
      tagBits: TAG_LENGTH * 8,
    },
  });

  return {
    provider: 'pkcs11',
    locator: locatorOf({ token, object }),
    wrap: (secret, context) =>
      use(async (session) => {
        const { cryptoki, handle } = session;
        const nonce = systemRandom(NONCE_LENGTH);
        cryptoki.C_EncryptInit(handle, gcm(nonce, context), strongInUse(session));
        const output = Buffer.alloc(secret.length + TAG_LENGTH);
        const wrapped = await cryptoki.C_EncryptAsync(handle, Buffer.from(secret), output);
        return Uint8Array.from(Buffer.concat([nonce, wrapped]));
      }),
    async unwrap(wrapped, context) {
      const state = { isBegun: false };
      try {
        return await use(async (session) => {
          const { cryptoki, handle } = session;
          const nonce = wrapped.subarray(0, NONCE_LENGTH);
          cryptoki.C_DecryptInit(handle, gcm(nonce, context), required(session));
          state.isBegun = true;
          const input = Buffer.from(wrapped.subarray(NONCE_LENGTH));
          return Uint8Array.from(await cryptoki.C_DecryptAsync(handle, input, Buffer.alloc(input.length)));
        });
      } catch (thrown) {
        // Vendors use various codes for a wrong tag.
        if (!state.isBegun || !isLucarneError(thrown)) throw thrown;
        throw notWrappedBy(`the key “${object}” of the token “${token}”`, { cause: thrown });
      }
    },
    require: () => useNew((session) => Promise.resolve(void strong(session, required(session), ofNew))),
    examine: () => use((session) => Promise.resolve(void strongInUse(session))),
    makeUnlessThere: () =>
      useNew((session) => {
        const key = session.find(object, template);
        if (key) strong(session, key, ofNew);
        else makeKey(session, object);
        return Promise.resolve();
      }),
  };
}

function makeKey(session: Session, object: string): void {
  const { cryptoki, handle } = session;
  session.requireMechanism(CK.AES_KEY_GEN, 'CKM_AES_KEY_GEN');
  cryptoki.C_GenerateKey(handle, { mechanism: CK.AES_KEY_GEN }, [
    { type: CK.CLASS, value: CK.SECRET_KEY },
    { type: CK.KEY_TYPE, value: CK.KEY_TYPE_AES },
    { type: CK.LABEL, value: object },
    { type: CK.VALUE_LEN, value: KEY_LENGTH },
    { type: CK.TOKEN, value: true },
    { type: CK.PRIVATE, value: true },
    { type: CK.SENSITIVE, value: true },
    { type: CK.EXTRACTABLE, value: false },
    { type: CK.ENCRYPT, value: true },
    { type: CK.DECRYPT, value: true },
  ]);
}
