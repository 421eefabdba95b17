import { signature as parseSignature } from '@solana/kit';
import { Type, type Static } from 'typebox';
import { base64, equalBytes } from '../../kernel/bytes.js';
import { auditorKey } from '../wallet/confidential-account.js';
import type { Wallet } from '../wallet/confidential-token.js';
import { DemoFailed } from './gateway.js';

/** A transfer that the demo's wallet made: what it knows of the amount is what a disclosure must say. */
export interface SentTransfer {
  readonly signature: string;
  readonly amount: bigint;
}

/** What the demo reads of a disclosure that is available. */
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

/** Every transfer is disclosed once, with the amount that the wallet sent. */
export function requireSentAmounts({ result }: AvailableDisclosure, sent: readonly SentTransfer[]): void {
  if (result.records.length !== sent.length) {
    throw new DemoFailed(`${result.records.length} records were disclosed of ${sent.length} transfers.`);
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
 * What the disclosure's file cannot show of itself: its ciphertexts are bytes of the ledger's own transactions, and
 * the key of its proofs is the one in the mint.
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
      throw new DemoFailed(`The proof of ${networkTransactionId} is under another key than the mint's.`);
    }
    const transaction = await rawTransaction(wallet, networkTransactionId);
    for (const part of [ciphertext.lo, ciphertext.hi]) {
      if (!transaction.includes(Buffer.from(bytesOf(part)))) {
        throw new DemoFailed(`A disclosed ciphertext is not in the ledger's ${networkTransactionId}.`);
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
  if (!found) throw new DemoFailed(`The ledger does not know ${signature}.`);
  return Buffer.from(found.transaction[0], 'base64');
}

function bytesOf(text: string): Uint8Array {
  const bytes = base64.decode(text);
  if (!bytes) throw new DemoFailed('A member of a proof is not base64.');
  return bytes;
}

/** A copy in which the first amount is one base unit larger. */
export function tampered(disclosure: AvailableDisclosure): AvailableDisclosure {
  const copy = structuredClone(disclosure);
  const [record] = copy.result.records;
  if (record) record.amount = (BigInt(record.amount) + 1n).toString();
  return copy;
}
