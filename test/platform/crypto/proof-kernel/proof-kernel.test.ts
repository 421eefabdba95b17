import { describe, expect, it } from '@jest/globals';
import { bn254 } from '@noble/curves/bn254.js';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import path from 'node:path';
import {
  PROOF_KERNEL_SHA256,
  readProofKernel,
} from '../../../../src/platform/crypto/proof-kernel/kernel-file.js';
import {
  SCALAR_DIGITS,
  scalarOf,
  WEIGHT_DIGITS,
  writeScalar,
} from '../../../../src/platform/crypto/proof-kernel/scalars.js';
import {
  createWasmProofVerifier,
  openProofVerifier,
} from '../../../../src/platform/crypto/proof-kernel/wasm-proof-verifier.js';
import {
  parseVerificationKey,
  type VerificationKey,
} from '../../../../src/platform/crypto/proofs/groth16-key.js';
import {
  bytesOfG1,
  bytesOfG2,
  G1,
  g1Of,
  G2,
  g2Of,
} from '../../../../src/platform/crypto/proofs/groth16-points.js';
import { createProofVerifier } from '../../../../src/platform/crypto/proofs/proof-verifier.js';
import { trapdoorCircuit } from '../../../../devnet/pool/trapdoor-circuit.js';
import { fc } from '../../../kit/properties.js';
import { PAIRINGS, PERTURBED_G2 } from '../../../vectors/eip-197.js';
import { GROTH16_SOLANA } from '../../../vectors/groth16.js';
import {
  circuit,
  CHANGES,
  hostileBatches,
  hostileProof,
  pointOfTwist,
  SMALL_POINTS,
} from './hostile-proofs.js';

const { Fr } = bn254.fields;
const r = Fr.ORDER;
const key = parseVerificationKey(circuit.verificationKey);
const kernel = createWasmProofVerifier(key);
const noble = createProofVerifier(key);
/** For longer manual runs: `FUZZ_RUNS=5000 npm test -- test/platform/crypto/proof-kernel`. */
const FUZZ_RUNS = Number(process.env['FUZZ_RUNS'] ?? 25);

const scalar = fc.bigInt({ min: 0n, max: r - 1n });
const good = (seed: string, signals = [1n, 2n, 3n]) => ({ proof: circuit.prove(signals, seed), signals });

describe('the proof kernel', () => {
  it('is the module with the expected hash', () => {
    expect(createHash('sha256').update(readProofKernel()).digest('hex')).toBe(PROOF_KERNEL_SHA256);
  });

  it(
    'decides each proof of a batch as noble decides it alone',
    () => {
      fc.assert(
        fc.property(hostileBatches(9), (batch) => {
          const expected = batch.map((one) => noble.verifyAll([one])[0]);
          expect(kernel.verifyAll(batch)).toEqual(expected);
        }),
        { numRuns: FUZZ_RUNS },
      );
    },
    24 * 3_600_000,
  );

  it.each(Object.keys(CHANGES))('decides as noble does: %s', (change) => {
    fc.assert(
      fc.property(hostileProof([change]), (one) => {
        const [expected] = noble.verifyAll([one]);
        expect(kernel.verifyAll([one])).toEqual([expected]);
        expect(kernel.verifyAll([good('a'), one, good('b')])).toEqual([true, expected, true]);
      }),
      { numRuns: 4 },
    );
  });

  it('decides batches of every size beyond its maximum, with the wrong proof anywhere', () => {
    const proofs = Array.from({ length: 130 }, (_, at) => good(String(at % 20)));
    for (const length of [0, 1, 2, 3, 63, 64, 65, 127, 128, 129, 130])
      expect(kernel.verifyAll(proofs.slice(0, length))).toEqual(Array(length).fill(true));
    for (const wrong of [0, 1, 31, 32, 62, 63, 64, 129]) {
      const batch = proofs.with(wrong, { ...proofs[wrong]!, signals: [1n, 2n, 4n] });
      expect(kernel.verifyAll(batch)).toEqual(proofs.map((_, at) => at !== wrong));
    }
  });

  it('handles the same proof many times, and errors that cancel out', () => {
    expect(kernel.verifyAll(Array(17).fill(good('one')))).toEqual(Array(17).fill(true));
    const moved = (by: G1, seed: string) => {
      const proof = Buffer.from(circuit.prove([1n, 2n, 3n], seed));
      const [x, y] = [192, 224].map((at) => BigInt(`0x${proof.toString('hex', at, at + 32)}`)) as [
        bigint,
        bigint,
      ];
      bytesOfG1(G1.fromAffine({ x, y }).add(by)).copy(proof, 192);
      return { proof, signals: [1n, 2n, 3n] };
    };
    const batch = [moved(G1.BASE, 'a'), moved(G1.BASE.negate(), 'b'), good('c'), moved(G1.BASE, 'a')];
    expect(kernel.verifyAll(batch)).toEqual([false, false, true, false]);
  });

  it('refuses the same signals as noble: a wrong number, below zero, and at r', () => {
    const { proof } = good('one');
    for (const signals of [
      [1n, 2n],
      [1n, 2n, 3n, 4n],
      [1n, 2n, -1n],
      [1n, 2n, r],
    ]) {
      expect(() => kernel.verifyAll([{ proof, signals }])).toThrow(RangeError);
      expect(() => noble.verifyAll([{ proof, signals }])).toThrow(RangeError);
    }
  });

  it('refuses bytes of another length', () => {
    const { proof, signals } = good('one');
    for (const bytes of [proof.subarray(1), new Uint8Array(), new Uint8Array([...proof, 0])])
      expect(kernel.verifyAll([{ proof: bytes, signals }, good('one')])).toEqual([false, true]);
  });

  it.each([0, 1, 70])('takes a circuit of %i signals', (count) => {
    const other = trapdoorCircuit('another', count);
    const own = createWasmProofVerifier(parseVerificationKey(other.verificationKey));
    const signals = Array.from({ length: count }, (_, at) => r - BigInt(at) - 1n);
    const proof = other.prove(signals, 'seed');
    const bad = { ...good('one'), signals };
    expect(own.verifyAll([{ proof, signals }, bad, { proof, signals }])).toEqual([true, false, true]);
  });

  it('refuses a key with a point of the twist outside of the subgroup', () => {
    for (const point of [pointOfTwist(5n), ...SMALL_POINTS])
      for (const part of ['beta', 'gamma', 'delta'])
        expect(() => createWasmProofVerifier({ ...key, [part]: point })).toThrow(TypeError);
  });
});

