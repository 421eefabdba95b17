import { ConfigurationError, loadOptional } from '../../kernel/configuration-error.js';
import { messageOf } from '../../kernel/errors.js';

/** A slot, a session or an object, as the library identifies it. */
export type Handle = Buffer;

export interface Mechanism {
  readonly mechanism: number;
  readonly parameter?: {
    readonly type: number;
    readonly iv: Uint8Array;
    readonly ivBits: number;
    readonly aad: Uint8Array;
    readonly tagBits: number;
  };
}

export interface Attribute {
  readonly type: number;
  readonly value?: number | string | boolean | Uint8Array;
}

/** The parts of `pkcs11js` that are used, with the names of PKCS #11 2.40. */
export interface Cryptoki {
  load(library: string): void;
  C_Initialize(): void;
  C_Finalize(): void;
  C_GetSlotList(withToken: boolean): Handle[];
  C_GetTokenInfo(slot: Handle): { readonly label: string };
  C_GetMechanismList(slot: Handle): number[];
  C_OpenSession(slot: Handle, flags: number): Handle;
  C_CloseSession(session: Handle): void;
  C_Login(session: Handle, user: number, pin: string): void;
  C_FindObjectsInit(session: Handle, template: Attribute[]): void;
  C_FindObjects(session: Handle, max: number): Handle[];
  C_FindObjectsFinal(session: Handle): void;
  C_GetAttributeValue(session: Handle, object: Handle, template: Attribute[]): { readonly value: Buffer }[];
  C_GenerateKey(session: Handle, mechanism: Mechanism, template: Attribute[]): Handle;
  C_GenerateKeyPair(
    session: Handle,
    mechanism: Mechanism,
    ofPublicKey: Attribute[],
    ofPrivateKey: Attribute[],
  ): unknown;
  C_EncryptInit(session: Handle, mechanism: Mechanism, key: Handle): void;
  C_EncryptAsync(session: Handle, input: Uint8Array, output: Buffer): Promise<Buffer>;
  C_DecryptInit(session: Handle, mechanism: Mechanism, key: Handle): void;
  C_DecryptAsync(session: Handle, input: Uint8Array, output: Buffer): Promise<Buffer>;
  C_SignInit(session: Handle, mechanism: Mechanism, key: Handle): void;
  C_SignAsync(session: Handle, input: Uint8Array, output: Buffer): Promise<Buffer>;
}

/** Constants of PKCS #11 2.40 and, for EdDSA, 3.0. */
export const CK = {
  ...{ SERIAL_SESSION: 0x4, RW_SESSION: 0x2, USER: 1 },
  ...{ PUBLIC_KEY: 2, PRIVATE_KEY: 3, SECRET_KEY: 4, KEY_TYPE_AES: 0x1f, KEY_TYPE_EC_EDWARDS: 0x40 },
  ...{ CLASS: 0x0, TOKEN: 0x1, PRIVATE: 0x2, LABEL: 0x3, KEY_TYPE: 0x100, SENSITIVE: 0x103, ENCRYPT: 0x104 },
  ...{ DECRYPT: 0x105, SIGN: 0x108, VERIFY: 0x10a, VALUE_LEN: 0x161, EXTRACTABLE: 0x162 },
  ...{ EC_PARAMS: 0x180, EC_POINT: 0x181 },
  ...{ AES_KEY_GEN: 0x1080, AES_GCM: 0x1087, EC_EDWARDS_KEY_PAIR_GEN: 0x1055, EDDSA: 0x1057 },
  /** Tells `pkcs11js` that a parameter is CK_GCM_PARAMS. */
  PARAMETERS_OF_AES_GCM: 7,
} as const;

const loaded = new Map<string, Promise<Cryptoki>>();

/** The vendor's library, loaded and initialized once for each process. */
export function loadCryptoki(library: string): Promise<Cryptoki> {
  const known = loaded.get(library);
  if (known) return known;
  const loading = load(library);
  loaded.set(library, loading);
  // After a repair, the library can be loaded without a restart.
  loading.catch(() => loaded.delete(library));
  return loading;
}

async function load(library: string): Promise<Cryptoki> {
  const module = await loadOptional<{ readonly default: { readonly PKCS11: new () => Cryptoki } }>(
    'pkcs11js',
    'LUCARNE_PKCS11_MODULE needs',
    ': its build needs a C++ compiler. Install one and run: npm ci',
  );
  try {
    const cryptoki = new module.default.PKCS11();
    cryptoki.load(library);
    initialize(cryptoki);
    return cryptoki;
  } catch (thrown) {
    throw new ConfigurationError(
      `LUCARNE_PKCS11_MODULE cannot be loaded from ${library}: ${messageOf(thrown)}. Name the library of the token’s vendor.`,
      { cause: thrown },
    );
  }
}

const ALREADY_INITIALIZED = 0x191;

/** Initializes the library, even if other code in this process has already done so. */
function initialize(cryptoki: Cryptoki): void {
  try {
    cryptoki.C_Initialize();
  } catch (thrown) {
    if ((thrown as { readonly code?: unknown }).code !== ALREADY_INITIALIZED) throw thrown;
  }
}
