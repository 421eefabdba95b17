import type { JsonValue } from '../../src/platform/kernel/encoding/json.js';
import type { Chain, Commitment } from '../chain/chain.js';
import { feeForMessage } from '../chain/fees.js';
import {
  decodePayload,
  invalidParameters,
  RpcError,
  type RpcOptions,
  type RpcParameters,
} from './parameters.js';
import type { SimulationOutcome } from '../chain/svm-runtime.js';
import { describeTransactionError } from '../chain/transaction-error.js';
import type { LandedTransaction } from '../chain/transaction-history.js';
import { recentPrioritizationFees } from './prioritization-fees.js';
import {
  accountJson,
  innerInstructionsJson,
  rawInnerInstruction,
  signatureInfoJson,
  simulationJson,
  transactionJson,
} from './transaction-json.js';
import {
  MalformedTransaction,
  parseWireMessage,
  parseWireTransaction,
  type WireTransaction,
} from '../chain/wire-transaction.js';

export type RpcMethod = (parameters: RpcParameters) => JsonValue;

const API_VERSION = '4.0.0';
const SLOTS_PER_EPOCH = 432_000;
/** How many blocks a node keeps statuses for without searching its history (Agave `MAX_RECENT_BLOCKHASHES`). */
const STATUS_LIFETIME_BLOCKS = 300;

/** The methods of Solana's HTTP JSON-RPC that the ledger answers, by name. */
export function rpcMethods(chain: Chain): ReadonlyMap<string, RpcMethod> {
  const withContext = (value: JsonValue, commitment: Commitment): JsonValue => ({
    context: { slot: chain.slot(commitment), apiVersion: API_VERSION },
    value,
  });
  /** Returns the requested commitment. Refuses if it has not reached `minContextSlot`. */
  const reached = (options: RpcOptions, commitment = options.commitment()): Commitment => {
    const contextSlot = chain.slot(commitment);
    if (contextSlot < (options.integer('minContextSlot') ?? 0)) {
      throw new RpcError(-32016, 'Minimum context slot has not been reached', { contextSlot });
    }
    return commitment;
  };
  const accountOf = (address: string, options: RpcOptions) => {
    const account = chain.account(address, options.commitment());
    const encoding = options.encoding('base58', 'base64', 'jsonParsed');
    return account === undefined ? null : accountJson(account, encoding, dataSlice(options));
  };
  const status = (transaction: LandedTransaction | undefined, searchHistory: boolean): JsonValue => {
    if (transaction === undefined) return null;
    const recent = transaction.blockHeight + STATUS_LIFETIME_BLOCKS >= chain.blockHeight('processed');
    if (!recent && !searchHistory) return null;
    const { err } = transaction.outcome;
    const finalized = chain.hasReached('finalized', transaction);
    return {
      slot: transaction.slot,
      confirmations: finalized ? null : 0,
      err,
      status: err === null ? { Ok: null } : { Err: err },
      confirmationStatus: finalized ? 'finalized' : 'confirmed',
    };
  };

  return new Map<string, RpcMethod>([
    ['getHealth', () => 'ok'],
    ['getVersion', () => ({ 'solana-core': API_VERSION, 'feature-set': 0 })],
    ['getGenesisHash', () => chain.genesisHash],
    ['getFirstAvailableBlock', () => 0],
    ['minimumLedgerSlot', () => 0],
    ['getSlot', (parameters) => chain.slot(reached(parameters.options(0)))],
    ['getBlockHeight', (parameters) => chain.blockHeight(reached(parameters.options(0)))],
    [
      'getBlockTime',
      (parameters) => {
        const slot = parameters.integer(0);
        for (const transaction of chain.history.newestFirst()) {
          if (transaction.slot <= slot) {
            return transaction.slot === slot ? Math.floor(transaction.time / 1000) : null;
          }
        }
        return null;
      },
    ],
    [
      'getEpochInfo',
      (parameters) => {
        const commitment = reached(parameters.options(0));
        const slot = chain.slot(commitment);
        return {
          absoluteSlot: slot,
          blockHeight: chain.blockHeight(commitment),
          epoch: Math.floor(slot / SLOTS_PER_EPOCH),
          slotIndex: slot % SLOTS_PER_EPOCH,
          slotsInEpoch: SLOTS_PER_EPOCH,
          transactionCount: chain.history.length,
        };
      },
    ],
    [
      'getLatestBlockhash',
      (parameters) => {
        const commitment = reached(parameters.options(0));
        return withContext({ ...chain.latestBlockhash(commitment) }, commitment);
      },
    ],
    [
      'isBlockhashValid',
      (parameters) =>
        withContext(chain.isBlockhashValid(parameters.address(0)), reached(parameters.options(1))),
    ],
    [
      'getFeeForMessage',
      (parameters) => {
        const message = malformedAsInvalid(() =>
          parseWireMessage(decodePayload(parameters.text(0), 'base64')),
        );
        const fee = chain.isBlockhashValid(message.recentBlockhash) ? feeForMessage(message) : null;
        return withContext(fee, reached(parameters.options(1)));
      },
    ],
    [
      'getRecentPrioritizationFees',
      (parameters) =>
        recentPrioritizationFees(chain, parameters.value(0) == null ? [] : parameters.addresses(0, 128)),
    ],
    [
      'getMinimumBalanceForRentExemption',
      (parameters) => {
        const bytes = parameters.integer(0);
        if (bytes > 10 * 1024 * 1024)
          throw invalidParameters('Invalid params: an account holds at most 10 MiB.');
        return chain.minimumBalance(bytes);
      },
    ],
    [
      'getBalance',
      (parameters) => {
        const commitment = reached(parameters.options(1));
        return withContext(chain.account(parameters.address(0), commitment)?.lamports ?? 0, commitment);
      },
    ],
    [
      'getAccountInfo',
      (parameters) => {
        const options = parameters.options(1);
        return withContext(accountOf(parameters.address(0), options), reached(options));
      },
    ],
    [
      'getMultipleAccounts',
      (parameters) => {
        const options = parameters.options(1);
        const accounts = parameters.addresses(0, 100).map((address) => accountOf(address, options));
        return withContext(accounts, reached(options));
      },
    ],
    [
      'getSignaturesForAddress',
      (parameters) => {
        const options = parameters.options(1);
        const limit = options.integer('limit') ?? 1000;
        if (limit < 1 || limit > 1000) throw invalidParameters('Invalid limit; max 1000');
        const commitment = reached(options);
        if (commitment === 'processed') {
          throw invalidParameters('Method does not support commitment below `confirmed`');
        }
        const bounds = { before: options.signature('before'), until: options.signature('until'), limit };
        return chain.history
          .page(parameters.address(0), bounds, (landed) => chain.hasReached(commitment, landed))
          .map((landed) => signatureInfoJson(landed, chain.hasReached('finalized', landed)));
      },
    ],
    [
      'getTransaction',
      (parameters) => {
        const options = parameters.options(1);
        const landed = chain.history.find(parameters.signature(0));
        if (landed === undefined || !chain.hasReached(options.commitment(), landed)) return null;
        const encoding = options.encoding('json', 'jsonParsed', 'base64', 'base58');
        return transactionJson(landed, encoding, options.integer('maxSupportedTransactionVersion'));
      },
    ],
    [
      'getSignatureStatuses',
      (parameters) => {
        const searchHistory = parameters.options(1).flag('searchTransactionHistory');
        const statuses = parameters
          .signatures(0, 256)
          .map((signature) => status(chain.history.find(signature), searchHistory));
        return withContext(statuses, 'processed');
      },
    ],
    [
      'simulateTransaction',
      (parameters) => {
        const options = parameters.options(1);
        const replaceBlockhash = options.flag('replaceRecentBlockhash');
        const verifySignatures = options.flag('sigVerify');
        if (replaceBlockhash && verifySignatures) {
          throw invalidParameters('sigVerify may not be used with replaceRecentBlockhash');
        }
        const commitment = reached(options);
        const simulation = chain.simulate(readTransaction(parameters, options), {
          checkBlockhash: !replaceBlockhash,
          verifySignatures,
        });
        if (simulation.err === 'SignatureFailure') throw signatureFailure();
        const wanted = options.object('accounts');
        const answer = {
          ...simulationJson(simulation),
          accounts: wanted === undefined ? null : simulatedAccounts(chain, simulation, wanted),
          innerInstructions: options.flag('innerInstructions')
            ? innerInstructionsJson(simulation.innerInstructions, rawInnerInstruction)
            : null,
          ...(replaceBlockhash ? { replacementBlockhash: { ...chain.latestBlockhash(commitment) } } : {}),
        };
        return withContext(answer, commitment);
      },
    ],
    [
      'sendTransaction',
      (parameters) => {
        const options = parameters.options(1);
        const wire = readTransaction(parameters, options);
        const preflight = !options.flag('skipPreflight');
        reached(options, preflight ? options.commitment('preflightCommitment') : 'processed');
        const submission = chain.submit(wire, preflight);
        // Without preflight a node forwards what it gets and answers before knowing its fate.
        if (submission.kind === 'landed' || !preflight) return wire.signature;
        throw preflightFailure(submission.simulation);
      },
    ],
    [
      'requestAirdrop',
      (parameters) => {
        const submission = chain.airdrop(parameters.address(0), parameters.integer(1));
        if (submission.kind === 'landed') return submission.transaction.wire.signature;
        throw preflightFailure(submission.simulation);
      },
    ],
  ]);
}

