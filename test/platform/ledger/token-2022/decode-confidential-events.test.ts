import { describe, expect, it } from '@jest/globals';
import * as token from '@solana-program/token-2022';
import { createNoopSigner } from '@solana/kit';
import { base64 } from '../../../../src/platform/kernel/encoding/bytes.js';
import { addressBytes } from '../../../../src/platform/ledger/index.js';
import {
  account,
  mint,
  source,
  destination,
  owner,
  ownerSigner,
  records,
  ae,
  lo,
  hi,
  inContexts,
  transfer,
  deposit,
  decodeOne,
} from './instruction-kit.js';

const here = { instructionIndex: 0, instructionPath: [0, 0, 0], authority: owner };
const place = { path: [0, 0, 0], order: 0 };

describe('an instruction built with the token-2022 client', () => {
  it('a transfer names its accounts and carries the auditor ciphertexts byte for byte', () => {
    expect(decodeOne(transfer())).toEqual({
      ...place,
      type: 'confidential_transfer',
      mint,
      sourceAccount: source,
      destinationAccount: destination,
      ciphertexts: { auditor: { lo, hi } },
      publicData: here,
      tokenAccounts: [source, destination],
    });
  });

  it('a transfer with fee carries the auditor ciphertexts of the amount, and none of the fee', () => {
    const built = token.getConfidentialTransferWithFeeInstruction({
      sourceToken: source,
      mint,
      destinationToken: destination,
      equalityRecord: records[0],
      transferAmountCiphertextValidityRecord: records[1],
      feeSigmaRecord: records[2],
      feeCiphertextValidityRecord: records[3],
      rangeRecord: records[4],
      authority: owner,
      newSourceDecryptableAvailableBalance: ae,
      transferAmountAuditorCiphertextLo: lo,
      transferAmountAuditorCiphertextHi: hi,
      equalityProofInstructionOffset: 0,
      transferAmountCiphertextValidityProofInstructionOffset: 0,
      feeSigmaProofInstructionOffset: 0,
      feeCiphertextValidityProofInstructionOffset: 0,
      rangeProofInstructionOffset: 0,
    });
    expect(decodeOne(built)).toMatchObject({
      type: 'confidential_transfer_with_fee',
      mint,
      sourceAccount: source,
      destinationAccount: destination,
      ciphertexts: { auditor: { lo, hi } },
      publicData: here,
    });
  });

  it('a deposit shows its amount, up to the largest u64', () => {
    expect(decodeOne(deposit((1n << 64n) - 1n))).toEqual({
      ...place,
      type: 'confidential_deposit',
      mint,
      sourceAccount: source,
      destinationAccount: source,
      ciphertexts: {},
      publicData: { ...here, amount: '18446744073709551615', decimals: 6 },
      tokenAccounts: [source],
    });
  });

  it('a withdrawal shows its amount', () => {
    const built = token.getConfidentialWithdrawInstruction({
      token: source,
      mint,
      equalityRecord: records[0],
      rangeRecord: records[1],
      authority: owner,
      amount: 77n,
      decimals: 2,
      newDecryptableAvailableBalance: ae,
      equalityProofInstructionOffset: 0,
      rangeProofInstructionOffset: 0,
    });
    expect(decodeOne(built)).toMatchObject({
      type: 'confidential_withdraw',
      mint,
      sourceAccount: source,
      destinationAccount: source,
      ciphertexts: {},
      publicData: { ...here, amount: '77', decimals: 2 },
    });
  });

  it('a confidential mint credits its account', () => {
    const built = token.getConfidentialMintInstruction({
      token: destination,
      mint,
      equalityRecord: records[0],
      ciphertextValidityRecord: records[1],
      rangeRecord: records[2],
      authority: owner,
      newDecryptableSupply: ae,
      mintAmountAuditorCiphertextLo: lo,
      mintAmountAuditorCiphertextHi: hi,
      ...inContexts,
    });
    expect(decodeOne(built)).toEqual({
      ...place,
      type: 'confidential_mint',
      mint,
      destinationAccount: destination,
      ciphertexts: { auditor: { lo, hi } },
      publicData: here,
      tokenAccounts: [destination],
    });
  });

  const burn = {
    token: source,
    mint,
    equalityRecord: records[0],
    ciphertextValidityRecord: records[1],
    rangeRecord: records[2],
    authority: owner,
    newDecryptableAvailableBalance: ae,
    burnAmountAuditorCiphertextLo: lo,
    burnAmountAuditorCiphertextHi: hi,
    ...inContexts,
  };
  const burned = {
    ...place,
    type: 'confidential_burn',
    mint,
    sourceAccount: source,
    ciphertexts: { auditor: { lo, hi } },
    tokenAccounts: [source],
  };

  it('a confidential burn debits its account', () => {
    expect(decodeOne(token.getConfidentialBurnInstruction(burn))).toEqual({ ...burned, publicData: here });
  });

  it('a burn that the mint’s burn authority also signed is an ordinary burn', () => {
    const permissionedBurnAuthority = account(21);
    const built = token.getPermissionedConfidentialBurnInstruction({
      ...burn,
      permissionedBurnAuthority: createNoopSigner(permissionedBurnAuthority),
    });
    expect(decodeOne(built)).toEqual({ ...burned, publicData: { ...here, permissionedBurnAuthority } });
  });

  it('configuring an account shows its mint', () => {
    const built = token.getConfigureConfidentialTransferAccountInstruction({
      token: source,
      mint,
      instructionsSysvarOrContextState: records[0],
      authority: owner,
      decryptableZeroBalance: ae,
      maximumPendingBalanceCreditCounter: 65536n,
      proofInstructionOffset: 0,
    });
    expect(decodeOne(built)).toEqual({
      ...place,
      type: 'configure_account',
      mint,
      sourceAccount: source,
      ciphertexts: {},
      publicData: { ...here, maximumPendingBalanceCreditCounter: '65536' },
      tokenAccounts: [source],
    });
  });

  it('configuring from a registry has no authority', () => {
    const registry = account(22);
    const built = token.getConfigureConfidentialTransferAccountWithRegistryInstruction({
      token: source,
      mint,
      elgamalRegistry: registry,
    });
    expect(decodeOne(built)).toEqual({
      ...place,
      type: 'configure_account',
      mint,
      sourceAccount: source,
      ciphertexts: {},
      publicData: { instructionIndex: 0, instructionPath: [0, 0, 0], elGamalRegistry: registry },
      tokenAccounts: [source],
    });
  });

  it('applying a pending balance names an account but no mint', () => {
    const built = token.getApplyConfidentialPendingBalanceInstruction({
      token: source,
      authority: owner,
      expectedPendingBalanceCreditCounter: 3n,
      newDecryptableAvailableBalance: ae,
    });
    expect(decodeOne(built)).toEqual({
      ...place,
      type: 'apply_pending_balance',
      sourceAccount: source,
      ciphertexts: {},
      publicData: { ...here, expectedPendingBalanceCreditCounter: '3' },
      tokenAccounts: [source],
    });
  });

  it('emptying an account names an account but no mint', () => {
    const built = token.getEmptyConfidentialTransferAccountInstruction({
      token: source,
      instructionsSysvarOrContextState: records[0],
      authority: owner,
      proofInstructionOffset: 0,
    });
    expect(decodeOne(built)).toMatchObject({
      type: 'empty_account',
      sourceAccount: source,
      publicData: here,
    });
  });

  it('approving an account names account and mint', () => {
    const built = token.getApproveConfidentialTransferAccountInstruction({
      token: source,
      mint,
      authority: ownerSigner,
    });
    expect(decodeOne(built)).toMatchObject({ type: 'approve_account', mint, sourceAccount: source });
  });

  it('updating a mint shows its new auditor key in base64', () => {
    const key = account(31);
    const built = token.getUpdateConfidentialTransferMintInstruction({
      mint,
      authority: ownerSigner,
      autoApproveNewAccounts: true,
      auditorElgamalPubkey: key,
    });
    expect(decodeOne(built)).toEqual({
      ...place,
      type: 'update_mint',
      mint,
      ciphertexts: {},
      publicData: {
        ...here,
        autoApproveNewAccounts: true,
        auditorElGamalPubkey: base64.encode(addressBytes(key)),
      },
      tokenAccounts: [],
    });
  });

  it('updating a mint to have no auditor shows null', () => {
    const built = token.getUpdateConfidentialTransferMintInstruction({
      mint,
      authority: ownerSigner,
      autoApproveNewAccounts: false,
      auditorElgamalPubkey: null,
    });
    expect(decodeOne(built).publicData).toMatchObject({
      autoApproveNewAccounts: false,
      auditorElGamalPubkey: null,
    });
  });

  it.each([
    [token.getEnableConfidentialCreditsInstruction, 'confidential', true],
    [token.getDisableConfidentialCreditsInstruction, 'confidential', false],
    [token.getEnableNonConfidentialCreditsInstruction, 'non_confidential', true],
    [token.getDisableNonConfidentialCreditsInstruction, 'non_confidential', false],
  ] as const)('a credits switch shows which credits it changes and how (%#)', (build, credits, enabled) => {
    expect(decodeOne(build({ token: source, authority: owner }))).toEqual({
      ...place,
      type: 'credits_changed',
      sourceAccount: source,
      ciphertexts: {},
      publicData: { ...here, credits, enabled },
      tokenAccounts: [source],
    });
  });
});
