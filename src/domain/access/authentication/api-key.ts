import { crc32 } from 'node:zlib';
import { sha256 } from '../../../platform/crypto/index.js';
import type { Random } from '../../../platform/kernel/random.js';
import { encodeBase62, integerInBase62 } from './base62.js';

/** The secret of an API key: `lck_`, 27 base62 characters of 160 random bits, 6 base62 characters of checksum. */
export type ApiKeySecret = string & { readonly __apiKeySecret: true };

const PREFIX = 'lck_';
const RANDOM_BYTES = 20;
const RANDOM_LENGTH = 27;
const CHECKSUM_LENGTH = 6;
const FORM = /^lck_[0-9A-Za-z]{33}$/;
// 6 of the 27 characters identify a key in a listing, and leave more than 124 bits unknown.
const DISPLAY_LENGTH = PREFIX.length + 6;

export function newApiKeySecret(random: Random): ApiKeySecret {
  const body = encodeBase62(random(RANDOM_BYTES), RANDOM_LENGTH);
  return `${PREFIX}${body}${checksum(body)}` as ApiKeySecret;
}

/**
 * The secret, or `undefined` for a text that was never one. The checksum refuses a mistyped key without a database lookup,
 * and lets a secret scanner distinguish a key from similar text.
 */
export function parseApiKeySecret(text: string): ApiKeySecret | undefined {
  if (!FORM.test(text)) return undefined;
  const body = text.slice(PREFIX.length, PREFIX.length + RANDOM_LENGTH);
  return text.endsWith(checksum(body)) ? (text as ApiKeySecret) : undefined;
}

/** 32 bytes. A secret of 160 random bits needs no slow hash: it cannot be guessed. */
export function hashApiKeySecret(secret: ApiKeySecret): Uint8Array {
  return sha256(secret);
}

/** The first characters of the secret. A person recognizes the key in a listing by them. */
export function displayPrefixOf(secret: ApiKeySecret): string {
  return secret.slice(0, DISPLAY_LENGTH);
}

// CRC-32 of the random part in base 62, as in GitHub's tokens.
const checksum = (body: string) => integerInBase62(crc32(body), CHECKSUM_LENGTH);
