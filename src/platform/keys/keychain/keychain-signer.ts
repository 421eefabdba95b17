import { readFile } from 'node:fs/promises';
import { ConfigurationError, loadOptional, unreadableFile } from '../../kernel/configuration-error.js';
import { attempt } from '../../kernel/encoding/attempt.js';
import { base58 } from '../../kernel/encoding/bytes.js';
import { unavailable } from '../../kernel/errors.js';
import { inTime } from '../retried.js';
import type { SigningKey } from '../signing-key.js';
import { verifiedKey } from '../signing/verified-key.js';

/** Timeout of making a signer, and of a signature. Signers are asked once: a company may count or charge each request. */
const TIMEOUT_MS = 10_000;

const PUBLIC_KEY_LENGTH = 32;

/** The parts of a signer of `@solana/keychain` that are used. */
interface Signer {
  readonly address: unknown;
  signTransactions(
    transactions: readonly Transaction[],
  ): Promise<readonly Readonly<Record<string, Uint8Array>>[]>;
}

/** A transaction of `@solana/kit` that is not signed yet. */
interface Transaction {
  readonly messageBytes: Uint8Array;
  readonly signatures: Readonly<Record<string, null>>;
}

type Members = Readonly<Record<string, unknown>>;
type Create = (members: Members) => Promise<Signer>;
type LoadPackage = (name: string, needs: string) => Promise<Members>;

interface KeychainOptions {
  /** Replaces {@link loadOptional}, in tests. */
  readonly load?: LoadPackage;
  readonly timeoutMs?: number;
}

/**
 * A signer of `@solana/keychain`. The file is what its `createKeychainSigner` takes, as JSON: `backend` names the signer, and the
 * other members are its configuration. It signs messages of transactions only, because a company that hosts keys decides by the
 * transaction.
 *
 * @throws `UNAVAILABLE` if the signer is unavailable, `ConfigurationError` if a person must act. Neither quotes the file.
 */
export async function openKeychainSigner(
  file: string,
  { load = loadOptional<Members>, timeoutMs = TIMEOUT_MS }: KeychainOptions = {},
): Promise<SigningKey> {
  const { backend, members } = await readDescription(file);
  const create = await loadFactory(backend, load);
  const ask = <Result>(work: () => Promise<Result>) =>
    inTime({ store: `The signer “${backend}” of @solana/keychain`, timeoutMs }, async () => {
      try {
        return await work();
      } catch (thrown) {
        throw explain(thrown, backend);
      }
    });
  const signer = await ask(() => create(members));
  const address = String(signer.address);
  const key: SigningKey = {
    publicKey: base58.decode(address, PUBLIC_KEY_LENGTH) ?? new Uint8Array(),
    sign: (messageBytes) =>
      ask(async () => {
        const [signatures] = await signer.signTransactions([
          { messageBytes, signatures: { [address]: null } },
        ]);
        return Uint8Array.from(signatures?.[address] ?? []);
      }),
  };
  return verifiedKey(key, `of ${file}`);
}

/** Backends that send transactions themselves. Only a transaction that is stored already may reach the ledger. */
const SENDERS: readonly string[] = ['crossmint'];

async function readDescription(
  file: string,
): Promise<{ readonly backend: string; readonly members: Members }> {
  const text = await readFile(file, 'utf8').catch((thrown: unknown) => {
    throw unreadableFile(file, thrown);
  });
  const { backend, ...members } = parseObject(text);
  if (typeof backend !== 'string' || !/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(backend))
    throw new ConfigurationError(
      `${file} must be a JSON object whose “backend” names a signer of @solana/keychain, such as {"backend": "turnkey", …}.`,
    );
  if (SENDERS.includes(backend) || members['useProgramCall'] === true)
    throw new ConfigurationError(
      `The signer “${backend}” ${SENDERS.includes(backend) ? 'sends' : 'with “useProgramCall” sends'} transactions itself, ` +
        'before Lucarne has stored them. Use a signer that only signs.',
    );
  return { backend, members };
}

function parseObject(text: string): Members {
  // The parser's message would quote a secret.
  const value: unknown = attempt(() => JSON.parse(text) as unknown);
  return typeof value === 'object' && value !== null ? (value as Members) : {};
}

/** `createVaultSigner` of `@solana/keychain-vault`, `createAwsKmsSigner` of `@solana/keychain-aws-kms`. */
async function loadFactory(backend: string, load: LoadPackage): Promise<Create> {
  const name = `@solana/keychain-${backend}`;
  const exported = await load(name, `The signer “${backend}” needs`);
  const wanted = `create${backend.replaceAll('-', '')}signer`;
  const [, create] = Object.entries(exported).find(([each]) => each.toLowerCase() === wanted) ?? [];
  if (typeof create !== 'function')
    throw new ConfigurationError(
      `The package ${name} has no function that makes a signer. Install version 1 of it.`,
    );
  return create as Create;
}

/** The texts of these errors come from the package, and name members of the file. */
const QUOTED = 'SIGNER_CONFIG_ERROR';
const OF_THE_FILE: readonly unknown[] = [
  'SIGNER_INVALID_PRIVATE_KEY',
  'SIGNER_INVALID_PUBLIC_KEY',
  'SIGNER_IO_ERROR',
];
/** The statuses of failures that can end without a correction. */
const TRANSIENT: readonly number[] = [408, 425, 429];

function explain(thrown: unknown, backend: string): Error {
  const { code, name, message, context } = thrown as Members;
  const status = Number((context as Members | undefined)?.['status']);
  const signer = `The signer “${backend}” of @solana/keychain`;
  if (code === QUOTED)
    return new ConfigurationError(`${signer} refuses its configuration: ${String(message).slice(0, 200)}.`);
  if (OF_THE_FILE.includes(code))
    return new ConfigurationError(`${signer} cannot use its key (${String(code)}). Correct the file.`);
  if (status >= 400 && status < 500 && !TRANSIENT.includes(status))
    return new ConfigurationError(
      `${signer} is refused with status ${status}. Correct the credentials, the name of the key, or the policy of the key.`,
    );
  const how = String(code ?? name)
    .replaceAll(/\W/g, '')
    .slice(0, 60);
  return unavailable(`${signer} does not answer: ${how}.`, { retryAfterSeconds: 5 });
}
