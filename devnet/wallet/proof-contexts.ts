import { generateKeyPairSigner, type Address, type Instruction } from '@solana/kit';
import {
  closeContextStateProof,
  verifyBatchedGroupedCiphertext3HandlesValidity,
  verifyBatchedRangeProofU128,
  verifyBatchedRangeProofU64,
  verifyCiphertextCommitmentEquality,
  type VerifyBatchedRangeProofU128Args,
} from '@solana-program/zk-elgamal-proof';
import type { LedgerSender } from './ledger-sender.js';

type Verify = (input: VerifyBatchedRangeProofU128Args) => Promise<Instruction[]>;

const VERIFIERS = {
  equality: verifyCiphertextCommitmentEquality,
  validity: verifyBatchedGroupedCiphertext3HandlesValidity,
  range: verifyBatchedRangeProofU128,
  withdrawalRange: verifyBatchedRangeProofU64,
} satisfies Record<string, Verify>;

export type ProofKind = keyof typeof VERIFIERS;

/**
 * Has proofs verified, each into a separate account that a later instruction refers to: together with their instruction they
 * would not fit into one transaction.
 */
export async function verifyInContexts<Kind extends ProofKind>(
  sender: LedgerSender,
  proofs: Readonly<Record<Kind, Uint8Array>>,
): Promise<Record<Kind, Address>> {
  const kinds = Object.keys(proofs) as Kind[];
  const verified = await Promise.all(
    kinds.map(async (kind) => [kind, await verifyInContext(sender, kind, proofs[kind])] as const),
  );
  return Object.fromEntries(verified) as Record<Kind, Address>;
}

/** The instructions that close context accounts and give their rent back. */
export function closeContexts(
  sender: LedgerSender,
  contexts: Readonly<Record<string, Address>>,
): Instruction[] {
  return Object.values(contexts).map((contextState) =>
    closeContextStateProof({ contextState, authority: sender.payer, destination: sender.payer.address }),
  );
}

async function verifyInContext(
  sender: LedgerSender,
  kind: ProofKind,
  proofData: Uint8Array,
): Promise<Address> {
  const contextAccount = await generateKeyPairSigner();
  const verify: Verify = VERIFIERS[kind];
  const instructions = await verify({
    rpc: sender.rpc,
    payer: sender.payer,
    proofData,
    contextState: { contextAccount, authority: sender.payer.address },
  });
  // A range proof leaves no room in its transaction for the creation of the account (1207 of 1232 bytes).
  const transactions =
    kind === 'range' || kind === 'withdrawalRange'
      ? instructions.map((instruction) => [instruction])
      : [instructions];
  for (const transaction of transactions) await sender.send(transaction);
  return contextAccount.address;
}
