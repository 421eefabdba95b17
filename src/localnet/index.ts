export { startLocalLedger, type LocalLedger, type LocalLedgerOptions } from './ledger.js';
export { DamagedLedger } from './chain/journal.js';
export {
  createWallet,
  type ConfidentialMint,
  type MintOptions,
  type Wallet,
  type WalletOptions,
} from './wallet/confidential-token.js';
export type { ConfidentialAccount, TransferOptions } from './wallet/confidential-account.js';
export { TransactionFailed } from './wallet/ledger-sender.js';
export {
  createDemoOrganizations,
  type DemoFile,
  type DemoOrganization,
  type DemoUser,
} from './demo/organization.js';
export { parseDemoFile, readdressDemoFile, writeDemoFile } from './demo/file.js';
export { DemoFailed } from './demo/gateway.js';
export { tellDemoStory, type DemoOutcome, type DemoStoryOptions } from './demo/story.js';
export type { DemoEvent } from './demo/storyteller.js';
export { tellRelayStory, type RelayOutcome } from './demo/relay-story.js';
export { trapdoorCircuit, type TrapdoorCircuit } from './pool/trapdoor-circuit.js';
export {
  LOCAL_POOL_CIRCUIT,
  LOCAL_POOL_PROGRAM_ID,
  LOCAL_POOL_SELECTOR,
  LOCAL_POOLS_FILE,
  localPoolProgram,
} from './pool/local-pool.js';
export { deployLocalPool, fundLocalRelayer, localRelayerKeyFile } from './pool/deploy-local-pool.js';
