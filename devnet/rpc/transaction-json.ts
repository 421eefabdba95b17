import { base58, base64 } from '../../src/platform/kernel/encoding/bytes.js';
import type { JsonValue } from '../../src/platform/kernel/encoding/json.js';
import { RpcError } from './parameters.js';
import type {
  ExecutionOutcome,
  InnerInstruction,
  LedgerAccount,
  SimulationOutcome,
} from '../chain/svm-runtime.js';
import type { LandedTransaction } from '../chain/transaction-history.js';
import { isWritable, type TransactionVersion, type WireTransaction } from '../chain/wire-transaction.js';

export type TransactionEncoding = 'json' | 'jsonParsed' | 'base64' | 'base58';
export type AccountEncoding = 'base58' | 'base64' | 'jsonParsed';

/** The answer of `getTransaction`, without `pre/postTokenBalances`, which the ledger does not compute. */
export function transactionJson(
  landed: LandedTransaction,
  encoding: TransactionEncoding,
  maximumVersion: number | undefined,
): JsonValue {
  const { wire, slot, time } = landed;
  if (!isSupported(wire.version, maximumVersion)) {
    throw new RpcError(
      -32015,
      `Transaction version (${wire.version}) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${wire.version}`,
    );
  }
  return {
    slot,
    blockTime: Math.floor(time / 1000),
    ...(maximumVersion === undefined ? {} : { version: wire.version }),
    transaction: encodeTransaction(landed, encoding),
    meta: metaJson(landed, encoding),
  };
}

export function signatureInfoJson(landed: LandedTransaction, finalized: boolean): JsonValue {
  return {
    signature: landed.wire.signature,
    slot: landed.slot,
    err: landed.outcome.err,
    memo: null,
    blockTime: Math.floor(landed.time / 1000),
    confirmationStatus: finalized ? 'finalized' : 'confirmed',
  };
}

/** A token account is never shown parsed: like a node that does not know a program, `jsonParsed` gives base64. */
export function accountJson(
  account: LedgerAccount,
  encoding: AccountEncoding,
  slice: { readonly offset: number; readonly length: number } | undefined,
): JsonValue {
  const data =
    slice === undefined ? account.data : account.data.slice(slice.offset, slice.offset + slice.length);
  if (encoding === 'base58' && data.length > 128) {
    throw new RpcError(
      -32600,
      'Encoded binary (base 58) data should be less than 128 bytes, please use Base64 encoding.',
    );
  }
  return {
    lamports: account.lamports,
    owner: account.owner,
    data: encoding === 'base58' ? [base58.encode(data), 'base58'] : [base64.encode(data), 'base64'],
    executable: account.executable,
    // Rent is not collected anymore; nodes answer u64::MAX, which a JSON number cannot hold exactly.
    rentEpoch: 0,
    space: account.data.length,
  };
}

export function innerInstructionsJson(
  inner: ExecutionOutcome['innerInstructions'],
  instruction: (inner: InnerInstruction) => JsonValue,
): JsonValue {
  return inner.map(({ index, instructions }) => ({ index, instructions: instructions.map(instruction) }));
}

export const rawInnerInstruction = (inner: InnerInstruction): JsonValue => ({ ...inner });

function isSupported(version: TransactionVersion, maximum: number | undefined): boolean {
  return version === 'legacy' || (maximum !== undefined && version <= maximum);
}

function encodeTransaction(landed: LandedTransaction, encoding: TransactionEncoding): JsonValue {
  const { wire } = landed;
  if (encoding === 'base64') return [base64.encode(wire.bytes), encoding];
  if (encoding === 'base58') return [base58.encode(wire.bytes), encoding];
  const parsed = encoding === 'jsonParsed';
  return {
    signatures: wire.signatures,
    message: {
      ...(parsed
        ? { accountKeys: annotatedKeys(landed) }
        : { header: { ...wire.header }, accountKeys: wire.accountKeys }),
      recentBlockhash: wire.recentBlockhash,
      instructions: wire.instructions.map(({ programIdIndex, accounts, data }) => {
        const instruction = { programIdIndex, accounts, data: base58.encode(data), stackHeight: 1 };
        return parsed ? namedInstruction(landed, instruction) : instruction;
      }),
      ...versionMembers(wire),
    },
  };
}

function versionMembers(wire: WireTransaction): Record<string, JsonValue> {
  if (wire.version === 0) return { addressTableLookups: wire.lookups.map((lookup) => ({ ...lookup })) };
  return wire.config === undefined ? {} : { transactionConfig: { ...wire.config } };
}

function metaJson(landed: LandedTransaction, encoding: TransactionEncoding): JsonValue {
  const { outcome, wire } = landed;
  const parsed = encoding === 'jsonParsed';
  return {
    err: outcome.err,
    status: outcome.err === null ? { Ok: null } : { Err: outcome.err },
    fee: outcome.fee,
    preBalances: outcome.preBalances,
    postBalances: outcome.postBalances,
    innerInstructions: innerInstructionsJson(
      outcome.innerInstructions,
      parsed ? (inner) => namedInstruction(landed, inner) : rawInnerInstruction,
    ),
    logMessages: outcome.logs,
    preTokenBalances: [],
    postTokenBalances: [],
    rewards: [],
    ...(parsed || wire.version === 'legacy' ? {} : { loadedAddresses: { ...outcome.loaded } }),
    computeUnitsConsumed: outcome.computeUnits,
    ...(outcome.returnData === null ? {} : { returnData: returnDataJson(outcome.returnData) }),
  };
}

export function simulationJson(simulation: SimulationOutcome) {
  const { err, logs, computeUnits, returnData } = simulation;
  return {
    err,
    logs,
    unitsConsumed: computeUnits,
    returnData: returnData === null ? null : returnDataJson(returnData),
  };
}

function returnDataJson(returned: { readonly programId: string; readonly data: string }): JsonValue {
  return { programId: returned.programId, data: [returned.data, 'base64'] };
}

function annotatedKeys({ wire, keys }: LandedTransaction): JsonValue {
  return keys.map((pubkey, index) => ({
    pubkey,
    signer: index < wire.header.numRequiredSignatures,
    writable: isWritable(wire, index),
    source: index < wire.accountKeys.length ? 'transaction' : 'lookupTable',
  }));
}

function namedInstruction({ keys }: LandedTransaction, instruction: InnerInstruction): JsonValue {
  return {
    programId: keys[instruction.programIdIndex] ?? '',
    accounts: instruction.accounts.map((index) => keys[index] ?? ''),
    data: instruction.data,
    stackHeight: instruction.stackHeight,
  };
}
