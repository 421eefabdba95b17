import {
  DECRYPTION_PROOF_SCHEME,
  TOKEN_2022_SPLIT,
  verifyDecryption,
} from '../../../platform/crypto/index.js';
import { base58, base64 } from '../../../platform/kernel/encoding/bytes.js';
import { isJsonObject } from '../../../platform/kernel/encoding/json.js';
import {
  CheckFailed,
  verificationCheck as check,
  type Verification,
} from '../../../platform/kernel/verification.js';

/** One amount with its proof, in the form in which cases and disclosures return it. */
export interface AmountFile {
  /** In base units. */
  readonly amount: string;
  readonly networkTransactionId: string | null;
  readonly proof: {
    readonly scheme: string;
    readonly auditorElGamalPubkey: string;
    readonly ciphertext: { readonly lo: string; readonly hi: string };
    readonly proof: string;
  };
}

export type AmountVerification = Verification<'file' | 'proof'>;

/** Checks the file of one amount offline: the amount is the decryption of the ciphertext under the auditor key. */
export function verifyAmountFile(file: unknown): AmountVerification {
  if (!isAmountFile(file)) {
    const detail =
      'This is not an amount file. An amount file is a JSON object with `amount`, `networkTransactionId` and `proof`, and no other members.';
    return { valid: false, checks: [{ name: 'file', passed: false, detail }], unverified: [] };
  }
  const { amount, networkTransactionId, proof } = file;
  const proven = check('proof', () => {
    if (proof.scheme !== DECRYPTION_PROOF_SCHEME)
      throw new CheckFailed(`The proof scheme is not ${DECRYPTION_PROOF_SCHEME}.`);
    if (!isProvenAmount(amount, proof))
      throw new CheckFailed('The proof does not show that the amount is the decryption of the ciphertext.');
    return 'The amount is the decryption of this ciphertext under this auditor key.';
  });
  return {
    valid: proven.passed,
    checks: [
      { name: 'file', passed: true, detail: `The file states one amount: ${amount} base units.` },
      proven,
    ],
    unverified: [
      networkTransactionId === null
        ? 'That the ciphertext is that of the transaction. Compare it with the instruction on the ledger.'
        : `That the ciphertext is that of transaction ${networkTransactionId}. Compare it with the instruction on the ledger.`,
      `That the auditor key ${proof.auditorElGamalPubkey} is the key of the mint. Compare it with the mint on the ledger.`,
    ],
  };
}

/** Whether the amount is the decryption of its ciphertext. The proof is untrusted input. */
export function isProvenAmount(amount: unknown, proof: unknown): boolean {
  if (typeof amount !== 'string' || !/^(0|[1-9][0-9]{0,19})$/.test(amount)) return false;
  if (!isJsonObject(proof) || !isJsonObject(proof['ciphertext'])) return false;
  const publicKey = bytes(proof['auditorElGamalPubkey']);
  const lo = bytes(proof['ciphertext']['lo']);
  const hi = bytes(proof['ciphertext']['hi']);
  const proofBytes = bytes(proof['proof']);
  if (!publicKey || !lo || !hi || !proofBytes) return false;
  const ciphertext = { lo, hi, ...TOKEN_2022_SPLIT };
  return verifyDecryption({ publicKey, ciphertext, value: BigInt(amount), proof: proofBytes });
}

const bytes = (value: unknown) => (typeof value === 'string' ? base64.decode(value) : undefined);

const SIGNATURE_BYTES = 64;

/** Pages cannot load the check in `ledger`. Other text is refused, because it would be printed with the result. */
const isSignature = (value: unknown): value is string =>
  typeof value === 'string' && base58.decode(value, SIGNATURE_BYTES) !== undefined;

// Other members are refused: nothing verifies them, but they would look verified.
function isAmountFile(value: unknown): value is AmountFile {
  if (!isJsonObject(value) || !hasExactly(value, ['amount', 'networkTransactionId', 'proof'])) return false;
  const { amount, networkTransactionId, proof } = value;
  if (typeof amount !== 'string') return false;
  if (networkTransactionId !== null && !isSignature(networkTransactionId)) return false;
  if (!isJsonObject(proof)) return false;
  if (!hasExactly(proof, ['scheme', 'auditorElGamalPubkey', 'ciphertext', 'proof'])) return false;
  const { scheme, auditorElGamalPubkey, ciphertext } = proof;
  return (
    isJsonObject(ciphertext) &&
    hasExactly(ciphertext, ['lo', 'hi']) &&
    [scheme, auditorElGamalPubkey, ciphertext['lo'], ciphertext['hi'], proof['proof']].every(
      (text) => typeof text === 'string',
    )
  );
}

const hasExactly = (object: object, members: readonly string[]) =>
  Object.keys(object).length === members.length && members.every((member) => member in object);
