export {
  address,
  addressBytes,
  addressFromBytes,
  assertAddress,
  assertSignature,
  isAddress,
  isSignature,
  parseAddress,
  signature,
  type Address,
  type Signature,
} from './address.js';
export { LedgerError, type LedgerErrorKind } from './ledger-error.js';
export type {
  AsOf,
  Commitment,
  FinalizedOutcome,
  LatestBlockhash,
  LedgerHeight,
  LedgerNode,
  LedgerNodes,
  SignatureStatus,
  Simulation,
  TransactionFailure,
} from './ledger-node.js';
export type {
  HistoryPage,
  LedgerInstruction,
  LedgerReader,
  LedgerSignal,
  LedgerSignature,
  LedgerTopLevelInstruction,
  LedgerTransaction,
  MentionSubscription,
  TransactionRead,
} from './ledger-reader.js';
export { createLedger, type LedgerOptions } from './provider.js';
export { createLedgerNodes, type LedgerNodesOptions } from './ledger-nodes.js';
export type { LedgerCall } from './ledger-call.js';
export { checkMint, type ExpectedMint, type MintCheck, type MintCheckFailure } from './mint-check.js';
export {
  CONFIDENTIAL_EVENT_TYPES,
  type AuditorCiphertext,
  type ConfidentialEvent,
  type ConfidentialEventType,
  type DecodedTransaction,
  type EventPublicData,
  type InstructionPath,
  type MalformedInstruction,
  type MalformedReason,
} from './token-2022/confidential-event.js';
export type { ConfidentialTransferMint, Mint, MintAccount, TransferFee } from './token-2022/mint-account.js';
export { decodeConfidentialEvents, instructionOrder } from './token-2022/decode-confidential-events.js';
export { decodeInitializations, type Initialization } from './token-2022/decode-initializations.js';
export { decodeMint } from './token-2022/decode-mint.js';
export { TOKEN_2022_PROGRAM } from './token-2022/layouts.js';
export {
  compileMessage,
  deriveAddress,
  LARGEST_COMPUTE_LIMIT,
  LARGEST_TRANSACTION,
  type InstructionAccount,
  type MessageTerms,
} from './transaction-message.js';