function readTransaction(parameters: RpcParameters, options: RpcOptions): WireTransaction {
  const bytes = decodePayload(parameters.text(0), options.encoding('base58', 'base64'));
  return malformedAsInvalid(() => parseWireTransaction(bytes));
}

function malformedAsInvalid<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof MalformedTransaction) {
      throw invalidParameters(`failed to deserialize transaction: ${error.message}`);
    }
    throw error;
  }
}

function signatureFailure(): RpcError {
  return new RpcError(-32003, 'Transaction signature verification failure');
}

function preflightFailure(simulation: SimulationOutcome): RpcError {
  if (simulation.err === 'SignatureFailure') return signatureFailure();
  const message = `Transaction simulation failed: ${describeTransactionError(simulation.err)}`;
  return new RpcError(-32002, message, {
    ...simulationJson(simulation),
    accounts: null,
    innerInstructions: null,
  });
}

function simulatedAccounts(chain: Chain, simulation: SimulationOutcome, wanted: RpcOptions): JsonValue {
  const encoding = wanted.encoding('base64', 'base58', 'jsonParsed');
  return wanted.addresses('addresses').map((address) => {
    const account = simulation.accounts.get(address) ?? chain.account(address, 'processed');
    return account === undefined ? null : accountJson(account, encoding, undefined);
  });
}

function dataSlice(options: RpcOptions) {
  const slice = options.object('dataSlice');
  if (slice === undefined) return undefined;
  return { offset: slice.integer('offset') ?? 0, length: slice.integer('length') ?? 0 };
}
