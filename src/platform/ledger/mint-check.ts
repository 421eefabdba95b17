import { equalBytes } from '../kernel/encoding/bytes.js';
import { unreachable } from '../kernel/unreachable.js';
import type { MintAccount } from './token-2022/mint-account.js';

export type MintCheckFailure =
  | 'mint_not_found'
  | 'not_token_2022'
  | 'no_confidential_transfer_extension'
  | 'auditor_key_mismatch'
  | 'decimals_mismatch';

export type MintCheck = { readonly ok: true } | { readonly ok: false; readonly reason: MintCheckFailure };

export interface ExpectedMint {
  /** The organization's auditor key of every epoch, 32 bytes each. */
  readonly auditorPublicKeys: readonly Uint8Array[];
  readonly decimals: number;
}

/** Whether a mint is the one that an asset was registered for: the first difference, in the order of `MintCheckFailure`. */
export function checkMint(mint: MintAccount, expected: ExpectedMint): MintCheck {
  const reason = firstDifference(mint, expected);
  return reason === undefined ? { ok: true } : { ok: false, reason };
}

function firstDifference(mint: MintAccount, expected: ExpectedMint): MintCheckFailure | undefined {
  switch (mint.status) {
    case 'absent':
    case 'not_a_mint':
      return 'mint_not_found';
    case 'other_owner':
      return 'not_token_2022';
    case 'mint': {
      const extension = mint.confidentialTransfer;
      if (extension === undefined) return 'no_confidential_transfer_extension';
      const key = extension.auditorPublicKey;
      if (key === undefined || !expected.auditorPublicKeys.some((own) => equalBytes(own, key)))
        return 'auditor_key_mismatch';
      return mint.decimals === expected.decimals ? undefined : 'decimals_mismatch';
    }
    default:
      return unreachable(mint);
  }
}
