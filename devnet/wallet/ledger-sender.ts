import {
  address,
  appendTransactionMessageInstructions,
  createSolanaRpc,
  fetchEncodedAccount,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  isSolanaError,
  lamports,
  pipe,
  setTransactionMessageComputeUnitLimit,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  setTransactionMessageLoadedAccountsDataSizeLimit,
  signTransactionMessageWithSigners,
  type EncodedAccount,
  type Instruction,
  type KeyPairSigner,
  type Rpc,
  type Signature,
  type SolanaRpcApi,
  type TransactionMessage,
} from '@solana/kit';
import type { TransactionVersion } from '../chain/wire-transaction.js';

/** The ledger refused or failed a transaction; the message holds the reason and the program's logs. */
class TransactionFailed extends Error {
  override readonly name = 'TransactionFailed';
}

const COMMITMENT = { commitment: 'confirmed' } as const;
const POLL_INTERVAL_MS = 100;

/** Builds, signs, sends and confirms transactions of one payer over any Solana JSON-RPC. */
export class LedgerSender {
  readonly rpc: Rpc<SolanaRpcApi>;

  private constructor(
    rpcUrl: string,
    readonly payer: KeyPairSigner,
  ) {
    this.rpc = createSolanaRpc(rpcUrl);
  }

  /** Without a given payer, creates one that the ledger's faucet funds. */
  static async open(
    rpcUrl: string,
    funding: { readonly payer?: KeyPairSigner | undefined; readonly airdropLamports: bigint },
  ) {
    const sender = new LedgerSender(rpcUrl, funding.payer ?? (await generateKeyPairSigner()));
    if (funding.payer === undefined) {
      const amount = lamports(funding.airdropLamports);
      await sender.confirm(
        await sender.rpc.requestAirdrop(sender.payer.address, amount, COMMITMENT).send(),
        undefined,
      );
    }
    return sender;
  }

  /** Answers the signature once the transaction is confirmed; throws `TransactionFailed` otherwise. */
  async send(instructions: readonly Instruction[], version: TransactionVersion = 0): Promise<Signature> {
    const { value: lifetime } = await this.rpc.getLatestBlockhash(COMMITMENT).send();
    const message = pipe(
      emptyMessage(version),
      (empty) => setTransactionMessageFeePayerSigner(this.payer, empty),
      (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
      (living) => appendTransactionMessageInstructions(instructions, living),
    );
    const signed = await signTransactionMessageWithSigners(version === 1 ? withV1Limits(message) : message);
    try {
      await this.rpc
        .sendTransaction(getBase64EncodedWireTransaction(signed), {
          encoding: 'base64',
          preflightCommitment: 'confirmed',
        })
        .send();
    } catch (cause) {
      throw new TransactionFailed(explain(cause), { cause });
    }
    const signature = getSignatureFromTransaction(signed);
    await this.confirm(signature, lifetime.lastValidBlockHeight);
    return signature;
  }

  async account(ofAddress: string): Promise<EncodedAccount> {
    const found = await fetchEncodedAccount(this.rpc, address(ofAddress), COMMITMENT);
    if (!found.exists) throw new TransactionFailed(`There is no account ${ofAddress}.`);
    return found;
  }

  async rent(bytes: number): Promise<bigint> {
    return this.rpc.getMinimumBalanceForRentExemption(BigInt(bytes)).send();
  }

  private async confirm(signature: Signature, lastValidBlockHeight: bigint | undefined): Promise<void> {
    for (;;) {
      const { value } = await this.rpc.getSignatureStatuses([signature]).send();
      const status = value[0];
      if (status?.err != null) {
        throw new TransactionFailed(`Transaction ${signature} failed: ${json(status.err)}`);
      }
      if (status?.confirmationStatus === 'confirmed' || status?.confirmationStatus === 'finalized') return;
      if (lastValidBlockHeight !== undefined) {
        const height = await this.rpc.getBlockHeight(COMMITMENT).send();
        if (height > lastValidBlockHeight) throw new TransactionFailed(`Transaction ${signature} expired.`);
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
    }
  }
}

function emptyMessage(version: TransactionVersion): TransactionMessage {
  return { version, instructions: [] };
}

// Version 1 has no defaults for these: without them the transaction may load and compute nothing (SIMD-0385).
function withV1Limits<Message extends TransactionMessage>(message: Message): Message {
  const limited = setTransactionMessageComputeUnitLimit(1_000_000, message);
  return setTransactionMessageLoadedAccountsDataSizeLimit(64 * 1024 * 1024, limited);
}

function explain(error: unknown): string {
  if (!isSolanaError(error)) return error instanceof Error ? error.message : String(error);
  return `${error.message} ${json(error.context)}`;
}

function json(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'bigint' ? member.toString() : member,
  );
}
