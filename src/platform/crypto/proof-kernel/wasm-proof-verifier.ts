import { messageOf } from '../../kernel/errors.js';
import { systemRandom, type Random } from '../../kernel/random.js';
import type { VerificationKey } from '../proofs/groth16-key.js';
import { requireSignals, SCALAR_FIELD_ORDER } from '../proofs/groth16.js';
import { bytesOfG1, bytesOfG2, G1_LENGTH, G2_LENGTH } from '../proofs/groth16-points.js';
import { createProofVerifier, type ProofBytes, type ProofVerifier } from '../proofs/proof-verifier.js';
import { compileKernel, instantiate, type KernelExports } from './kernel-exports.js';
import { readProofKernel } from './kernel-file.js';
import { SCALAR_DIGITS, scalarOf, WEIGHT_DIGITS, writeScalar } from './scalars.js';
import { requireRightVerdicts } from './self-test.js';

const PROOF_LENGTH = 2 * G1_LENGTH + G2_LENGTH;

export interface ProofKernelOptions {
  readonly random?: Random;
  /** Called with a sentence that explains why proofs are verified without the kernel. */
  readonly notice?: (message: string) => void;
  /** The bytes of the module. Default: those of this package. */
  readonly bytes?: Uint8Array;
}

/**
 * The fastest verifier that runs here: the WebAssembly verifier, or the one on noble's arithmetic, after a notice. It also
 * switches to noble's if the kernel computes an impossible result.
 */
export function openProofVerifier(key: VerificationKey, options: ProofKernelOptions = {}): ProofVerifier {
  let verifier: ProofVerifier;
  const withoutKernel = (error: unknown) => {
    options.notice?.(`Proofs are verified without WebAssembly, which is far slower: ${messageOf(error)}`);
    return (verifier = createProofVerifier(key, options.random));
  };
  try {
    verifier = createWasmProofVerifier(key, options);
  } catch (error) {
    return withoutKernel(error);
  }
  return {
    verifyAll(proofs) {
      try {
        return verifier.verifyAll(proofs);
      } catch (error) {
        // The caller's error, with either verifier.
        if (error instanceof RangeError) throw error;
        return withoutKernel(error).verifyAll(proofs);
      }
    },
  };
}

/**
 * The WebAssembly verifier, an instance of 2 MiB. Throws if there is no WebAssembly with relaxed SIMD, if a fused multiply-add
 * rounds twice, or if the result for a known proof is wrong.
 */
export function createWasmProofVerifier(
  key: VerificationKey,
  { random = systemRandom, bytes }: ProofKernelOptions = {},
): ProofVerifier {
  const module = bytes ? tested(bytes) : (ownModule ??= tested(readProofKernel()));
  return verifierOf(module, key, random);
}

/** Compiled and tested once for each thread. */
let ownModule: object | undefined;

function tested(bytes: Uint8Array): object {
  const module = compileKernel(bytes);
  requireRightVerdicts((key) => verifierOf(module, key, systemRandom));
  return module;
}

