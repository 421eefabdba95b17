import { ComputeBudgetProgram, Keypair, PublicKey, SystemProgram, Transaction } from '@solana/web3.js';
import { sha256, signingPublicKey } from '../../src/platform/crypto/index.js';

// Public on purpose: the ledger is local, and anyone who can reach it may request airdrops anyway.
const seed = sha256('lucarne local faucet');
// `Keypair.fromSeed` would compute the tables of the curve at each start.
const keypair = Keypair.fromSecretKey(Uint8Array.from([...seed, ...signingPublicKey(seed)]), {
  skipValidation: true,
});

export const FAUCET_ADDRESS = keypair.publicKey.toBase58();

/** Eight million SOL: every balance on the ledger stays an exact JSON number. */
export const FAUCET_LAMPORTS = 8_000_000_000_000_000;

/** A signed transfer of `lamports` from the faucet; `serial` makes otherwise identical airdrops different. */
export function airdropTransaction(
  address: string,
  lamports: number,
  blockhash: string,
  serial: number,
): Uint8Array {
  const transaction = new Transaction({
    feePayer: keypair.publicKey,
    blockhash,
    lastValidBlockHeight: 0,
  }).add(
    ComputeBudgetProgram.setComputeUnitLimit({ units: 1_000 + (serial % 1_000_000) }),
    SystemProgram.transfer({
      fromPubkey: keypair.publicKey,
      toPubkey: new PublicKey(address),
      lamports,
    }),
  );
  transaction.sign(keypair);
  return new Uint8Array(transaction.serialize());
}
