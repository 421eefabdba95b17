import { readFile } from 'node:fs/promises';
import { ConfigurationError } from '../../kernel/configuration-error.js';
import { LucarneError, messageOf, unavailable } from '../../kernel/errors.js';
import { type Attribute, CK, type Cryptoki, type Handle, loadCryptoki } from './pkcs11-module.js';

export interface Pkcs11Configuration {
  /** The vendor's library. */
  readonly module: string;
  readonly pinFile: string;
}

/** Tokens of one PKCS #11 library. */
export interface Tokens {
  /**
   * Runs `work` in a session that is logged in to the token. One runs at a time: an operation of a session is begun by one
   * call and ended by the next. After a failure the session is closed, and the next call opens another.
   *
   * @throws `UNAVAILABLE` where the token is away or refuses, `ConfigurationError` where only a person can repair it.
   */
  use<Result>(token: string, work: (session: Session) => Promise<Result>): Promise<Result>;
}

export interface Session {
  readonly cryptoki: Cryptoki;
  readonly handle: Handle;
  /** The object with all of these attributes; `undefined` where there is none. Two are a configuration error. */
  find(name: string, template: Attribute[]): Handle | undefined;
  /** Refuses a token that lacks a mechanism, before anything is begun. */
  requireMechanism(mechanism: number, name: string): void;
}

interface OpenSession {
  readonly slot: Handle;
  readonly handle: Handle;
}

/** One login counts for all sessions of a token in a process. */
const ALREADY_LOGGED_IN = 0x100;
const WRONG_PIN = new Set([0xa0, 0xa1, 0xa2, 0xa4]);
const MAX_MATCHES = 2;

export function createTokens({ module, pinFile }: Pkcs11Configuration): Tokens {
  const sessions = new Map<string, OpenSession>();
  let last: Promise<unknown> = Promise.resolve();

  const enter = async <Result>(token: string, work: (session: Session) => Promise<Result>) => {
    const cryptoki = await loadCryptoki(module);
    try {
      let open = sessions.get(token);
      if (!open) {
        open = await openSession(cryptoki, token, pinFile);
        sessions.set(token, open);
      }
      return await work(sessionOf(cryptoki, token, open));
    } catch (thrown) {
      const failed = sessions.get(token);
      sessions.delete(token);
      if (failed) closeQuietly(cryptoki, failed);
      throw explain(thrown, token);
    }
  };
  return {
    use(token, work) {
      const turn = last.then(() => enter(token, work));
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}

async function openSession(cryptoki: Cryptoki, token: string, pinFile: string): Promise<OpenSession> {
  const slot = cryptoki.C_GetSlotList(true).find((candidate) => labelOf(cryptoki, candidate) === token);
  if (!slot) throw unavailable(`The token “${token}” is not there: its keys cannot be used.`);
  const pin = await readPin(pinFile);
  const handle = cryptoki.C_OpenSession(slot, CK.SERIAL_SESSION | CK.RW_SESSION);
  try {
    cryptoki.C_Login(handle, CK.USER, pin);
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === ALREADY_LOGGED_IN) return { slot, handle };
    closeQuietly(cryptoki, { slot, handle });
    if (code === undefined || !WRONG_PIN.has(code)) throw thrown;
    throw new ConfigurationError(
      `The token “${token}” refuses the PIN of LUCARNE_PKCS11_PIN_FILE: ${messageOf(thrown)}. Correct it before the token locks.`,
      { cause: thrown },
    );
  }
  return { slot, handle };
}

async function readPin(file: string): Promise<string> {
  const pin = await readFile(file, 'utf8').catch((thrown: unknown) => {
    throw new ConfigurationError(`LUCARNE_PKCS11_PIN_FILE cannot be read: ${(thrown as Error).message}`, {
      cause: thrown,
    });
  });
  if (pin.trim() === '')
    throw new ConfigurationError('LUCARNE_PKCS11_PIN_FILE is empty. Write the PIN of the token into it.');
  return pin.trim();
}

// A slot whose token was pulled out between two calls has no label.
function labelOf(cryptoki: Cryptoki, slot: Handle): string | undefined {
  try {
    return cryptoki.C_GetTokenInfo(slot).label.trim();
  } catch {
    return undefined;
  }
}

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
    requireMechanism(mechanism, name) {
      if (cryptoki.C_GetMechanismList(slot).includes(mechanism)) return;
      throw new ConfigurationError(`The token “${token}” lacks the mechanism ${name}. Use another token.`);
    },
  };
}

function closeQuietly(cryptoki: Cryptoki, { handle }: OpenSession): void {
  try {
    cryptoki.C_CloseSession(handle);
  } catch {
    // It is gone already.
  }
}

function codeOf(thrown: unknown): number | undefined {
  const { code } = thrown as { readonly code?: unknown };
  return typeof code === 'number' ? code : undefined;
}

function explain(thrown: unknown, token: string): unknown {
  if (thrown instanceof LucarneError || codeOf(thrown) === undefined) return thrown;
  return unavailable(`The token “${token}” does not answer: ${messageOf(thrown)}.`, { cause: thrown });
}