/** A circuit with known secrets: exponents of α, β, γ, δ and IC. */
function openCircuit({ alpha, ic }: { readonly alpha: bigint; readonly ic: readonly bigint[] }) {
  const [beta, gamma, delta] = [13n, 17n, 19n];
  const opened: VerificationKey = {
    alpha: G1.BASE.multiply(alpha),
    beta: G2.BASE.multiply(beta),
    gamma: G2.BASE.multiply(gamma),
    delta: G2.BASE.multiply(delta),
    ic: ic.map((exponent) => G1.BASE.multiply(exponent)),
  };
  /** A proof whose C is the multiple `c` of the generator. */
  const prove = (signals: readonly bigint[], c: bigint) => {
    const sum = signals.reduce((total, signal, at) => Fr.add(total, Fr.mul(signal, ic[at + 1]!)), ic[0]!);
    const product = Fr.create(alpha * beta + gamma * sum + delta * c);
    const proof = [bytesOfG1(G1.BASE.multiply(product)), bytesOfG2(G2.BASE), bytesOfG1(G1.BASE.multiply(c))];
    return { proof: Buffer.concat(proof), signals };
  };
  return { key: opened, prove };
}

describe('a proof from another implementation', () => {
  const coordinates = (bytes: Uint8Array): bigint[] =>
    Array.from({ length: bytes.length / 32 }, (_, at) =>
      BigInt(`0x${Buffer.from(bytes.subarray(32 * at, 32 * at + 32)).toString('hex')}`),
    );
  const g1 = (bytes: Uint8Array) => {
    const [x, y] = coordinates(bytes);
    return g1Of(x!, y!)!;
  };
  const g2 = (bytes: Uint8Array) => {
    const [x1, x0, y1, y0] = coordinates(bytes);
    return g2Of([x0!, x1!], [y0!, y1!])!;
  };
  const { alpha, beta, gamma, delta, ic, proof, signals } = GROTH16_SOLANA;
  const foreign = {
    alpha: g1(alpha),
    beta: g2(beta),
    gamma: g2(gamma),
    delta: g2(delta),
    ic: ic.map(g1),
  };

  it('verifies for its signals and no others, alone and in a batch', () => {
    const own = createWasmProofVerifier(foreign);
    const right = { proof, signals };
    const wrong = { proof, signals: signals.with(3, signals[3]! + 1n) };
    const flipped = { proof: proof.with(255, proof[255]! ^ 1), signals };
    expect(own.verifyAll([right])).toEqual([true]);
    expect(own.verifyAll([wrong])).toEqual([false]);
    expect(own.verifyAll([right, wrong, flipped, right])).toEqual([true, false, false, true]);
    expect(createProofVerifier(foreign).verifyAll([right, wrong, flipped])).toEqual([true, false, false]);
  });

  describe('with an equation of Ethereum’s pairing vectors', () => {
    // e(A, B) = e(α, β) · e(IC₀, γ) · e(C, δ), where the last two cancel each other: the product of two pairs is one.
    const [any, base] = [G1.BASE.multiply(5n), G2.BASE];
    const equation = (first: Uint8Array, second: Uint8Array) => ({
      key: {
        ...{ alpha: g1(second.subarray(0, 64)).negate(), beta: g2(second.subarray(64)) },
        ...{ gamma: base, delta: base, ic: [any] },
      },
      one: { proof: Buffer.concat([first, bytesOfG1(any.negate())]), signals: [] },
    });

    it.each(PAIRINGS)('returns their result: $name', ({ pairs: [first, second], isOne }) => {
      const { key: own, one } = equation(first!, second!);
      const { key: swapped, one: other } = equation(second!, first!);
      for (const open of [createWasmProofVerifier, createProofVerifier]) {
        expect(open(own).verifyAll([one])).toEqual([isOne]);
        expect(open(swapped).verifyAll([other, other])).toEqual([isOne, isOne]);
      }
    });

    it('refuses the points that they refuse', () => {
      const [first, second] = PAIRINGS[0]!.pairs;
      const { key: own, one } = equation(first!, second!);
      const proof = Buffer.from(one.proof);
      proof.set(PERTURBED_G2, 64);
      for (const open of [createWasmProofVerifier, createProofVerifier])
        expect(open(own).verifyAll([one, { proof, signals: [] }])).toEqual([true, false]);
    });
  });
});

