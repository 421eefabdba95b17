import {
  BatchedGroupedCiphertext3HandlesValidityProofData,
  BatchedRangeProofU128Data,
  BatchedRangeProofU64Data,
  CiphertextCommitmentEqualityProofData,
  ElGamalCiphertext,
  GroupedElGamalCiphertext3Handles,
  PedersenCommitment,
  PedersenOpening,
  type ElGamalKeypair,
  type ElGamalPubkey,
} from '@solana/zk-sdk/node';
import {
  addParts,
  ciphertextFor,
  splitAmount,
  subtractAmount,
  subtractParts,
} from './ciphertext-arithmetic.js';

/** Proof data for the ZK ElGamal proof program; `equality`, `validity` and `range` are verified apart. */
export interface AmountProofs {
  readonly equality: Uint8Array;
  readonly validity: Uint8Array;
  readonly range: Uint8Array;
  /** The amount's two parts under the auditor's key, 64 bytes each. */
  readonly auditorLow: Uint8Array;
  readonly auditorHigh: Uint8Array;
  readonly newBalance: bigint;
}

export interface AmountProofInput {
  readonly amount: bigint;
  /** The keys the amount is encrypted to, in the instruction's order; the auditor's is the third. */
  readonly recipients: readonly [ElGamalPubkey, ElGamalPubkey, ElGamalPubkey];
  /** The balance that changes: whose it is (as a position in `recipients`), its ciphertext and its value. */
  readonly balance: {
    readonly keypair: ElGamalKeypair;
    readonly recipient: number;
    readonly ciphertext: Uint8Array;
    readonly value: bigint;
  };
  readonly direction: 'take' | 'add';
}

/**
 * The three proofs of a confidential transfer, mint or burn: the new balance's ciphertext commits to what the range
 * proof bounds, the same amount is encrypted to all three keys, and all parts are in range.
 */
export function proveAmount(input: AmountProofInput): AmountProofs {
  const { amount, recipients, balance, direction } = input;
  const { low, high } = splitAmount(amount);
  const newBalance = direction === 'take' ? balance.value - amount : balance.value + amount;
  if (high >> 32n !== 0n) throw new RangeError('A confidential amount has at most 48 bits.');
  if (newBalance < 0n) throw new RangeError(`The balance of ${balance.value} does not cover ${amount}.`);
  const [openingLow, openingHigh, openingNew, openingPadding] = [
    new PedersenOpening(),
    new PedersenOpening(),
    new PedersenOpening(),
    new PedersenOpening(),
  ];
  const encrypt = (part: bigint, opening: PedersenOpening) =>
    GroupedElGamalCiphertext3Handles.encryptWith(...recipients, part, opening);
  const groupedLow = encrypt(low, openingLow);
  const groupedHigh = encrypt(high, openingHigh);
  const [lowBytes, highBytes] = [groupedLow.toBytes(), groupedHigh.toBytes()];

  const apply = direction === 'take' ? subtractParts : addParts;
  const newCiphertext = apply(
    balance.ciphertext,
    ciphertextFor(lowBytes, balance.recipient),
    ciphertextFor(highBytes, balance.recipient),
  );
  const newCommitment = PedersenCommitment.from(newBalance, openingNew);
  const equality = new CiphertextCommitmentEqualityProofData(
    balance.keypair,
    readCiphertext(newCiphertext),
    newCommitment,
    openingNew,
    newBalance,
  ).toBytes();
  const validity = new BatchedGroupedCiphertext3HandlesValidityProofData(
    ...recipients,
    groupedLow,
    groupedHigh,
    low,
    high,
    openingLow,
    openingHigh,
  ).toBytes();
  // The bit lengths must sum to 128: 64 for the balance, 16 and 32 for the parts, 16 of padding.
  const range = new BatchedRangeProofU128Data(
    [
      newCommitment,
      PedersenCommitment.fromBytes(lowBytes.slice(0, 32)),
      PedersenCommitment.fromBytes(highBytes.slice(0, 32)),
      PedersenCommitment.from(0n, openingPadding),
    ],
    new BigUint64Array([newBalance, low, high, 0n]),
    Uint8Array.of(64, 16, 32, 16),
    [openingNew, openingLow, openingHigh, openingPadding],
  ).toBytes();
  return {
    equality,
    validity,
    range,
    auditorLow: ciphertextFor(lowBytes, 2),
    auditorHigh: ciphertextFor(highBytes, 2),
    newBalance,
  };
}

/** The two proofs of a withdrawal, whose amount is public. */
export function proveWithdrawal(
  amount: bigint,
  balance: { readonly keypair: ElGamalKeypair; readonly ciphertext: Uint8Array; readonly value: bigint },
): { readonly equality: Uint8Array; readonly range: Uint8Array; readonly newBalance: bigint } {
  const newBalance = balance.value - amount;
  if (newBalance < 0n) throw new RangeError(`The balance of ${balance.value} does not cover ${amount}.`);
  const opening = new PedersenOpening();
  const commitment = PedersenCommitment.from(newBalance, opening);
  const equality = new CiphertextCommitmentEqualityProofData(
    balance.keypair,
    readCiphertext(subtractAmount(balance.ciphertext, amount)),
    commitment,
    opening,
    newBalance,
  ).toBytes();
  const range = new BatchedRangeProofU64Data(
    [commitment],
    new BigUint64Array([newBalance]),
    Uint8Array.of(64),
    [opening],
  ).toBytes();
  return { equality, range, newBalance };
}

export function readCiphertext(bytes: Uint8Array): ElGamalCiphertext {
  const ciphertext = ElGamalCiphertext.fromBytes(bytes);
  if (ciphertext === undefined) throw new TypeError('Not an ElGamal ciphertext.');
  return ciphertext;
}
