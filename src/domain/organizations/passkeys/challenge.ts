import { timingSafeEqual } from 'node:crypto';
import { sha256 } from '../../../platform/crypto/index.js';
import type { Foundation, Transaction } from '../../../platform/database/index.js';
import { useOnce } from '../sessions/use-once.js';

/** The purpose of a challenge. `binding` is its owner: a session or an invitation. A challenge for a sign-in has no owner. */
export interface ChallengePurpose {
  readonly purpose: 'sign_in' | 'add' | 'step_up' | 'invitation';
  readonly binding: string;
}

/** A challenge for a sign-in has no owner. */
export const SIGN_IN_PURPOSE = { purpose: 'sign_in', binding: '' } as const;

const LIFETIME_MS = 5 * 60_000;
const NONCE_BYTES = 16;
const TIME_BYTES = 8;
const MAC_BYTES = 32;

/** A challenge is not stored: it proves that this gateway created it, when and for what. */
export function newChallenge(
  { clock, random, sealer }: Pick<Foundation, 'clock' | 'random' | 'sealer'>,
  purpose: ChallengePurpose,
): Uint8Array<ArrayBuffer> {
  const head = Buffer.alloc(NONCE_BYTES + TIME_BYTES);
  head.set(random(NONCE_BYTES));
  head.writeBigUInt64BE(BigInt(clock.now().getTime() + LIFETIME_MS), NONCE_BYTES);
  return Uint8Array.from(Buffer.concat([head, macOf(sealer, head, purpose)]));
}

/** Whether the challenge was made for this purpose within the last five minutes. */
export function isOwnChallenge(
  { clock, sealer }: Pick<Foundation, 'clock' | 'sealer'>,
  text: string,
  purpose: ChallengePurpose,
): boolean {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== NONCE_BYTES + TIME_BYTES + MAC_BYTES || bytes.toString('base64url') !== text)
    return false;
  const head = bytes.subarray(0, NONCE_BYTES + TIME_BYTES);
  if (!timingSafeEqual(bytes.subarray(head.length), macOf(sealer, head, purpose))) return false;
  return Number(head.readBigUInt64BE(NONCE_BYTES)) > clock.now().getTime();
}

/** Marks the challenge as used. Returns whether it was unused. */
export const useChallenge = (transaction: Transaction, text: string, at: Date): Promise<boolean> =>
  useOnce(transaction, sha256(`webauthn ${text}`), at);

const macOf = (sealer: Foundation['sealer'], head: Buffer, { purpose, binding }: ChallengePurpose) =>
  sealer.digest(JSON.stringify([head.toString('base64url'), purpose, binding]), 'webauthn/challenge');
