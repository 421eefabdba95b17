import { Secret, TOTP } from 'otpauth';
import type { SealedColumn, Sealer } from '../../../platform/crypto/index.js';
import type { Random } from '../../../platform/kernel/random.js';
import type { Id } from '../../../platform/kernel/ids.js';

// RFC 4226 section 4 recommends secrets of 160 bits. Authenticators support SHA-1, 6 digits and 30 s.
const SECRET_BYTES = 20;
const PERIOD_SECONDS = 30;
const TOLERATED_PERIODS = 1;
const CODE = /^[0-9]{6}$/;

export function newTotpSecret(random: Random): Uint8Array {
  return random(SECRET_BYTES);
}

/** The time step of the code. One step early or late is allowed. `undefined` for a wrong code. */
export function totpStep(secret: Uint8Array, code: string, at: Date): number | undefined {
  if (!CODE.test(code)) return undefined;
  const delta = totpOf(secret).validate({ token: code, timestamp: at.getTime(), window: TOLERATED_PERIODS });
  return delta === null ? undefined : Math.floor(at.getTime() / (PERIOD_SECONDS * 1000)) + delta;
}

/** The `otpauth:` URI that an authenticator reads from a QR code. */
export function totpUri(secret: Uint8Array, email: string): string {
  return totpOf(secret, email).toString();
}

export const sealTotpSecret = (sealer: Sealer, accountId: Id<'acc'>, secret: Uint8Array) =>
  sealer.seal(secret, sealingContext(accountId));

/** Calls `use` with the opened secret, then wipes it. */
export function withTotpSecret<Result>(
  sealer: Sealer,
  accountId: Id<'acc'>,
  sealed: Uint8Array,
  use: (secret: Uint8Array) => Result,
): Result {
  const secret = sealer.open(sealed, sealingContext(accountId));
  try {
    return use(secret);
  } finally {
    secret.fill(0);
  }
}

// The context contains the user with the same suffix, under which the secret was sealed before accounts were separate from
// users.
const sealingContext = (accountId: Id<'acc'>) =>
  `users/usr_${accountId.slice('acc_'.length)}/sealed_totp_secret`;

export const SEALED_TOTP_SECRETS: SealedColumn = {
  ...{ table: 'accounts', column: 'sealed_totp_secret', purpose: 'users', rows: 200 },
  key: ['id'],
  context: ([id]) => sealingContext(id as Id<'acc'>),
};

function totpOf(secret: Uint8Array, label = ''): TOTP {
  return new TOTP({
    issuer: 'Lucarne',
    label,
    secret: new Secret({ buffer: Uint8Array.from(secret).buffer }),
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD_SECONDS,
  });
}
