import { randomBytes } from 'node:crypto';
import { hash, verify, type Options } from '@node-rs/argon2';
import { clientNetwork } from '../kernel/client-network.js';
import { badUserInput, unavailable } from '../kernel/errors.js';
import { createQuota } from '../kernel/quota.js';

// OWASP Password Storage Cheat Sheet: argon2id (the library's default) with 19 MiB, 2 passes, 1 lane.
const ARGON2ID: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const SHORTEST = 12;
const LONGEST_BYTES = 1024;
const LARGEST_QUEUE = 64;
/** What one client may have of the queue: who fills it keeps nobody else from signing in. */
const LARGEST_SHARE = 16;

export function parsePassword(member: string, value: unknown): string {
  if (
    typeof value !== 'string' ||
    Array.from(value).length < SHORTEST ||
    Buffer.byteLength(value) > LONGEST_BYTES
  ) {
    throw badUserInput(
      `${member} must have at least ${SHORTEST} characters and at most ${LONGEST_BYTES} bytes.`,
    );
  }
  return value;
}

/** An argon2id PHC string of a password that {@link parsePassword} let through. */
export function hashPassword(password: string): Promise<string> {
  return bounded(() => hash(password, ARGON2ID));
}

/** Whether the password is the account's; without a hash it takes as long, and is false. */
export async function verifyPassword(
  passwordHash: string | null | undefined,
  password: string,
  clientAddress: string,
): Promise<boolean> {
  const present = passwordHash ?? (await dummyHash());
  // No password is that long: what cannot match need not be hashed, and no account is told by that.
  const candidate = Buffer.byteLength(password) > LONGEST_BYTES ? '' : password;
  const matches = await shared(clientAddress, () => bounded(() => verify(present, candidate)));
  return matches && passwordHash !== null && passwordHash !== undefined && candidate === password;
}

let dummy: Promise<string> | undefined;

/** The hash that stands in for an unknown account. Made before the first answer, lest that one be slower. */
export function dummyHash(): Promise<string> {
  dummy ??= hash(randomBytes(32), ARGON2ID);
  return dummy;
}

const shares = createQuota(LARGEST_SHARE);

async function shared<Result>(clientAddress: string, work: () => Promise<Result>): Promise<Result> {
  const network = clientNetwork(clientAddress);
  if (!shares.take(network)) throw tooManyAtOnce();
  try {
    return await work();
  } finally {
    shares.give(network);
  }
}

let running = 0;

// Every hash takes 19 MiB and a thread of the pool that files and name look-ups need too.
async function bounded<Result>(work: () => Promise<Result>): Promise<Result> {
  if (running >= LARGEST_QUEUE) throw tooManyAtOnce();
  running += 1;
  try {
    return await work();
  } finally {
    running -= 1;
  }
}

const tooManyAtOnce = () =>
  unavailable('Too many passwords are being checked at once.', { retryAfterSeconds: 1 });
