export { startLocalLedger, type LocalLedger } from './ledger.js';
export { createWallet, type ConfidentialMint, type Wallet } from './wallet/confidential-token.js';
export type { ConfidentialAccount } from './wallet/confidential-account.js';
export { trapdoorCircuit } from './pool/trapdoor-circuit.js';
export {
  LOCAL_POOL_CIRCUIT,
  LOCAL_POOL_PROGRAM_ID,
  FAILING_POOL_SELECTOR,
  UNDEPLOYED_POOL_SELECTOR,
  LOCAL_POOL_SELECTOR,
  LOCAL_POOLS_FILE,
  localPoolProgram,
} from './pool/local-pool.js';
export { deployLocalPool, fundLocalRelayer, localRelayerKeyFile } from './pool/deploy-local-pool.js';
export { auditorKey } from './wallet/confidential-account.js';
