import { describe, expect, it } from '@jest/globals';
import { checkMint, TOKEN_2022_PROGRAM, type MintAccount } from '../../../src/platform/ledger/index.js';
import { anAddress } from './answers.js';

const auditorPublicKey = new Uint8Array(32).fill(6);
const expected = { auditorPublicKeys: [new Uint8Array(32).fill(5), auditorPublicKey], decimals: 6 };
const at = { address: anAddress(1), slot: 5 };

function mint(changes: Partial<Extract<MintAccount, { status: 'mint' }>> = {}): MintAccount {
  return {
    ...at,
    status: 'mint',
    decimals: 6,
    supply: 0n,
    mintAuthority: undefined,
    confidentialTransfer: { authority: undefined, autoApproveNewAccounts: true, auditorPublicKey },
    hasConfidentialMintBurn: false,
    transferFee: undefined,
    ...changes,
  };
}

const audited = (key: Uint8Array | undefined) =>
  mint({
    confidentialTransfer: { authority: undefined, autoApproveNewAccounts: true, auditorPublicKey: key },
  });

describe('mint verification', () => {
  it('passes for the mint that the asset was registered for', () => {
    expect(checkMint(mint(), expected)).toEqual({ ok: true });
  });

  it.each([
    ['the account does not exist', { ...at, status: 'absent' }, 'mint_not_found'],
    ['it is a token account', { ...at, status: 'not_a_mint' }, 'mint_not_found'],
    ['another program owns it', { ...at, status: 'other_owner', owner: anAddress(2) }, 'not_token_2022'],
    [
      'it has no confidential transfers',
      mint({ confidentialTransfer: undefined }),
      'no_confidential_transfer_extension',
    ],
    ['it has no auditor', audited(undefined), 'auditor_key_mismatch'],
    ['it has another auditor', audited(new Uint8Array(32).fill(7)), 'auditor_key_mismatch'],
    ['its decimals differ', mint({ decimals: 9 }), 'decimals_mismatch'],
  ] as const)('fails with the reason if %s', (_, account, reason) => {
    expect(checkMint(account, expected)).toEqual({ ok: false, reason });
  });

  it('recognizes Token-2022 by its address', () => {
    expect(TOKEN_2022_PROGRAM).toBe('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');
  });
});
