import type { JsonValue } from '../../kernel/json.js';
import type { Chain } from '../chain/chain.js';
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
import {
  accountJson,
  innerInstructionsJson,
  rawInnerInstruction,
  returnDataJson,
  signatureInfoJson,
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

/** The methods of Solana's HTTP JSON-RPC that the ledger answers, by name. */
export function rpcMethods(chain: Chain): ReadonlyMap<string, RpcMethod> {
  const withContext = (value: JsonValue, commitment: 'processed' | 'finalized' = 'processed'): JsonValue => ({
    context: { slot: chain.slot(commitment), apiVersion: API_VERSION },
    value,
  });
  const accountOf = (address: string, options: RpcOptions) => {
    const account = chain.account(address);
    const encoding = options.encoding('base58', 'base64', 'jsonParsed');
    return account === undefined ? null : accountJson(account, encoding, dataSlice(options));
  };
  const status = (transaction: LandedTransaction | undefined): JsonValue => {
    if (transaction === undefined) return null;
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
    ['getSlot', (parameters) => chain.slot(parameters.options(0).commitment())],
    ['getBlockHeight', () => chain.blockHeight()],
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
      () => {
        const slot = chain.slot('processed');
        return {
          absoluteSlot: slot,
          blockHeight: chain.blockHeight(),
          epoch: Math.floor(slot / SLOTS_PER_EPOCH),
          slotIndex: slot % SLOTS_PER_EPOCH,
          slotsInEpoch: SLOTS_PER_EPOCH,
          transactionCount: chain.history.length,
        };
      },
    ],
    ['getLatestBlockhash', () => withContext({ ...chain.latestBlockhash() })],
    ['isBlockhashValid', (parameters) => withContext(chain.isBlockhashValid(parameters.address(0)))],
    [
      'getFeeForMessage',
      (parameters) => {
        const message = malformedAsInvalid(() =>
          parseWireMessage(decodePayload(parameters.text(0), 'base64')),
        );
        return withContext(chain.isBlockhashValid(message.recentBlockhash) ? feeForMessage(message) : null);
      },
    ],
    ['getRecentPrioritizationFees', () => [{ slot: chain.slot('processed'), prioritizationFee: 0 }]],
    [
      'getMinimumBalanceForRentExemption',
      (parameters) => {
        const bytes = parameters.integer(0);
        if (bytes > 10 * 1024 * 1024)
          throw invalidParameters('Invalid params: an account holds at most 10 MiB.');
        return chain.minimumBalance(bytes);
      },
    ],
    ['getBalance', (parameters) => withContext(chain.account(parameters.address(0))?.lamports ?? 0)],
    ['getAccountInfo', (parameters) => withContext(accountOf(parameters.address(0), parameters.options(1)))],
    [
      'getMultipleAccounts',
      (parameters) => {
        const options = parameters.options(1);
        return withContext(parameters.addresses(0, 100).map((address) => accountOf(address, options)));
      },
    ],
    [
      'getSignaturesForAddress',
      (parameters) => {
        const options = parameters.options(1);
        const limit = options.integer('limit') ?? 1000;
        if (limit < 1 || limit > 1000) throw invalidParameters('Invalid limit; max 1000');
        const commitment = options.commitment();
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
      (parameters) =>
        withContext(parameters.signatures(0, 256).map((signature) => status(chain.history.find(signature)))),
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
        const simulation = chain.simulate(readTransaction(parameters, options), {
          checkBlockhash: !replaceBlockhash,
          verifySignatures,
        });
        if (simulation.err === 'SignatureFailure') throw signatureFailure();
        const wanted = options.object('accounts');
        return withContext({
          ...simulationJson(simulation),
          accounts: wanted === undefined ? null : simulatedAccounts(chain, simulation, wanted),
          innerInstructions: options.flag('innerInstructions')
            ? innerInstructionsJson(simulation.innerInstructions, rawInnerInstruction)
            : null,
          ...(replaceBlockhash ? { replacementBlockhash: { ...chain.latestBlockhash() } } : {}),
        });
      },
    ],
    [
      'sendTransaction',
      (parameters) => {
        const options = parameters.options(1);
        const wire = readTransaction(parameters, options);
        const preflight = !options.flag('skipPreflight');
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

function simulationJson(simulation: SimulationOutcome) {
  const { err, logs, computeUnits, returnData } = simulation;
  return {
    err,
    logs,
    unitsConsumed: computeUnits,
    returnData: returnData === null ? null : returnDataJson(returnData),
  };
}

function simulatedAccounts(chain: Chain, simulation: SimulationOutcome, wanted: RpcOptions): JsonValue {
  const encoding = wanted.encoding('base64', 'base58', 'jsonParsed');
  return wanted.addresses('addresses').map((address) => {
    const account = simulation.accounts.get(address) ?? chain.account(address);
    return account === undefined ? null : accountJson(account, encoding, undefined);
  });
}

function dataSlice(options: RpcOptions) {
  const slice = options.object('dataSlice');
  if (slice === undefined) return undefined;
  return { offset: slice.integer('offset') ?? 0, length: slice.integer('length') ?? 0 };
}
