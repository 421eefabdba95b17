import { signature as parseSignature } from '@solana/kit';
import { Type, type Static } from 'typebox';
import { base64, equalBytes } from '../platform/kernel/encoding/bytes.js';
import { auditorKey, type Wallet } from '../../devnet/index.js';
import { DemoFailed } from './gateway.js';

/** A transfer that the demo's wallet sent. A disclosure must show the same amount. */
export interface SentTransfer {
  readonly signature: string;
  readonly amount: bigint;
}

/** The members of an available disclosure that the demo reads. */
export const AvailableDisclosure = Type.Object({
  id: Type.String(),
  status: Type.Literal('available'),
  result: Type.Object({
    receiptId: Type.String(),
    content: Type.String(),
    records: Type.Array(
      Type.Object({
        transactionId: Type.String(),
        networkTransactionId: Type.String(),
        amount: Type.String(),
        proof: Type.Object({
          amount: Type.Object({
            auditorElGamalPubkey: Type.String(),
            ciphertext: Type.Object({ lo: Type.String(), hi: Type.String() }),
            proof: Type.String(),
          }),
        }),
      }),
    ),
  }),
});

export type AvailableDisclosure = Static<typeof AvailableDisclosure>;

/** Throws unless every transfer is disclosed once, with the amount that the wallet sent. */
export function requireSentAmounts({ result }: AvailableDisclosure, sent: readonly SentTransfer[]): void {
  if (result.records.length !== sent.length) {
    throw new DemoFailed(`${result.records.length} of ${sent.length} transfers were disclosed.`);
  }
  for (const { signature, amount } of sent) {
    const record = result.records.find(({ networkTransactionId }) => networkTransactionId === signature);
    if (record?.amount !== amount.toString()) {
      throw new DemoFailed(
        `The wallet sent ${amount} in ${signature}; ${record?.amount ?? 'nothing'} was disclosed.`,
      );
    }
  }
}

/**
 * Checks what a disclosure file alone cannot prove: its ciphertexts are those of the transactions on the ledger, and its
 * proofs use the auditor key of the mint.
 */
export async function requireLedgerCiphertexts(
  wallet: Wallet,
  mint: string,
  { result }: AvailableDisclosure,
): Promise<void> {
  const mintKey = (await auditorKey(wallet.sender, mint)).toBytes();
  for (const { networkTransactionId, proof } of result.records) {
    const { auditorElGamalPubkey, ciphertext } = proof.amount;
    if (!equalBytes(bytesOf(auditorElGamalPubkey), mintKey)) {
      throw new DemoFailed(`The proof of ${networkTransactionId} uses a different key than the mint.`);
    }
    const transaction = await rawTransaction(wallet, networkTransactionId);
    for (const part of [ciphertext.lo, ciphertext.hi]) {
      if (!transaction.includes(Buffer.from(bytesOf(part)))) {
        throw new DemoFailed(`A disclosed ciphertext is not in transaction ${networkTransactionId}.`);
      }
    }
  }
}

async function rawTransaction(wallet: Wallet, signature: string): Promise<Buffer> {
  const found = await wallet.sender.rpc
    .getTransaction(parseSignature(signature), {
      commitment: 'confirmed',
      encoding: 'base64',
      maxSupportedTransactionVersion: 0,
    })
    .send();
  if (!found) throw new DemoFailed(`The ledger has no transaction ${signature}.`);
  return Buffer.from(found.transaction[0], 'base64');
}

function bytesOf(text: string): Uint8Array {
  const bytes = base64.decode(text);
  if (!bytes) throw new DemoFailed('A member of a proof is not base64.');
  return bytes;
}

/** A copy whose first amount is one base unit larger. */
export function tampered(disclosure: AvailableDisclosure): AvailableDisclosure {
  const copy = structuredClone(disclosure);
  const [record] = copy.result.records;
  if (record) record.amount = (BigInt(record.amount) + 1n).toString();
  return copy;
}
