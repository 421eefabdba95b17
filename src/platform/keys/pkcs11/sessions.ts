import { ConfigurationError } from '../../kernel/configuration-error.js';
import { messageOf, unavailable } from '../../kernel/errors.js';
import { type Attribute, CK, type Cryptoki, type Handle, loadCryptoki } from './pkcs11-module.js';
import { readPin, RefusedPin, versionOf } from './pin-file.js';
import { attempt } from '../../kernel/encoding/attempt.js';

export interface Pkcs11Library {
  /** The vendor's library. */
  readonly module: string;
  readonly pinFile: string;
}

/** This process cannot use the token until another process initializes the library. */
export class TokenAway extends Error {}

/** Sessions of this process with the tokens of one PKCS #11 library. */
export interface Sessions {
  /**
   * Runs `work` in a session that is logged in to the token. Only one may run at a time: an operation of a session takes
   * several calls. After a failure, the session is closed, and the next call opens another.
   *
   * @throws `TokenAway` if the token or the session is lost, `UNAVAILABLE` if the token refuses this operation,
   *   `ConfigurationError` if only a person can repair it.
   */
  use<Result>(token: string, work: (session: Session) => Promise<Result>): Promise<Result>;
}

export interface Session {
  readonly cryptoki: Cryptoki;
  readonly handle: Handle;
  /** The object with all of these attributes; `undefined` if there is none. Two are a configuration error. */
  find(name: string, template: Attribute[]): Handle | undefined;
  /** Refuses a token that lacks a mechanism, before any operation begins. `advice` states what to do. */
  requireMechanism(mechanism: number, name: string, advice?: string): void;
}

interface OpenSession {
  readonly slot: Handle;
  readonly handle: Handle;
}

/** One login counts for all sessions of a token in a process. */
const ALREADY_LOGGED_IN = 0x100;
/** What to do if a login is refused, by its code. Another attempt with the same PIN changes nothing, or locks the token. */
const REFUSED_LOGINS = new Map<number, (token: string, message: string) => string>([
  ...[0xa0, 0xa1, 0xa2].map((code) => [code, wrongPin] as const),
  [
    0xa3,
    (token) =>
      `The PIN of the token “${token}” has expired. Set a new one in the token, and write it to LUCARNE_PKCS11_PIN_FILE.`,
  ],
  [
    0xa4,
    (token) =>
      `The token “${token}” is locked after too many wrong PINs. Have its security officer set a new PIN, and write it to LUCARNE_PKCS11_PIN_FILE.`,
  ],
  [
    0x102,
    (token) =>
      `The token “${token}” has no user PIN yet. Have its security officer set one, and write it to LUCARNE_PKCS11_PIN_FILE.`,
  ],
]);

function wrongPin(token: string, message: string): string {
  return `The token “${token}” refuses the PIN of LUCARNE_PKCS11_PIN_FILE: ${message}. Correct it before the token locks.`;
}

/** CKR_DEVICE_ERROR, _DEVICE_REMOVED, _SESSION_CLOSED, _SESSION_HANDLE_INVALID, _TOKEN_NOT_PRESENT, _USER_NOT_LOGGED_IN. */
const GONE = new Set([0x30, 0x32, 0xb0, 0xb3, 0xe0, 0x101]);
const KEY_FUNCTION_NOT_PERMITTED = 0x68;
const MAX_MATCHES = 2;

export function createSessions(
  { module, pinFile }: Pkcs11Library,
  load: (library: string) => Promise<Cryptoki> = loadCryptoki,
): Sessions {
  const sessions = new Map<string, OpenSession>();
  return {
    async use(token, work) {
      const cryptoki = await load(module);
      try {
        let open = sessions.get(token);
        if (!open) {
          // If no session can be opened, whatever the code, the token cannot be used.
          open = await openSession(cryptoki, token, pinFile).catch((thrown: unknown) => {
            throw codeOf(thrown) === undefined ? thrown : away(token, thrown);
          });
          sessions.set(token, open);
        }
        return await work(sessionOf(cryptoki, token, open));
      } catch (thrown) {
        const failed = sessions.get(token);
        sessions.delete(token);
        if (failed) closeQuietly(cryptoki, failed);
        throw explain(thrown, token);
      }
    },
  };
}

async function openSession(cryptoki: Cryptoki, token: string, pinFile: string): Promise<OpenSession> {
  const slot = cryptoki.C_GetSlotList(true).find((candidate) => labelOf(cryptoki, candidate) === token);
  if (!slot) throw new TokenAway(`The token “${token}” is not present, so its keys cannot be used.`);
  // Read before the PIN. If the file changes in between, a PIN may be tried twice, but none is missed.
  const version = await versionOf(pinFile);
  const pin = await readPin(pinFile);
  const handle = cryptoki.C_OpenSession(slot, CK.SERIAL_SESSION | CK.RW_SESSION);
  try {
    cryptoki.C_Login(handle, CK.USER, pin);
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === ALREADY_LOGGED_IN) return { slot, handle };
    closeQuietly(cryptoki, { slot, handle });
    const refusal = code === undefined ? undefined : REFUSED_LOGINS.get(code);
    if (!refusal) throw thrown;
    throw new RefusedPin(refusal(token, messageOf(thrown)), version, { cause: thrown });
  }
  return { slot, handle };
}

// A slot whose token was removed between two calls has no label.
const labelOf = (cryptoki: Cryptoki, slot: Handle): string | undefined =>
  attempt(() => cryptoki.C_GetTokenInfo(slot).label.trim());

function sessionOf(cryptoki: Cryptoki, token: string, { slot, handle }: OpenSession): Session {
  return {
    cryptoki,
    handle,
    find(name, template) {
      cryptoki.C_FindObjectsInit(handle, template);
      const found = cryptoki.C_FindObjects(handle, MAX_MATCHES);
      cryptoki.C_FindObjectsFinal(handle);
      if (found.length > 1)
        throw new ConfigurationError(
          `The token “${token}” has several keys “${name}” of one kind. Give each its own label.`,
        );
      return found[0];
    },
    requireMechanism(mechanism, name, advice = 'Use another token.') {
      if (cryptoki.C_GetMechanismList(slot).includes(mechanism)) return;
      throw new ConfigurationError(`The token “${token}” lacks the mechanism ${name}. ${advice}`);
    },
  };
}

function closeQuietly(cryptoki: Cryptoki, { handle }: OpenSession): void {
  try {
    cryptoki.C_CloseSession(handle);
  } catch {
    // The session no longer exists.
  }
}

function codeOf(thrown: unknown): number | undefined {
  const { code } = thrown as { readonly code?: unknown };
  return typeof code === 'number' ? code : undefined;
}

const away = (token: string, cause: unknown) =>
  new TokenAway(`The token “${token}” does not answer: ${messageOf(cause)}.`, { cause });

function explain(thrown: unknown, token: string): unknown {
  const code = codeOf(thrown);
  if (code === undefined) return thrown;
  if (GONE.has(code)) return away(token, thrown);
  if (code === KEY_FUNCTION_NOT_PERMITTED)
    return unavailable(
      `The token “${token}” does not let its key be used: ${messageOf(thrown)}. A master key needs CKA_ENCRYPT and ` +
        'CKA_DECRYPT, a signing key CKA_SIGN. Allow them, or name another key.',
      { cause: thrown },
    );
  return unavailable(`The token “${token}” refuses an operation: ${messageOf(thrown)}.`, { cause: thrown });
}
