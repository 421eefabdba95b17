import { type Foundation, query, type Reader, type Transaction } from '../../../platform/database/index.js';
import type { Sealer } from '../../../platform/crypto/index.js';
import { conflict } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { freshFactorRequired, hasFreshFactor, type Principal, requireSignedIn } from '../../access/index.js';
import { lockAccount, recordOfAccount } from '../accounts/account.js';
import { requireSessionStill } from '../sessions/sessions.js';
import { factorsOf, hasFactor } from './factors-of-account.js';

const CODES = 10;
const CODE_BYTES = 10;
// Crockford's base32: without I, L, O and U, which are misread.
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Replaces all earlier codes with ten new ones, which are shown once. Requires a fresh second factor. */
export async function createRecoveryCodes(
  foundation: Foundation,
  principal: Principal | undefined,
): Promise<readonly string[]> {
  const user = requireSignedIn(principal);
  const { accountId } = user;
  const now = foundation.clock.now();
  await requireFactorOf(foundation.database, accountId);
  if (!hasFreshFactor(user, now)) throw freshFactorRequired();
  const codes = Array.from({ length: CODES }, () => newCode(foundation));
  await foundation.database.transaction(async (transaction) => {
    await lockAccount(transaction, accountId);
    await requireSessionStill(transaction, user);
    // The last factor can have been removed meanwhile, and codes must not remain without one.
    await requireFactorOf(transaction, accountId);
    await transaction.rows(query.deleteFrom('recovery_codes').where('account_id', '=', accountId));
    await transaction.rows(
      query.insertInto('recovery_codes').values(
        codes.map((code) => ({
          account_id: accountId,
          code_hash: hashOf(foundation.sealer, accountId, code),
          created_at: now,
        })),
      ),
    );
    await recordOfAccount(transaction, accountId, 'user.recovery_codes_created', now);
  });
  return codes;
}

async function requireFactorOf(reader: Reader, accountId: Id<'acc'>): Promise<void> {
  if (!hasFactor(await factorsOf(reader, accountId)))
    throw conflict('Recovery codes replace a second factor: add a passkey or one-time codes first.');
}

/** Marks a code as used. Returns whether it belongs to the account. */
export async function useRecoveryCode(
  transaction: Transaction,
  sealer: Sealer,
  accountId: Id<'acc'>,
  code: string,
  at: Date,
): Promise<boolean> {
  const used = await transaction.rows(
    query
      .deleteFrom('recovery_codes')
      .where('account_id', '=', accountId)
      .where('code_hash', '=', hashOf(sealer, accountId, code))
      .returning('created_at'),
  );
  if (used.length === 0) return false;
  await recordOfAccount(transaction, accountId, 'user.recovery_code_used', at);
  return true;
}

/** 80 random bits, as `XXXX-XXXX-XXXX-XXXX`. */
function newCode({ random }: Foundation): string {
  const bits = [...random(CODE_BYTES)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const digits = (bits.match(/.{5}/g) ?? []).map((five) => DIGITS.charAt(Number.parseInt(five, 2))).join('');
  return (digits.match(/.{4}/g) ?? []).join('-');
}

// Normalizes lower case, spaces, and characters that are easily confused.
const canonical = (code: string) =>
  code
    .slice(0, 100)
    .toUpperCase()
    .replaceAll(/[^0-9A-Z]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1');

const hashOf = (sealer: Sealer, accountId: Id<'acc'>, code: string) =>
  sealer.digest(JSON.stringify([accountId, canonical(code)]), 'recovery_codes/code_hash');
