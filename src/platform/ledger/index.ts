export {
  address,
  addressBytes,
  addressFromBytes,
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
  FinalizedOutcome,
  LatestBlockhash,
  LedgerHeight,
  LedgerNode,
  LedgerNodes,
  SignatureStatus,
  Simulation,
  TransactionFailure,
} from './providers/ledger-node.js';
export type {
  HistoryPage,
  LedgerInstruction,
  LedgerReader,
  LedgerSignal,
  LedgerSignature,
  LedgerTransaction,
  MentionSubscription,
  TransactionRead,
} from './ledger-reader.js';
export { createLedger, type LedgerOptions } from './providers/provider.js';
export { createLedgerNodes, type LedgerNodesOptions } from './providers/ledger-nodes.js';
export { createSignatureHints, noSignatureHints, type SignatureHints } from './feeds/signature-hints.js';
export { askIdentities } from './providers/provider-identity.js';
export { webSocketUrls } from './feeds/web-socket-urls.js';
export { providerLabel } from './providers/json-rpc.js';
export { BLOCKHASH_LIFETIME_BLOCKS } from './providers/node-answers.js';
export { ProviderLane } from './providers/provider-lane.js';
export type { LedgerCall } from './providers/ledger-call.js';
export { createLedgerMetrics } from './providers/ledger-metrics.js';
export { checkMint, type MintCheckFailure } from './mint-check.js';
export {
  CONFIDENTIAL_EVENT_TYPES,
  type ConfidentialEvent,
  type ConfidentialEventType,
  type EventPublicData,
  type InstructionPath,
} from './token-2022/confidential-event.js';
export type { MintAccount } from './token-2022/mint-account.js';
export { decodeConfidentialEvents, instructionOrder } from './token-2022/decode-confidential-events.js';
export { decodeInitializations } from './token-2022/decode-initializations.js';
export { decodeMint } from './token-2022/decode-mint.js';
export { TOKEN_2022_PROGRAM } from './token-2022/layouts.js';
export {
  compileMessage,
  deriveAddress,
  MAX_COMPUTE_UNITS,
  MAX_TRANSACTION_BYTES,
  type InstructionAccount,
  type LookupTable,
  type MessageTerms,
} from './transaction-message.js';