function verifierOf(module: object, key: VerificationKey, random: Random): ProofVerifier {
  const kernel = instantiate(module);
  const signalCount = key.ic.length - 1;
  kernel.prepare(signalCount);
  if (kernel.isExact() === 0) throw new Error('A fused multiply-add is not exact here.');
  // Memory does not grow after this, so the views stay valid.
  const memory = new Uint8Array(kernel.memory.buffer);
  const views = viewsOf(kernel, memory, key.ic.length + 1);
  takeSecret(kernel, views.weights, random);
  takeKey(kernel, memory, key);

  /** Whether the proofs at these positions are valid together, with random weights. */
  const holds = (places: readonly number[], proofs: readonly ProofBytes[]): boolean => {
    views.chosen.set(places);
    const weights = places.map((_, at) => {
      const digits = views.weights.subarray(at * 2 * WEIGHT_DIGITS, (at + 1) * 2 * WEIGHT_DIGITS);
      return drawWeight(digits, random);
    });
    const sum = weights.reduce((total, weight) => total + weight, 0n);
    const scalars = [sum, sum, ...Array<bigint>(signalCount).fill(0n)];
    places.forEach((place, at) => {
      proofs[place]!.signals.forEach((signal, column) => {
        scalars[column + 2]! += weights[at]! * signal;
      });
    });
    scalars.forEach((scalar, at) => {
      const to = views.scalars.subarray(at * 2 * SCALAR_DIGITS, (at + 1) * 2 * SCALAR_DIGITS);
      writeScalar(scalar % SCALAR_FIELD_ORDER, to);
    });
    const answer = kernel.holds(places.length);
    if (answer !== 0 && answer !== 1) throw new Error('A sum could not be computed.');
    return answer === 1;
  };

  /** The positions of valid proofs. Checks all together, and halves of them if that fails. */
  const verify = (
    places: readonly number[],
    proofs: readonly ProofBytes[],
    isRefuted = false,
  ): readonly number[] => {
    if (places.length === 0) return [];
    if (!isRefuted && holds(places, proofs)) return places;
    if (places.length === 1) return [];
    const middle = places.length >> 1;
    const first = verify(places.slice(0, middle), proofs);
    // If the first half is valid, the second half contains the invalid proof.
    return [...first, ...verify(places.slice(middle), proofs, first.length === middle)];
  };

  const verifyChunk = (chunk: readonly ProofBytes[]): boolean[] => {
    const taken: ProofBytes[] = [];
    const placeOf = chunk.map((proof) => {
      if (proof.proof.length !== PROOF_LENGTH) return undefined;
      views.proof.set(proof.proof);
      if (kernel.takeProof(taken.length) === 0) return undefined;
      return taken.push(proof) - 1;
    });
    if (taken.length === 0) return chunk.map(() => false);
    kernel.prepareProofs(taken.length);
    const inSubgroup = taken.flatMap((_, place) => (views.valid[place] === 1 ? [place] : []));
    const good = new Set(verify(inSubgroup, taken));
    return placeOf.map((place) => place !== undefined && good.has(place));
  };

  return {
    verifyAll(proofs) {
      for (const { signals } of proofs) requireSignals(signals, signalCount);
      const verdicts: boolean[] = [];
      for (let at = 0; at < proofs.length; at += kernel.maxProofs.value)
        verdicts.push(...verifyChunk(proofs.slice(at, at + kernel.maxProofs.value)));
      return verdicts;
    },
  };
}

interface Views {
  readonly proof: Uint8Array;
  readonly chosen: Uint8Array;
  readonly weights: Uint8Array;
  readonly scalars: Uint8Array;
  readonly valid: Uint8Array;
}

function viewsOf(kernel: KernelExports, memory: Uint8Array, scalarCount: number): Views {
  const maxProofs = kernel.maxProofs.value;
  const view = (at: { readonly value: number }, length: number) =>
    memory.subarray(at.value, at.value + length);
  return {
    proof: view(kernel.proofAt, PROOF_LENGTH),
    chosen: view(kernel.chosenAt, maxProofs),
    weights: view(kernel.weightsAt, maxProofs * 2 * WEIGHT_DIGITS),
    scalars: view(kernel.scalarsAt, scalarCount * 2 * SCALAR_DIGITS),
    valid: view(kernel.validAt, maxProofs),
  };
}

/** One of 2^132 weights, none of which is zero: docs/proof-kernel.md. */
function drawWeight(digits: Uint8Array, random: Random): bigint {
  digits.set(random(digits.length));
  for (let at = 0; at < digits.length; at += 1) digits[at]! &= 7;
  return scalarOf(digits);
}

/** The initial values of sums: two random points that only this instance knows. */
function takeSecret(kernel: KernelExports, weights: Uint8Array, random: Random): void {
  const digits = weights.subarray(0, 4 * WEIGHT_DIGITS);
  drawWeight(digits.subarray(0, 2 * WEIGHT_DIGITS), random);
  drawWeight(digits.subarray(2 * WEIGHT_DIGITS), random);
  const isTaken = kernel.takeSecret() === 1;
  digits.fill(0);
  if (!isTaken) throw new Error('The random points cannot be used.');
}

function takeKey(
  kernel: KernelExports,
  memory: Uint8Array,
  { alpha, beta, gamma, delta, ic }: VerificationKey,
): void {
  const bytes = [...[beta, gamma, delta].map(bytesOfG2), ...[alpha, ...ic].map(bytesOfG1)];
  memory.set(Buffer.concat(bytes), kernel.keyAt.value);
  if (kernel.takeKey() === 0) throw new TypeError('A point of the key is not in its group.');
}
