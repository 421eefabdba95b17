import { messageOf } from '../../kernel/errors.js';
import {
  createAmountKernel,
  type AmountKernel,
  type DecryptedAmount,
} from '../decryption/amount-decryption.js';
import { checkSplit, type SplitCiphertext } from '../decryption/split-ciphertext.js';
import { isTable, readKernelModule, readTable, writeTable } from './kernel-files.js';

export interface KernelOptions {
  /** The file of the table of baby steps, 20 MiB. Without it, each kernel builds the table. */
  readonly tableFile?: string | undefined;
  /** Called with a sentence if something is wrong: no WebAssembly, or a file that cannot be written. */
  readonly notice?: (message: string) => void;
}

/** The fastest kernel that runs here: the WebAssembly kernel, or the one on noble's arithmetic, after a notice. */
export function openAmountKernel(options: KernelOptions = {}): AmountKernel {
  try {
    return createWasmAmountKernel(options);
  } catch (error) {
    options.notice?.(`Amounts are decrypted without WebAssembly, which is far slower: ${messageOf(error)}`);
    return createAmountKernel();
  }
}

/**
 * The WebAssembly kernel: an instance of 21 MiB for one thread. Its table is read from the file, or built in about half a
 * second. Values computed with a secret are erased when a call ends; registers and the stack belong to the engine. Throws if
 * there is no WebAssembly with SIMD, or if the computed table is wrong.
 */
export function createWasmAmountKernel({ tableFile, notice }: KernelOptions = {}): AmountKernel {
  const kernel = instantiate(readKernelModule());
  kernel.prepare();
  // Memory does not grow after this, so the views stay valid.
  const memory = new Uint8Array(kernel.memory.buffer);
  const numbers = new DataView(kernel.memory.buffer);
  const at = (address: { readonly value: number }, length: number) =>
    memory.subarray(address.value, address.value + length);
  fillTable(at(kernel.tableAt, kernel.tableLength.value), kernel.build, tableFile, notice);
  const secretBytes = at(kernel.secretAt, SECRET_LENGTH);
  const ciphertexts = at(kernel.ciphertextAt, 2 * CIPHERTEXT_LENGTH);

  function decryptOne({ lo, hi, loBits, hiBits }: SplitCiphertext): DecryptedAmount {
    if (lo.length !== CIPHERTEXT_LENGTH || hi.length !== CIPHERTEXT_LENGTH) return UNDECRYPTABLE;
    ciphertexts.set(lo, 0);
    ciphertexts.set(hi, CIPHERTEXT_LENGTH);
    if (kernel.decryptAmount(loBits, hiBits) === 0) return UNDECRYPTABLE;
    const low = BigInt(numbers.getUint32(kernel.amountAt.value, true));
    const high = BigInt(numbers.getUint32(kernel.amountAt.value + 4, true));
    return { kind: 'amount', value: low + (high << BigInt(loBits)) };
  }

  return {
    decrypt(secret, splits) {
      splits.forEach(checkSplit);
      try {
        if (secret.length !== SECRET_LENGTH) throw new RangeError('Not an ElGamal secret.');
        secretBytes.set(secret);
        if (kernel.takeSecret() === 0) throw new RangeError('Not an ElGamal secret.');
        return splits.map(decryptOne);
      } finally {
        kernel.erase();
      }
    },
  };
}

const SECRET_LENGTH = 32;
const CIPHERTEXT_LENGTH = 64;
const UNDECRYPTABLE: DecryptedAmount = { kind: 'undecryptable' };

function fillTable(
  table: Uint8Array,
  build: () => void,
  file: string | undefined,
  notice: KernelOptions['notice'],
): void {
  const kept = file === undefined ? undefined : readTable(file);
  if (kept) {
    table.set(kept);
    return;
  }
  build();
  if (!isTable(table)) throw new Error('The table of baby steps does not have the expected digest.');
  if (file === undefined) return;
  try {
    writeTable(file, table);
  } catch (error) {
    notice?.(`The table of baby steps is rebuilt at each start: ${messageOf(error)}`);
  }
}

interface Address {
  readonly value: number;
}

/** The exports of `assembly/index.ts`. */
interface KernelExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly secretAt: Address;
  readonly ciphertextAt: Address;
  readonly amountAt: Address;
  readonly tableAt: Address;
  readonly tableLength: Address;
  readonly prepare: () => void;
  readonly build: () => void;
  readonly takeSecret: () => number;
  readonly decryptAmount: (loBits: number, hiBits: number) => number;
  readonly erase: () => void;
}

/** Undefined if the engine was started without a compiler. */
declare const WebAssembly:
  | {
      Module: new (bytes: Uint8Array) => object;
      Instance: new (module: object, imports: object) => { readonly exports: unknown };
    }
  | undefined;

function instantiate(bytes: Uint8Array): KernelExports {
  if (typeof WebAssembly === 'undefined') throw new Error('WebAssembly is not available.');
  // The hash of the module was checked, so its exports are known.
  return new WebAssembly.Instance(new WebAssembly.Module(bytes), {}).exports as KernelExports;
}
