import { address, type Instruction } from '@solana/kit';
import { getConfidentialTransferWithFeeInstruction } from '@solana-program/token-2022';
import { AeKey, ElGamalPubkey } from '@solana/zk-sdk/node';
import { splitAmount } from '../../../devnet/wallet/ciphertext-arithmetic.js';

export interface UnprovenFeeTransfer {
  readonly source: string;
  readonly mint: string;
  readonly destination: string;
  readonly authority: string;
  /** The auditor's ElGamal key, 32 bytes. */
  readonly auditorPublicKey: Uint8Array;
  readonly amount: bigint;
}

/**
 * A TransferWithFee instruction as in a transaction, with the amount encrypted to the auditor. No program accepts it: its fee
 * proof needs sums of Pedersen openings, which `@solana/zk-sdk` 0.4.1 cannot compute.
 */
export function unprovenFeeTransfer(input: UnprovenFeeTransfer): Instruction {
  const auditor = ElGamalPubkey.fromBytes(input.auditorPublicKey);
  const { low, high } = splitAmount(input.amount);
  return getConfidentialTransferWithFeeInstruction({
    sourceToken: address(input.source),
    mint: address(input.mint),
    destinationToken: address(input.destination),
    authority: address(input.authority),
    newSourceDecryptableAvailableBalance: new AeKey().encrypt(0n).toBytes(),
    transferAmountAuditorCiphertextLo: auditor.encryptU64(low).toBytes(),
    transferAmountAuditorCiphertextHi: auditor.encryptU64(high).toBytes(),
    equalityProofInstructionOffset: 1,
    transferAmountCiphertextValidityProofInstructionOffset: 2,
    feeSigmaProofInstructionOffset: 3,
    feeCiphertextValidityProofInstructionOffset: 4,
    rangeProofInstructionOffset: 5,
  });
}
