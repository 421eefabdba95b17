import { base64 } from '../../kernel/encoding/bytes.js';
import { AnswerBudget } from './answer-budget.js';
import { CreatorSearch } from './creator-search.js';
import { callJsonRpc, providerLabel } from './json-rpc.js';
import { observed, type LedgerCall } from './ledger-call.js';
import { nonsense } from '../ledger-error.js';
import type { AsOf, LedgerNode, LedgerNodes } from './ledger-node.js';
import {
  readAccountOwners,
  readBalance,
  readBlockhashValidity,
  readFinalizedOutcome,
  readLatestBlockhash,
  readLedgerHeight,
  readPrioritizationFees,
  readSignatures,
  readSignatureStatuses,
  readSimulation,
} from './node-answers.js';
import { parseTransaction, transactionQuestion } from '../transaction-answer.js';

/** Nodes refuse more signatures in one question (Agave, `MAX_GET_SIGNATURE_STATUSES_QUERY_ITEMS`). */
const MAX_STATUSES = 256;

export interface LedgerNodesOptions {
  /** At least one. All must belong to the same cluster. */
  readonly rpcUrls: readonly string[];
  /** Timeout of one call. */
  readonly timeoutMs: number;
  /** Called once for each call, for metrics. */
  readonly observe?: (call: LedgerCall) => void;
}

/** The providers, each of which is asked separately. Opens no connection before the first call. */
export function createLedgerNodes(options: LedgerNodesOptions): LedgerNodes {
  if (options.rpcUrls.length === 0) throw new RangeError('A ledger needs at least one provider.');
  const closing = new AbortController();
  return {
    nodes: options.rpcUrls.map((url, index) => ledgerNode(url, index, closing.signal, options)),
    [Symbol.asyncDispose]() {
      closing.abort();
      return Promise.resolve();
    },
  };
}

function ledgerNode(
  url: string,
  index: number,
  closed: AbortSignal,
  options: LedgerNodesOptions,
): LedgerNode {
  const label = providerLabel(url, index);
  const post = { timeoutMs: options.timeoutMs, closed, budget: new AnswerBudget() };
  const { observe = () => undefined } = options;
  const ask = <T>(method: string, params: readonly unknown[], read: (result: unknown) => T): Promise<T> =>
    observed({ method, provider: label }, observe, async () =>
      read(await callJsonRpc(url, method, params, post)),
    );
  const creators = new CreatorSearch({
    mentions: (account, page) =>
      ask('getSignaturesForAddress', [account, { commitment: 'finalized', ...page }], (result) =>
        readSignatures(result, page),
      ),
    transaction: (signature) =>
      ask('getTransaction', transactionQuestion(signature), (result) => parseTransaction(signature, result)),
  });
  return {
    label,

    finalizedHeight: () => ask('getEpochInfo', [{ commitment: 'finalized' }], readLedgerHeight),

    latestBlockhash: (asOf) =>
      ask('getLatestBlockhash', [{ commitment: 'confirmed', ...from(asOf) }], (result) =>
        readLatestBlockhash(result, asOf),
      ),

    accountOwners(addresses, question) {
      const { commitment } = question;
      // Requests only the owners: the node sends no account data.
      const whole = { encoding: 'base64', dataSlice: { offset: 0, length: 0 } };
      return ask('getMultipleAccounts', [addresses, { commitment, ...whole, ...from(question) }], (result) =>
        readAccountOwners(result, addresses.length, question),
      );
    },

    simulate: (transaction, question) =>
      ask(
        'simulateTransaction',
        [
          base64.encode(transaction),
          {
            encoding: 'base64',
            commitment: question?.commitment ?? 'confirmed',
            sigVerify: false,
            replaceRecentBlockhash: false,
            ...(question?.account && { accounts: { encoding: 'base64', addresses: [question.account] } }),
            ...from(question),
          },
        ],
        (result) => readSimulation(result, question),
      ),

    send: (transaction, signature, asOf) =>
      ask(
        'sendTransaction',
        [
          base64.encode(transaction),
          {
            encoding: 'base64',
            skipPreflight: false,
            preflightCommitment: 'confirmed',
            maxRetries: 0,
            ...from(asOf),
          },
        ],
        (result) => {
          if (result !== signature) throw nonsense('The node names another signature.');
        },
      ),

    async signatureStatuses(signatures) {
      const parts = [];
      // One after the other, because most requests have one part.
      for (let from = 0; from < Math.max(1, signatures.length); from += MAX_STATUSES) {
        const asked = signatures.slice(from, from + MAX_STATUSES);
        parts.push(
          await ask('getSignatureStatuses', [asked, { searchTransactionHistory: true }], (result) =>
            readSignatureStatuses(result, asked.length),
          ),
        );
      }
      return {
        slot: Math.min(...parts.map(({ slot }) => slot)),
        statuses: parts.flatMap(({ statuses }) => statuses),
      };
    },

    finalizedOutcome: (signature) =>
      ask('getTransaction', transactionQuestion(signature), (result) =>
        readFinalizedOutcome(result, signature),
      ),

    blockhashValidity: (blockhash, asOf) =>
      ask('isBlockhashValid', [blockhash, { commitment: 'finalized', ...from(asOf) }], (result) =>
        readBlockhashValidity(result, asOf ?? {}),
      ),

    creatorOf: (account, program) => creators.creatorOf(account, program),

    balance: (address, { commitment = 'confirmed' } = {}) =>
      ask('getBalance', [address, { commitment }], readBalance),

    recentPrioritizationFees: (addresses) =>
      ask('getRecentPrioritizationFees', [addresses], readPrioritizationFees),
  };
}

const from = ({ minContextSlot }: AsOf = {}) => (minContextSlot === undefined ? {} : { minContextSlot });
