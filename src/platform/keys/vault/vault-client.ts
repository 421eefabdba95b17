import { readFile } from 'node:fs/promises';
import { ConfigurationError, unreadableFile } from '../../kernel/configuration-error.js';
import { readJsonText } from '../../kernel/encoding/foreign-json.js';
import { isJsonObject, parseUnambiguousJson } from '../../kernel/encoding/json.js';
import { messageOf, unavailable } from '../../kernel/errors.js';
import { retried } from '../retried.js';
import { attempt } from '../../kernel/encoding/attempt.js';

export interface VaultConfiguration {
  /** The address of HashiCorp Vault or OpenBao: https, or http on loopback. */
  readonly address: URL;
  /** The file with the token. It is read for each request, so that an agent can renew the token. */
  readonly tokenFile: string;
  readonly timeoutMs?: number;
}

/** The answer of Vault: the `data` of 200, or the status if it refuses the request or the object does not exist. */
export type VaultAnswer =
  | { readonly status: 200; readonly data: Readonly<Record<string, unknown>> }
  | { readonly status: 204 | 400 | 404 };

export interface VaultClient {
  /**
   * Sends a request to a path below `/v1/`. Error texts of Vault are never quoted, because they can repeat the request.
   *
   * @throws `UNAVAILABLE` if Vault is unavailable, sealed or too busy, `ConfigurationError` if it refuses the token.
   */
  send(path: string, body?: Readonly<Record<string, unknown>>): Promise<VaultAnswer>;
}

const TIMEOUT_MS = 5_000;
/** The description of a key that was rotated hundreds of times is smaller. */
const MAX_ANSWER_BYTES = 1024 * 1024;

export function createVaultClient(configuration: VaultConfiguration): VaultClient {
  const { address, tokenFile, timeoutMs = TIMEOUT_MS } = configuration;
  const base = `${address.href.replace(/\/$/, '')}/v1/`;
  const away = (how: string, cause?: unknown) =>
    unavailable(`Vault at ${address.origin} ${how}.`, { retryAfterSeconds: 5, cause });

  const sendOnce = async (
    path: string,
    body: object | undefined,
    signal: AbortSignal,
  ): Promise<VaultAnswer> => {
    const token = await readToken(tokenFile);
    let status: number;
    let text: string;
    try {
      const answer = await fetch(`${base}${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { 'x-vault-token': token, 'x-vault-request': 'true', 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
        // The token must not be sent to another host.
        redirect: 'error',
        signal,
      });
      status = answer.status;
      text = await readJsonText(answer.body, { maxBytes: MAX_ANSWER_BYTES });
    } catch (thrown) {
      throw away(`does not answer: ${reasonOf(thrown)}`, thrown);
    }
    switch (status) {
      case 200:
        return {
          status,
          data: dataOf(text) ?? fail(away('gives answers that a Transit engine does not give')),
        };
      case 204:
      case 400:
      case 404:
        return { status };
      case 403:
        throw new ConfigurationError(
          `Vault at ${address.origin} refuses the token of LUCARNE_VAULT_TOKEN_FILE for ${path}. Renew the token, or allow this ` +
            'path in its policy.',
        );
      case 429:
        throw away('refuses more requests at present');
      case 503:
        throw away('is sealed or down for maintenance');
      default:
        throw away(`answers with status ${status}`);
    }
  };
  const asked = { store: `Vault at ${address.origin}`, timeoutMs };
  return { send: (path, body) => retried(asked, (signal) => sendOnce(path, body, signal)) };
}

/** The member `data` of an answer; `undefined` if there is none. */
function dataOf(text: string): Record<string, unknown> | undefined {
  const answer = attempt(() => parseUnambiguousJson(text));
  const data = isJsonObject(answer) ? answer['data'] : undefined;
  return isJsonObject(data) ? data : undefined;
}

/** If a request failed in transit, the cause contains the reason. */
const reasonOf = (thrown: unknown) =>
  messageOf((thrown as { readonly cause?: unknown }).cause ?? '') || messageOf(thrown);

function fail(error: Error): never {
  throw error;
}

async function readToken(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((thrown: unknown) => {
    throw unreadableFile('LUCARNE_VAULT_TOKEN_FILE', thrown);
  });
  const token = text.trim();
  if (/^[\x21-\x7e]{1,8192}$/.test(token)) return token;
  throw new ConfigurationError(
    token === ''
      ? 'LUCARNE_VAULT_TOKEN_FILE is empty. Write a token of Vault into it.'
      : 'LUCARNE_VAULT_TOKEN_FILE must hold one token: printable ASCII without spaces.',
  );
}
