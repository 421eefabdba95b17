import { readFile, stat } from 'node:fs/promises';
import { sign, signingPublicKey } from '../../../platform/crypto/index.js';
import { MAKE_READABLE } from '../../../platform/kernel/configuration-error.js';
import { equalBytes } from '../../../platform/kernel/encoding/bytes.js';
import { messageOf } from '../../../platform/kernel/errors.js';
import type { SigningKey } from '../../../platform/keys/index.js';
import type { Log } from '../../../platform/kernel/log.js';
import { addressFromBytes, type Address } from '../../../platform/ledger/index.js';

/** The payer of relays. It signs only messages that `buildMessage` has built. */
export interface RelaySigner {
  readonly address: Address;
  /** The 64-byte Ed25519 signature of the message. */
  sign(message: Uint8Array): Promise<Uint8Array>;
}

/** A problem with a key file. The message never contains the contents of the file. */
export class InvalidKeyFile extends Error {
  override readonly name = 'InvalidKeyFile';
}

/**
 * Reads a key file of the Solana command line: a JSON array of 64 bytes, the seed and the public key.
 * @throws {InvalidKeyFile}
 */
export async function keyFileSigner(file: string, log: Log): Promise<RelaySigner> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
    if (((await stat(file)).mode & 0o077) !== 0)
      log.warn(
        { file },
        'Users other than its owner can read the key file of the relayer. Set its mode to 0600.',
      );
  } catch (thrown) {
    throw new InvalidKeyFile(
      `The key file of the relayer cannot be read: ${messageOf(thrown)}. ${MAKE_READABLE}`,
      { cause: thrown },
    );
  }
  return keyPairSigner(parseKeyPair(text, file));
}

/** Signs with a key pair of 64 bytes, the seed and the public key, as `parseKeyPair` gives it. */
export function keyPairSigner(keyPair: Uint8Array): RelaySigner {
  const seed = keyPair.slice(0, SEED_BYTES);
  return {
    address: addressFromBytes(keyPair.slice(SEED_BYTES)),
    sign: (message) => Promise.resolve(sign(seed, message)),
  };
}

/** Signs with an Ed25519 key that is stored elsewhere. */
export const signerOf = (key: SigningKey): RelaySigner => ({
  address: addressFromBytes(key.publicKey),
  sign: (message) => key.sign(message),
});

const SEED_BYTES = 32;
const KEY_PAIR_BYTES = 64;

function parseKeyPair(text: string, file: string): Uint8Array {
  const bytes = parseBytes(text);
  if (bytes?.length !== KEY_PAIR_BYTES)
    throw new InvalidKeyFile(
      `The key file of the relayer must be a JSON array of ${KEY_PAIR_BYTES} bytes: ${file}.`,
    );
  // If the halves of a key pair differ, two signatures of one message would reveal the seed.
  if (!equalBytes(signingPublicKey(bytes.slice(0, SEED_BYTES)), bytes.slice(SEED_BYTES)))
    throw new InvalidKeyFile(
      `The public key in the key file of the relayer does not match the secret key: ${file}.`,
    );
  return bytes;
}

function parseBytes(text: string): Uint8Array | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message would quote the key.
    return undefined;
  }
  const isByte = (item: unknown) =>
    Number.isInteger(item) && (item as number) >= 0 && (item as number) <= 255;
  return Array.isArray(value) && value.every(isByte) ? Uint8Array.from(value as number[]) : undefined;
}
