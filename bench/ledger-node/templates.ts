import { generateElGamalKeypair } from '#lucarne/platform/crypto/index.js';
import { AnswerBudget } from '#lucarne/platform/ledger/providers/answer-budget.js';
import { callJsonRpc } from '#lucarne/platform/ledger/providers/json-rpc.js';
import { createWallet, startLocalLedger } from '#devnet/index.js';

export const DECIMALS = 6;

export type Kind = 'create' | 'open' | 'fund' | 'deposit' | 'apply' | 'transfer' | 'withdraw';

/** The members of `getTransaction`'s result that differ between transactions. */
export interface TransactionAnswer {
  slot: number;
  blockTime: number;
  transaction: {
    signatures: string[];
    message: { accountKeys: string[]; instructions: InstructionAnswer[] };
  };
  meta: { err: unknown; status: unknown };
}

interface InstructionAnswer {
  programIdIndex: number;
  accounts: number[];
  data: string;
}

/** A few transactions of one mint, as a ledger returned them, with their accounts. */
export interface Templates {
  readonly mint: string;
  readonly auditorPublicKey: Uint8Array;
  /** `value` of `getAccountInfo`. */
  readonly mintAccount: unknown;
  /** The account that is in every transaction, and the destination of the transfer. */
  readonly source: string;
  readonly destination: string;
  readonly answers: Readonly<Record<Kind, TransactionAnswer>>;
}

/** Executed by the real Token-2022 program on the embedded ledger, with real proofs. */
export async function recordTemplates(): Promise<Templates> {
  await using ledger = await startLocalLedger({ blockMs: 20 });
  const budget = new AnswerBudget();
  const options = { timeoutMs: 10_000, closed: new AbortController().signal, budget };
  const call = (method: string, ...params: unknown[]) => callJsonRpc(ledger.rpcUrl, method, params, options);
  const wallet = await createWallet({ rpcUrl: ledger.rpcUrl });
  const { publicKey: auditorPublicKey } = generateElGamalKeypair();
  const mint = await wallet.deployMint({ decimals: DECIMALS, auditorPublicKey });
  const source = await mint.configureAccount('source');
  const [open] = (await call('getSignaturesForAddress', source.address)) as { signature: string }[];
  const destination = await mint.configureAccount('destination');
  const signatures = {
    create: mint.signature,
    open: open!.signature,
    fund: await source.fund(5_000n),
    deposit: await source.deposit(5_000n),
    apply: await source.applyPending(),
    transfer: await source.transfer(destination, 100n),
    withdraw: await source.withdraw(100n),
  };
  const answers: Partial<Record<Kind, TransactionAnswer>> = {};
  for (const [kind, signature] of Object.entries(signatures)) {
    const question = { commitment: 'finalized', encoding: 'json', maxSupportedTransactionVersion: 1 };
    answers[kind as Kind] = (await call('getTransaction', signature, question)) as TransactionAnswer;
  }
  const account = await call('getAccountInfo', mint.address, { encoding: 'base64' });
  return {
    mint: mint.address,
    auditorPublicKey,
    mintAccount: (account as { value: unknown }).value,
    source: source.address,
    destination: destination.address,
    answers: answers as Record<Kind, TransactionAnswer>,
  };
}
