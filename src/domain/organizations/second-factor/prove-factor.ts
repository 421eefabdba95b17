import { type Foundation, query, type Transaction } from '../../../platform/database/index.js';
import type { JsonObject } from '../../../platform/kernel/encoding/json.js';
import type { Id } from '../../../platform/kernel/ids.js';
import type { ChallengePurpose } from '../passkeys/challenge.js';
import type { RelyingParty } from '../passkeys/relying-party.js';
import { provePasskey, usePasskey } from '../passkeys/verify-passkey.js';
import { totpStep, withTotpSecret } from './totp.js';
import { useRecoveryCode } from './recovery-codes.js';

/** One second factor, as a person enters it. */
export interface GivenFactor {
  readonly totp?: string | null | undefined;
  readonly recoveryCode?: string | null | undefined;
  /** The browser's answer to the options for a passkey. */
  readonly passkey?: JsonObject | null | undefined;
}

/** A factor that is valid so far. `use` consumes it in the transaction of its purpose, and returns whether it is still valid. */
export interface ProvenFactor {
  use(transaction: Transaction, at: Date): Promise<boolean>;
}

/** The account's factor among the given ones, or `undefined`. No code and no signature counts twice. */
export async function proveFactor(
  foundation: Foundation,
  party: () => RelyingParty,
  account: { readonly accountId: Id<'acc'>; readonly sealedTotpSecret: Uint8Array | null },
  factor: GivenFactor,
  purpose: ChallengePurpose,
): Promise<ProvenFactor | undefined> {
  const { accountId, sealedTotpSecret } = account;
  if (factor.passkey) {
    const proven = await provePasskey(foundation, party(), purpose, factor.passkey);
    if (proven?.passkey.accountId !== accountId) return undefined;
    return { use: (transaction, at) => usePasskey(transaction, proven, at) };
  }
  if (factor.totp && sealedTotpSecret !== null) {
    const code = factor.totp;
    const step = withTotpSecret(foundation.sealer, accountId, sealedTotpSecret, (secret) =>
      totpStep(secret, code, foundation.clock.now()),
    );
    if (step === undefined) return undefined;
    return { use: (transaction) => takeTotpStep(transaction, accountId, sealedTotpSecret, step) };
  }
  if (factor.recoveryCode) {
    const code = factor.recoveryCode;
    return { use: (transaction, at) => useRecoveryCode(transaction, foundation.sealer, accountId, code, at) };
  }
  return undefined;
}

/** The time step of the code was not used before (RFC 6238 section 5.2), and the secret is the same. */
async function takeTotpStep(
  transaction: Transaction,
  accountId: Id<'acc'>,
  sealedTotpSecret: Uint8Array,
  step: number,
): Promise<boolean> {
  const taken = await transaction.rows(
    query
      .updateTable('accounts')
      .set({ last_totp_step: step })
      .where('id', '=', accountId)
      .where('sealed_totp_secret', '=', sealedTotpSecret)
      .where((row) => row.or([row('last_totp_step', 'is', null), row('last_totp_step', '<', step)]))
      .returning('id'),
  );
  return taken.length > 0;
}
