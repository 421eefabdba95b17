import { describe, expect, it } from '@jest/globals';
import { ZK_ELGAMAL_PROOF_PROGRAM_ADDRESS } from '@solana-program/zk-elgamal-proof';
import {
  appendTransactionMessageInstruction,
  createTransactionMessage,
  generateKeyPairSigner,
  lamports,
  pipe,
  setTransactionMessageFeePayerSigner,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { FailedTransactionMetadata, LiteSVM } from 'litesvm';
import { proveDecryption } from '../../../kit/ledger/prove-decryption.js';
import { zeroCiphertextProofData } from '../zero-ciphertext.js';
import { generateElGamalKeypair } from '../../../../src/platform/crypto/decryption/elgamal.js';
import { encryptAmount } from '../encrypt-amount.js';

const VERIFY_ZERO_CIPHERTEXT = 1;

/** Whether the ledger's ZK ElGamal proof program accepts the 192 bytes of proof data. */
async function ledgerAccepts(proofData: Uint8Array): Promise<boolean> {
  const ledger = new LiteSVM();
  const payer = await generateKeyPairSigner();
  ledger.airdrop(payer.address, lamports(1_000_000_000n));
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayerSigner(payer, empty),
    (paid) => ledger.setTransactionMessageLifetimeUsingLatestBlockhash(paid),
    (timed) =>
      appendTransactionMessageInstruction(
        {
          programAddress: ZK_ELGAMAL_PROOF_PROGRAM_ADDRESS,
          data: Uint8Array.of(VERIFY_ZERO_CIPHERTEXT, ...proofData),
        },
        timed,
      ),
  );
  const result = ledger.sendTransaction(await signTransactionMessageWithSigners(message));
  return !(result instanceof FailedTransactionMetadata);
}

describe('a decryption proof on the ledger', () => {
  it('is accepted by Solana’s proof program only for its amount', async () => {
    const pair = generateElGamalKeypair();
    const value = 987_654_321_012n;
    const ciphertext = encryptAmount(pair.publicKey, value);
    const proof = proveDecryption({ ...pair, ciphertext, value });
    const statement = { publicKey: pair.publicKey, ciphertext, value, proof };
    await expect(ledgerAccepts(zeroCiphertextProofData(statement))).resolves.toBe(true);
    await expect(ledgerAccepts(zeroCiphertextProofData({ ...statement, value: value + 1n }))).resolves.toBe(
      false,
    );
  });
});
