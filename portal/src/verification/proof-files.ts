import type { AmountFile } from '../../../src/domain/disclosures/verification/verify-amount-file.js';
import type { DECRYPTION_PROOF_SCHEME } from '../../../src/platform/crypto/index.js';
import type { KeyChange, Question } from './questions';

/** Verified data as a file: anyone who has it can verify it without this page and without the gateway. */
export interface ProofFile {
  readonly name: string;
  /** What checks it on the command line, before the file's name. */
  readonly command: string;
  readonly content: () => unknown;
}

// Only as a type: the code of the proofs is on the checking thread.
const SCHEME: typeof DECRYPTION_PROOF_SCHEME = 'solana-zero-ciphertext-proof';

export interface ProvenAmount {
  readonly amount: string;
  readonly networkTransactionId: string | null;
  readonly proof: Omit<AmountFile['proof'], 'scheme'>;
}

export function amountQuestion({
  amount,
  networkTransactionId,
  proof: { auditorElGamalPubkey, ciphertext, proof },
}: ProvenAmount): Question & { ask: 'amount' } {
  const { lo, hi } = ciphertext;
  const proofOfAmount = { scheme: SCHEME, auditorElGamalPubkey, ciphertext: { lo, hi }, proof };
  return { ask: 'amount', file: { amount, networkTransactionId, proof: proofOfAmount } };
}

export const amountFile = ({ file }: Question & { ask: 'amount' }): ProofFile => ({
  name: 'amount.json',
  command: 'lucarne amount verify',
  content: () => file,
});

/** An export of the log that has one entry. */
export const entryFile = (question: Question & { ask: 'entry' }): ProofFile => {
  const { index, entry, salts, hashes } = question;
  return logFile(`log-entry-${index}.json`, question, () => [
    { index, entry: parsed(entry), salts, proof: hashes },
  ]);
};

/** An export of the log without its entries: its checkpoint, and the keys that lead to the one that signed it. */
export const checkpointFile = (signed: SignedLog): ProofFile =>
  logFile('log-checkpoint.json', signed, () => []);

interface SignedLog {
  readonly note: string;
  readonly verifierKey: string;
  readonly keyChanges: readonly KeyChange[];
}

const logFile = (
  name: string,
  { note, verifierKey, keyChanges }: SignedLog,
  entries: () => unknown[],
): ProofFile => ({
  name,
  command: 'lucarne log verify',
  content: () => ({
    // A key is named after its log: `<name>+<id>+<key>`.
    origin: verifierKey.split('+')[0],
    checkpoint: note,
    verifier_key: verifierKey,
    key_changes: keyChanges.map(({ index, entry, inclusion }) => ({
      index,
      entry: parsed(entry),
      salts: {},
      proof: inclusion,
    })),
    entries: entries(),
  }),
});

/** A value that is not JSON is kept unchanged, so verification fails and shows it. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