describe('with points chosen by an attacker', () => {
  it('handles sums at the point at infinity, and with halves at infinity', () => {
    const { key: opened, prove } = openCircuit({ alpha: 11n, ic: [5n, r - 5n, 7n, 5n] });
    const [own, theirs] = [createWasmProofVerifier(opened), createProofVerifier(opened)];
    for (const signals of [
      [1n, 0n, 0n],
      [0n, 0n, r - 1n],
      [2n, 0n, 1n],
      [0n, 0n, 0n],
      [r - 1n, r - 1n, r - 1n],
    ]) {
      const one = prove(signals, 3n);
      const wrong = { ...one, signals: signals.with(1, Fr.add(signals[1]!, 1n)) };
      for (const batch of [[one], [wrong], [one, wrong, one], [one, one]])
        expect(own.verifyAll(batch)).toEqual(theirs.verifyAll(batch));
      expect(own.verifyAll([one, wrong])).toEqual([true, false]);
    }
  });

  it('handles C’s that are opposite, the same, or multiples of each other under the endomorphism', () => {
    const { key: opened, prove } = openCircuit({ alpha: 11n, ic: [1n, 1n] });
    const own = createWasmProofVerifier(opened);
    const lambda = scalarOf(
      Uint8Array.from([...Array<number>(21).fill(0), 4, ...Array<number>(21).fill(0), 4]),
    );
    for (const cs of [
      [5n, r - 5n],
      [5n, 5n],
      [1n, 2n, 4n, 8n],
      [1n, Fr.create(lambda - 1n), r - 1n],
    ]) {
      const batch = cs.map((c, at) => prove([BigInt(at)], c));
      expect(own.verifyAll(batch)).toEqual(cs.map(() => true));
      expect(own.verifyAll([...batch, { ...batch[0]!, signals: [99n] }])).toEqual([
        ...cs.map(() => true),
        false,
      ]);
    }
  });
});

describe('the final exponentiation of the kernel', () => {
  it('raises to a multiple of (p¹² − 1)/r that has no further factor r', () => {
    const x = 4965661367192848881n;
    const p = bn254.fields.Fp.ORDER;
    const a = 12n * x ** 3n + 6n * x ** 2n + 6n * x;
    const b = a - 2n * x;
    const hard = a + 6n * x ** 2n + 1n + b * p + a * p ** 2n + (b - 1n) * p ** 3n;
    const multiple = 2n * x * (6n * x ** 2n + 3n * x + 1n);
    expect(hard * r).toBe(multiple * (p ** 4n - p ** 2n + 1n));
    expect(multiple % r).not.toBe(0n);
  });
});

