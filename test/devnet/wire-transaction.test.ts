import { describe, expect, it } from '@jest/globals';
import {
  appendTransactionMessageInstructions,
  compileTransaction,
  generateKeyPairSigner,
  getCompiledTransactionMessageDecoder,
  getTransactionEncoder,
  pipe,
  setTransactionMessageComputeUnitLimit,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  type Blockhash,
  type TransactionMessage,
} from '@solana/kit';
import { fc } from '../kit/properties.js';
import {
  MalformedTransaction,
  parseWireTransaction,
  type TransactionVersion,
} from '../../devnet/chain/wire-transaction.js';

const BLOCKHASH = 'CmpNeggWJ4JaWJeJ8YKN1Zypmk7uvQq3PECGUCAEMbky' as Blockhash;

async function build(version: TransactionVersion) {
  const [payer, program] = [await generateKeyPairSigner(), await generateKeyPairSigner()];
  const empty: TransactionMessage = { version, instructions: [] };
  const message = pipe(
    empty,
    (one) => setTransactionMessageFeePayer(payer.address, one),
    (one) =>
      setTransactionMessageLifetimeUsingBlockhash({ blockhash: BLOCKHASH, lastValidBlockHeight: 1n }, one),
    (one) =>
      appendTransactionMessageInstructions(
        [{ programAddress: program.address, accounts: [], data: Uint8Array.of(1, 2, 3) }],
        setTransactionMessageComputeUnitLimit(77, one),
      ),
  );
  const transaction = compileTransaction(message);
  return {
    bytes: new Uint8Array(getTransactionEncoder().encode(transaction)),
    expected: getCompiledTransactionMessageDecoder().decode(transaction.messageBytes),
  };
}

const VERSIONS: TransactionVersion[] = ['legacy', 0, 1];

describe('the wire format of a transaction', () => {
  it.each(VERSIONS)('is parsed in version %s as @solana/kit wrote it', async (version) => {
    const { bytes, expected } = await build(version);
    const parsed = parseWireTransaction(bytes);
    expect(parsed.version).toBe(version);
    expect(parsed.accountKeys).toEqual(expected.staticAccounts);
    expect(parsed.recentBlockhash).toBe(BLOCKHASH);
    expect(parsed.signatures).toHaveLength(1);
    expect(parsed.instructions.some(({ data }) => data.join() === '1,2,3')).toBe(true);
    expect(parsed.config?.computeUnitLimit).toBe(version === 1 ? 77 : undefined);
  });

  it.each(VERSIONS)(
    'is refused in version %s when it is truncated or followed by a byte',
    async (version) => {
      const { bytes } = await build(version);
      for (let length = 0; length < bytes.length; length += 1) {
        expect(() => parseWireTransaction(bytes.slice(0, length))).toThrow(MalformedTransaction);
      }
      expect(() => parseWireTransaction(Uint8Array.of(...bytes, 0))).toThrow(MalformedTransaction);
    },
  );

  it('is refused when an instruction names an account that is not in the message', async () => {
    const { bytes } = await build('legacy');
    // The end of the last instruction: program, no accounts, three bytes of data.
    const program = bytes.length - 6;
    expect(bytes[program]).toBe(parseWireTransaction(bytes).instructions.at(-1)!.programIdIndex);
    for (const index of [0, 200]) {
      const changed = Uint8Array.from(bytes);
      changed[program] = index;
      expect(() => parseWireTransaction(changed)).toThrow(MalformedTransaction);
    }
  });

  it('is refused with a length that is not in its shortest encoding', async () => {
    const { bytes } = await build('legacy');
    expect(() => parseWireTransaction(Uint8Array.of(0x81, 0, ...bytes.slice(1)))).toThrow(
      MalformedTransaction,
    );
    expect(() => parseWireTransaction(Uint8Array.of(0x80 | 1, 0x80, 0, ...bytes.slice(1)))).toThrow(
      MalformedTransaction,
    );
  });

  it('is parsed or refused for any bytes, without other errors', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 1300 }), (bytes) => {
        try {
          expect(parseWireTransaction(bytes).bytes).toBe(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedTransaction);
        }
      }),
    );
  });
});
