import { type ChildProcess, fork } from 'node:child_process';
import process from 'node:process';
import { Semaphore } from '../../jobs/index.js';
import { ConfigurationError } from '../../kernel/configuration-error.js';
import { unavailable } from '../../kernel/errors.js';
import { WrongMasterKey } from '../master-key.js';
import { RefusedPin, versionOf } from './pin-file.js';
import type { Pkcs11Library } from './sessions.js';
import type { TokenReply, TokenRequest } from './token-messages.js';
import { unreachable } from '../../kernel/unreachable.js';

export interface Pkcs11Configuration extends Pkcs11Library {
  /** Timeout of an operation, including login. */
  readonly timeoutMs?: number;
  /** How long a token that was unavailable is not asked again. */
  readonly restMs?: number;
}

/** The tokens of one PKCS #11 library. */
export interface Tokens {
  /**
   * Requests an operation of a token. Operations run one at a time.
   *
   * @throws `UNAVAILABLE` if the token is unavailable, refuses or does not answer in time, `ConfigurationError` if only a
   *   person can repair it, `WrongMasterKey` if it cannot unwrap the value.
   */
  ask(token: string, request: TokenRequest): Promise<Uint8Array | undefined>;
}

const TIMEOUT_MS = 10_000;
const REST_MS = 1_000;

/**
 * Each token has a separate process. A library can hang in any call, and a call cannot be aborted, so the process that hangs is
 * killed together with its sessions. Neither the other tokens nor this process wait for it.
 */
export function createTokens(configuration: Pkcs11Configuration): Tokens {
  const lanes = new Map<string, Lane>();
  return {
    ask(token, request) {
      const lane = lanes.get(token) ?? new Lane(configuration, token);
      lanes.set(token, lane);
      return lane.ask(request);
    },
  };
}

/** The processes of all tokens. A process that hangs in a call does not notice that this process ended. */
const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

class Lane {
  readonly #configuration: Pkcs11Configuration;
  readonly #token: string;
  readonly #turns = new Semaphore(1);
  #process: ChildProcess | undefined;
  /** Why the token is not asked at present, and until when. */
  #away: { readonly reason: string; readonly until: number } | undefined;
  /**
   * Remembered here, because the token's process can end: each attempt with a wrong PIN brings the token closer to its lock.
   */
  #refused: RefusedPin | undefined;

  constructor(configuration: Pkcs11Configuration, token: string) {
    this.#configuration = configuration;
    this.#token = token;
  }

  ask(request: TokenRequest): Promise<Uint8Array | undefined> {
    // Callers that wait for their turn while the token becomes unavailable fail then, and do not wait for another timeout.
    return this.#turns.run(async () => {
      if (this.#away && performance.now() < this.#away.until) throw awayFor(this.#away.reason);
      if (this.#refused && this.#refused.version === (await versionOf(this.#configuration.pinFile)))
        throw this.#refused;
      this.#refused = undefined;
      const reply = await this.#exchange(request);
      if ('bytes' in reply) return taken(reply.bytes);
      switch (reply.failure) {
        case 'away':
          throw this.#rest(reply.message);
        case 'refused':
          throw awayFor(reply.message);
        case 'pin':
          throw (this.#refused = new RefusedPin(reply.message, reply.version));
        case 'configuration':
          throw new ConfigurationError(reply.message);
        case 'wrong':
          throw new WrongMasterKey(reply.message);
        case 'other':
          throw new Error(reply.message);
        default:
          return unreachable(reply);
      }
    });
  }

  async #exchange(request: TokenRequest): Promise<TokenReply> {
    const { timeoutMs = TIMEOUT_MS } = this.#configuration;
    let child: ChildProcess | undefined;
    let timer: NodeJS.Timeout | undefined;
    const { promise, resolve } = Promise.withResolvers<TokenReply>();
    const away = (how: string) => resolve({ failure: 'away', message: `The token “${this.#token}” ${how}.` });
    const ended = () => away('does not answer: its process ended');
    try {
      timer = setTimeout(() => away('does not answer in time'), timeoutMs);
      child = this.#process ??= this.#start();
      child.once('message', resolve).once('exit', ended).once('error', ended);
      child.send(request, (failure) => failure && ended());
      return await promise;
    } catch {
      // Without free file descriptors, `fork` returns a child without a channel.
      away('does not answer: its process cannot be started');
      return await promise;
    } finally {
      clearTimeout(timer);
      child?.off('message', resolve).off('exit', ended).off('error', ended);
    }
  }

  /** Ends the process. The next one initializes the library again, and finds a token that is available again. */
  #rest(reason: string): Error {
    const { restMs = REST_MS } = this.#configuration;
    this.#end();
    this.#away = { reason, until: performance.now() + restMs };
    return awayFor(reason);
  }

  #end(): void {
    const child = this.#process;
    this.#process = undefined;
    child?.kill('SIGKILL');
  }

  #start(): ChildProcess {
    const { module, pinFile } = this.#configuration;
    // It gets the whole environment, because the library may need any variable. It does not delay an exit: it ends with this
    // process.
    const child = fork(PROCESS, [module, pinFile, this.#token], {
      ...{ execArgv: [], serialization: 'advanced' },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    // A process that could not be started has no id and no exit event.
    if (child.pid !== undefined) running.add(child);
    const ended = () => {
      if (this.#process === child) this.#end();
    };
    child.on('error', ended);
    child.once('close', () => running.delete(child)).once('exit', ended);
    child.unref();
    child.channel?.unref();
    return child;
  }
}

/** Returns a copy, and wipes the original. */
function taken(bytes: Uint8Array | undefined): Uint8Array | undefined {
  const own = bytes && Uint8Array.from(bytes);
  bytes?.fill(0);
  return own;
}

const awayFor = (reason: string) => unavailable(reason, { retryAfterSeconds: 5 });

const PROCESS = new URL('token-process.js', import.meta.url);