describe('the digits of a number', () => {
  it('represent the number modulo r', () => {
    const edges = [0n, 1n, 2n, r - 1n, r - 2n, (r - 1n) / 2n, 2n ** 127n, 2n ** 128n - 1n, 2n ** 253n];
    fc.assert(
      fc.property(fc.oneof(scalar, fc.constantFrom(...edges)), (value) => {
        const digits = new Uint8Array(2 * SCALAR_DIGITS);
        writeScalar(value, digits);
        expect(scalarOf(digits)).toBe(value);
        expect(digits.every((digit) => digit < 8)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('represent two weights by the same number only if the weights are equal', () => {
    const digits = fc.uint8Array({ minLength: 2 * WEIGHT_DIGITS, maxLength: 2 * WEIGHT_DIGITS, max: 7 });
    fc.assert(
      fc.property(digits, digits, (one, other) => {
        expect(scalarOf(one) === scalarOf(other)).toBe(Buffer.compare(one, other) === 0);
        expect(scalarOf(one)).not.toBe(0n);
      }),
    );
    // |u|, |v| < 2^67 for differences: shorter than every vector of the lattice u + v·λ ≡ 0, whose shortest vector is computed
    // by reduction.
    const x = 4965661367192848881n;
    const [first, second] = [
      [2n * x + 1n, -(6n * x ** 2n + 2n * x)],
      [6n * x ** 2n + 4n * x + 1n, 2n * x + 1n],
    ] as const;
    const square = ([a, b]: readonly [bigint, bigint]) => a * a + b * b;
    const inner = first[0] * second[0] + first[1] * second[1];
    const shortest = square(first) < square(second) ? square(first) : square(second);
    expect(2n * (inner < 0n ? -inner : inner)).toBeLessThanOrEqual(shortest);
    expect(shortest).toBeGreaterThan(2n ** 250n);
    expect(first[0] * second[1] - first[1] * second[0]).toBe(r);
  });
});

describe('without a usable kernel', () => {
  const notices: string[] = [];
  const open = (options: object, opened = key) =>
    openProofVerifier(opened, { notice: (message) => notices.push(message), ...options });
  const batch = [good('a'), { ...good('b'), signals: [1n, 2n, 4n] }];

  it('proofs are verified, and the reason is reported, if an engine refuses the module', () => {
    const bytes = readProofKernel();
    expect(open({ bytes: bytes.subarray(0, 100) }).verifyAll(batch)).toEqual([true, false]);
    expect(notices.pop()).toMatch(/^Proofs are verified without WebAssembly, which is far slower: /);
    expect(open({}).verifyAll(batch)).toEqual([true, false]);
    expect(notices).toEqual([]);
  });

  /** The output of a process with these V8 flags: the notices, and the verdicts. */
  const inProcess = (...flags: string[]): unknown => {
    const root = path.resolve(import.meta.dirname, '../../../..');
    const program = `
      const { openProofVerifier } = await import('#lucarne/platform/crypto/proof-kernel/wasm-proof-verifier.js');
      const { parseVerificationKey } = await import('#lucarne/platform/crypto/index.js');
      const { trapdoorCircuit } = await import('#devnet/pool/trapdoor-circuit.js');
      const circuit = trapdoorCircuit('flags', 1);
      const notices = [];
      const verifier = openProofVerifier(parseVerificationKey(circuit.verificationKey), { notice: (text) => notices.push(text) });
      const proof = circuit.prove([5n], 'seed');
      console.log(JSON.stringify({ notices, holds: verifier.verifyAll([{ proof, signals: [5n] }, { proof, signals: [6n] }]) }));`;
    const output = execFileSync(process.execPath, [...flags, '--input-type=module', '--eval', program], {
      cwd: root,
    });
    return JSON.parse(output.toString());
  };

  it('proofs are verified if there is no compiler', () => {
    expect(inProcess('--jitless')).toEqual({
      notices: [expect.stringContaining('WebAssembly is not available')],
      holds: [true, false],
    });
  });

  // Only on x64 are there machines without the instruction.
  const onX64 = process.arch === 'x64' ? it : it.skip;
  onX64('proofs are verified if multiply-add rounds twice', () => {
    expect(inProcess('--no-enable-fma3')).toEqual({
      notices: [expect.stringContaining('A fused multiply-add is not exact here')],
      holds: [true, false],
    });
  });

  it('proofs are verified if the random points of the kernel are equal', () => {
    const random = (length: number) => new Uint8Array(length).fill(3);
    expect(open({ random }).verifyAll(batch)).toEqual([true, false]);
    expect(notices.pop()).toContain('The random points cannot be used.');
  });

  it('proofs are verified if a sum meets the point at infinity before its end', () => {
    // An attacker who knew the random points could choose α so that the lanes of its sum are opposite.
    const digits = [1, 2, 3].map((digit) => Uint8Array.from([digit, ...Array<number>(43).fill(6)]));
    const [first, second, weight] = digits.map(scalarOf) as [bigint, bigint, bigint];
    const alpha = Fr.div(Fr.neg(Fr.mul(8n ** 42n % r, Fr.add(first, second))), weight);
    const { key: opened, prove } = openCircuit({ alpha, ic: [1n, 1n] });
    let calls = 0;
    const random = () => digits[Math.min(calls++, 2)]!;
    const verifier = open({ random }, opened);
    expect(notices).toEqual([]);
    expect(verifier.verifyAll([prove([5n], 2n)])).toEqual([true]);
    expect(notices.pop()).toContain('A sum could not be computed.');
    expect(verifier.verifyAll([{ ...prove([5n], 2n), signals: [6n] }])).toEqual([false]);
    expect(notices).toEqual([]);
  });
});
