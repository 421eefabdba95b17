import type { AmountFile } from '../../../src/domain/disclosures/verification/verify-amount-file.js';
import {
  DECRYPTION_PROOF_SCHEME,
  generateElGamalKeypair,
  TOKEN_2022_SPLIT,
} from '../../../src/platform/crypto/index.js';
import { proveDecryption } from '../../kit/ledger/prove-decryption.js';
import { base64 } from '../../../src/platform/kernel/encoding/bytes.js';
import { auditorCiphertexts, randomSignature } from '../../kit/ledger/confidential-records.js';

/** The file of an amount that is encrypted to a new auditor key. */
export function provenAmount(value: bigint): AmountFile & { readonly networkTransactionId: string } {
  const pair = generateElGamalKeypair();
  const { auditor } = auditorCiphertexts(pair.publicKey, value);
  const [lo, hi] = [base64.decode(auditor.lo)!, base64.decode(auditor.hi)!];
  const proof = proveDecryption({ ...pair, ciphertext: { lo, hi, ...TOKEN_2022_SPLIT }, value });
  return {
    amount: String(value),
    networkTransactionId: randomSignature(),
    proof: {
      scheme: DECRYPTION_PROOF_SCHEME,
      auditorElGamalPubkey: base64.encode(pair.publicKey),
      ciphertext: auditor,
      proof: base64.encode(proof),
    },
  };
}
