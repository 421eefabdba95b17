import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { loadCryptoki } from '../../../../src/platform/keys/pkcs11/pkcs11-module.js';
import { createKeyStores, type KeyStores } from '../../../../src/platform/keys/index.js';
import { createSessions, type Sessions } from '../../../../src/platform/keys/pkcs11/sessions.js';
import type { Pkcs11Configuration } from '../../../../src/platform/keys/pkcs11/tokens.js';
import { makeSigningKey, makeToken, PIN, SOFT_HSM_LIBRARY } from '../../../kit/process/soft-hsm-token.js';

/** Without SoftHSM2, the tests of tokens are skipped. */
export const HAS_SOFT_HSM = SOFT_HSM_LIBRARY !== undefined;

export interface SoftHsm extends AsyncDisposable {
  readonly configuration: Pkcs11Configuration;
  readonly stores: KeyStores;
  /** Sessions of the test itself. */
  readonly sessions: Sessions;
  /** The environment with which other processes see the same tokens. */
  readonly environment: Readonly<Record<string, string>>;
  /** Removes the tokens, or inserts them again. */
  setPresent(isPresent: boolean): Promise<void>;
  /**
   * Kills the processes that this process has for the token, or stops them: then they hang like in a call that does not return.
   */
  signal(signal: 'SIGKILL' | 'SIGSTOP'): Promise<void>;
  /** Uses the token in a separate process with few file descriptors. `token-user.mjs` describes its output. */
  usedElsewhere(how?: { readonly isShort: boolean }): TokenUser;
  /** Makes an Ed25519 key pair. */
  makeSigningKey(label: string): Promise<void>;
}

interface TokenUser {
  readonly process: ChildProcess;
  readonly lines: AsyncIterator<string>;
}

/** A new token. `global-setup.mjs` creates the directory of all tokens of the test run. */
export async function openSoftHsm(label: string): Promise<SoftHsm> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'lucarne-token-'));
  const settings = process.env['SOFTHSM2_CONF']!;
  const tokens = path.join(path.dirname(settings), 'tokens');
  const pinFile = path.join(directory, 'pin');
  await writeFile(pinFile, `${PIN}\n`, { mode: 0o600 });
  await makeToken(label);
  const place = await placeOf(tokens, label);
  await lookForTokens();
  // A token that is available again is asked at once.
  const configuration = { module: SOFT_HSM_LIBRARY!, pinFile, restMs: 0 };
  const sessions = createSessions(configuration);
  const signal = async (name: 'SIGKILL' | 'SIGSTOP') => {
    for (const id of await processesOf(label)) process.kill(id, name);
  };
  const environment = {
    SOFTHSM2_CONF: settings,
    LUCARNE_PKCS11_MODULE: SOFT_HSM_LIBRARY!,
    LUCARNE_PKCS11_PIN_FILE: pinFile,
  };
  return {
    configuration,
    stores: createKeyStores({ pkcs11: configuration }),
    sessions,
    signal,
    environment,
    usedElsewhere(how) {
      const program = path.join(import.meta.dirname, 'token-user.mjs');
      const task = JSON.stringify({ configuration, token: label, ...how });
      const command = ['-c', 'ulimit -n 256; exec "$0" "$@"', process.execPath, program, task];
      const child = spawn('sh', command, {
        env: { ...process.env, ...environment },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      return { process: child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
    },
    async setPresent(isPresent) {
      const away = path.join(directory, 'away');
      await (isPresent ? rename(away, place) : rename(place, away));
      await signal('SIGKILL');
    },
    makeSigningKey: (object) => makeSigningKey(sessions, label, object),
    async [Symbol.asyncDispose]() {
      await signal('SIGKILL');
      for (const each of [directory, place]) await rm(each, { recursive: true, force: true });
    },
  };
}

/** The library looks for tokens when it is initialized. */
async function lookForTokens(): Promise<void> {
  const cryptoki = await loadCryptoki(SOFT_HSM_LIBRARY!);
  cryptoki.C_Finalize();
  cryptoki.C_Initialize();
}

/** The processes that this or another process has for a token: its label is their last argument. */
export async function processesOf(label: string, parent = process.pid): Promise<number[]> {
  const args = ['-P', String(parent), '-f', ` ${label}$`];
  const found = await promisify(execFile)('pgrep', args).catch(() => ({ stdout: '' }));
  return found.stdout.split('\n').filter(Boolean).map(Number);
}

/** The directory of the token, which contains its label. */
async function placeOf(tokens: string, label: string): Promise<string> {
  for (const name of await readdir(tokens)) {
    const place = path.join(tokens, name);
    if ((await readFile(path.join(place, 'token.object'))).includes(label)) return place;
  }
  throw new Error(`SoftHSM2 has not made the token ${label}.`);
}
