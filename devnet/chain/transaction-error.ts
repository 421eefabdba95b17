import {
  InstructionErrorBorshIo,
  InstructionErrorCustom,
  TransactionErrorDuplicateInstruction,
  TransactionErrorInstructionError,
  TransactionErrorInsufficientFundsForRent,
  type FailedTransactionMetadata,
} from 'litesvm/dist/internal.js';
import { isJsonObject, type JsonValue } from '../../src/platform/kernel/encoding/json.js';

/** A transaction's error in the JSON form of Solana's RPC, such as `{"InstructionError":[0,{"Custom":1}]}`. */
export type TransactionError = JsonValue;

// Both lists are in the order of the enums in LiteSVM's `internal.d.ts`, which reports a position.
const TRANSACTION_ERRORS: readonly string[] = [
  'AccountInUse',
  'AccountLoadedTwice',
  'AccountNotFound',
  'ProgramAccountNotFound',
  'InsufficientFundsForFee',
  'InvalidAccountForFee',
  'AlreadyProcessed',
  'BlockhashNotFound',
  'CallChainTooDeep',
  'MissingSignatureForFee',
  'InvalidAccountIndex',
  'SignatureFailure',
  'InvalidProgramForExecution',
  'SanitizeFailure',
  'ClusterMaintenance',
  'AccountBorrowOutstanding',
  'WouldExceedMaxBlockCostLimit',
  'UnsupportedVersion',
  'InvalidWritableAccount',
  'WouldExceedMaxAccountCostLimit',
  'WouldExceedAccountDataBlockLimit',
  'TooManyAccountLocks',
  'AddressLookupTableNotFound',
  'InvalidAddressLookupTableOwner',
  'InvalidAddressLookupTableData',
  'InvalidAddressLookupTableIndex',
  'InvalidRentPayingAccount',
  'WouldExceedMaxVoteCostLimit',
  'WouldExceedAccountDataTotalLimit',
  'MaxLoadedAccountsDataSizeExceeded',
  'ResanitizationNeeded',
  'InvalidLoadedAccountsDataSizeLimit',
  'UnbalancedTransaction',
  'ProgramCacheHitMaxLimit',
  'CommitCancelled',
];

const INSTRUCTION_ERRORS: readonly string[] = [
  'GenericError',
  'InvalidArgument',
  'InvalidInstructionData',
  'InvalidAccountData',
  'AccountDataTooSmall',
  'InsufficientFunds',
  'IncorrectProgramId',
  'MissingRequiredSignature',
  'AccountAlreadyInitialized',
  'UninitializedAccount',
  'UnbalancedInstruction',
  'ModifiedProgramId',
  'ExternalAccountLamportSpend',
  'ExternalAccountDataModified',
  'ReadonlyLamportChange',
  'ReadonlyDataModified',
  'DuplicateAccountIndex',
  'ExecutableModified',
  'RentEpochModified',
  'NotEnoughAccountKeys',
  'AccountDataSizeChanged',
  'AccountNotExecutable',
  'AccountBorrowFailed',
  'AccountBorrowOutstanding',
  'DuplicateAccountOutOfSync',
  'InvalidError',
  'ExecutableDataModified',
  'ExecutableLamportChange',
  'ExecutableAccountNotRentExempt',
  'UnsupportedProgramId',
  'CallDepth',
  'MissingAccount',
  'ReentrancyNotAllowed',
  'MaxSeedLengthExceeded',
  'InvalidSeeds',
  'InvalidRealloc',
  'ComputationalBudgetExceeded',
  'PrivilegeEscalation',
  'ProgramEnvironmentSetupFailure',
  'ProgramFailedToComplete',
  'ProgramFailedToCompile',
  'Immutable',
  'IncorrectAuthority',
  'AccountNotRentExempt',
  'InvalidAccountOwner',
  'ArithmeticOverflow',
  'UnsupportedSysvar',
  'IllegalOwner',
  'MaxAccountsDataAllocationsExceeded',
  'MaxAccountsExceeded',
  'MaxInstructionTraceLengthExceeded',
  'BuiltinProgramsMustConsumeComputeUnits',
  'BorshIoError',
];

type SvmError = ReturnType<FailedTransactionMetadata['err']>;
type SvmInstructionError = ReturnType<TransactionErrorInstructionError['err']>;

export function transactionError(error: SvmError): TransactionError {
  if (typeof error === 'number') return TRANSACTION_ERRORS[error] ?? 'SanitizeFailure';
  if (error instanceof TransactionErrorInstructionError) {
    return { InstructionError: [error.index, instructionError(error.err())] };
  }
  if (error instanceof TransactionErrorDuplicateInstruction) return { DuplicateInstruction: error.index };
  if (error instanceof TransactionErrorInsufficientFundsForRent) {
    return { InsufficientFundsForRent: { account_index: error.accountIndex } };
  }
  return { ProgramExecutionTemporarilyRestricted: { account_index: error.accountIndex } };
}

function instructionError(error: SvmInstructionError): JsonValue {
  if (typeof error === 'number') return INSTRUCTION_ERRORS[error] ?? 'GenericError';
  if (error instanceof InstructionErrorCustom) return { Custom: error.code };
  if (error instanceof InstructionErrorBorshIo) return 'BorshIoError';
  return 'GenericError';
}

/** The sentence that a validator writes after `Transaction simulation failed:`. */
export function describeTransactionError(error: TransactionError): string {
  if (error === 'BlockhashNotFound') return 'Blockhash not found';
  if (error === 'AlreadyProcessed') return 'This transaction has already been processed';
  if (error === 'InsufficientFundsForFee') return 'Insufficient funds for fee';
  if (error === 'AccountNotFound') {
    return 'Attempt to debit an account but found no record of a prior credit.';
  }
  if (isJsonObject(error) && Array.isArray(error['InstructionError'])) {
    const [index, cause] = error['InstructionError'] as [number, JsonValue];
    const detail =
      isJsonObject(cause) && typeof cause['Custom'] === 'number'
        ? `custom program error: 0x${cause['Custom'].toString(16)}`
        : JSON.stringify(cause);
    return `Error processing Instruction ${index}: ${detail}`;
  }
  return typeof error === 'string' ? error : JSON.stringify(error);
}
