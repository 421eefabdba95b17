import { existsSync } from 'node:fs';
import path from 'node:path';
import { generateSigningKey } from '../../src/platform/crypto/index.js';
import { createFile } from '../../src/platform/kernel/whole-file.js';
import type { LocalLedger } from '../ledger.js';
import {
  FAILING_POOL_PROGRAM_ID,
  failingPoolProgram,
  LOCAL_POOL_PROGRAM_ID,
  localPoolProgram,
} from './local-pool.js';

/** Enough for many thousand relays: ten SOL. */
const RELAYER_LAMPORTS = 10_000_000_000;

/** Installs the programs of the local pools on the local ledger, where they are not there yet. */
export function deployLocalPool(ledger: LocalLedger): void {
  if (!ledger.hasAccount(LOCAL_POOL_PROGRAM_ID)) ledger.addProgram(LOCAL_POOL_PROGRAM_ID, localPoolProgram());
  if (!ledger.hasAccount(FAILING_POOL_PROGRAM_ID))
    ledger.addProgram(FAILING_POOL_PROGRAM_ID, failingPoolProgram());
}

/** Gives a relayer of the local ledger what it pays fees with, when it has little left. */
export function fundLocalRelayer(ledger: LocalLedger, relayer: string): void {
  if (ledger.balance(relayer) < RELAYER_LAMPORTS / 2) ledger.airdrop(relayer, RELAYER_LAMPORTS);
}

/**
 * The key file of the embedded ledger's relayer, made at the first start: a JSON array of 64 bytes, as Solana's command
 * line writes it.
 */
export function localRelayerKeyFile(dataDirectory: string): string {
  const file = path.join(dataDirectory, 'relayer.json');
  if (existsSync(file)) return file;
  const { secret, publicKey } = generateSigningKey();
  createFile(file, `${JSON.stringify([...secret, ...publicKey])}\n`);
  return file;
}
