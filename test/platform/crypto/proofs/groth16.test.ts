import { describe, expect, it } from '@jest/globals';
import { bn254 } from '@noble/curves/bn254.js';
import { fc } from '../../../kit/properties.js';
import {
  createGroth16Verifier,
  parseGroth16Proof,
  parseSignal,
  parseVerificationKey,
  SCALAR_FIELD_ORDER,
  type Groth16Statement,
} from '../../../../src/platform/crypto/index.js';
import { G2, prepareG2 } from '../../../../src/platform/crypto/proofs/groth16-points.js';
import { trapdoorCircuit } from '../../../../devnet/index.js';

const circuit = trapdoorCircuit('test', 7);
const key = parseVerificationKey(circuit.verificationKey);
const verifier = createGroth16Verifier(key);
const { Fr, Fp, Fp2 } = bn254.fields;
const r = Fr.ORDER;

const signal = fc.bigInt({ min: 0n, max: SCALAR_FIELD_ORDER - 1n });
const signals = fc.array(signal, { minLength: 7, maxLength: 7 });
const SIGNALS = [0n, 1n, 2n, 3n, SCALAR_FIELD_ORDER - 1n, 5n, 1n << 200n];

function statement(values: readonly bigint[], seed = 'seed'): Groth16Statement {
  const proof = parseGroth16Proof(circuit.prove(values, seed));
  if (!proof) throw new Error('The simulated proof has a point that is none.');
  return { proof, signals: values };
}

const be32 = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
/** The proof with the 32-byte words at `at` replaced. */
function withWords(at: number, ...words: readonly bigint[]): Uint8Array {
  const bytes = Buffer.from(circuit.prove(SIGNALS, 'seed'));
  words.forEach((word, offset) => be32(word).copy(bytes, 32 * (at + offset)));
  return bytes;
}

describe('a Groth16 proof', () => {
  it('verifies for its signals, like the pairing product of the paper', () => {
    fc.assert(
      fc.property(signals, fc.string(), (values, seed) => {
        const example = statement(values, seed);
        expect(verifier.verify(example)).toBe(true);
        const { a, b, c } = pointsOf(circuit.prove(values, seed));
        const sum = values.reduce(
          (total, value, at) => total.add(key.ic[at + 1]!.multiplyUnsafe(value)),
          key.ic[0]!,
        );
        const product = bn254.pairingBatch([
          { g1: a, g2: b },
          { g1: key.alpha.negate(), g2: key.beta },
          { g1: sum.negate(), g2: key.gamma },
          { g1: c.negate(), g2: key.delta },
        ]);
        expect(bn254.fields.Fp12.eql(product, bn254.fields.Fp12.ONE)).toBe(true);
      }),
      { numRuns: 5 },
    );
  });

  it('does not verify for a different signal, or with a point of another proof', () => {
    fc.assert(
      fc.property(fc.nat(6), signal, (at, other) => {
        fc.pre(other !== SIGNALS[at]);
        expect(verifier.verify({ ...statement(SIGNALS), signals: SIGNALS.with(at, other) })).toBe(false);
      }),
      { numRuns: 5 },
    );
    const [one, other] = [statement(SIGNALS, 'one').proof, statement(SIGNALS, 'other').proof];
    for (const proof of [
      { ...one, a: other.a },
      { ...one, b: other.b },
      { ...one, c: other.c },
      { ...one, a: one.a.negate() },
    ]) {
      expect(verifier.verify({ proof, signals: SIGNALS })).toBe(false);
    }
  });

  it('is malleable: (k·A, B/k, C) verifies too, so a proof never identifies anything', () => {
    const { a, b, c } = pointsOf(circuit.prove(SIGNALS, 'seed'));
    const k = 12345n;
    const rerandomised = { a: a.multiply(k), b: prepareG2(b.multiply(Fr.inv(k)))!, c };
    expect(verifier.verify({ proof: rerandomised, signals: SIGNALS })).toBe(true);
  });

  it('is refused with a wrong number of signals, or a signal at r', () => {
    const { proof } = statement(SIGNALS);
    expect(() => verifier.verify({ proof, signals: SIGNALS.slice(1) })).toThrow(RangeError);
    expect(() => verifier.verify({ proof, signals: SIGNALS.with(0, SCALAR_FIELD_ORDER) })).toThrow(
      RangeError,
    );
  });
});

describe('a batch of Groth16 proofs', () => {
  it('finds exactly the invalid ones', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 0, maxLength: 6 }), (wanted) => {
        const statements = wanted.map((right, at) => {
          const good = statement(SIGNALS.with(0, BigInt(at)), `seed ${at}`);
          return right ? good : { ...good, signals: good.signals.with(1, 99n) };
        });
        expect(verifier.verifyAll(statements)).toEqual(wanted);
      }),
      { numRuns: 6 },
    );
  });

  it('rejects two wrong proofs whose errors cancel out', () => {
    const [one, other] = [statement(SIGNALS, 'one'), statement(SIGNALS, 'other')];
    const error = bn254.G1.Point.BASE;
    const pair = [
      { ...one, proof: { ...one.proof, c: one.proof.c.add(error) } },
      { ...other, proof: { ...other.proof, c: other.proof.c.subtract(error) } },
    ];
    expect(verifier.verifyAll(pair)).toEqual([false, false]);
  });
});

describe('the bytes of a proof', () => {
  it.each([
    ['has another length', circuit.prove(SIGNALS, 'seed').subarray(1)],
    ['has A off the curve', withWords(0, 1n, 1n)],
    ['has A at infinity', withWords(0, 0n, 0n)],
    ['has C at infinity', withWords(6, 0n, 0n)],
    ['has B at infinity', withWords(2, 0n, 0n, 0n, 0n)],
    ['has a coordinate at the modulus', withWords(0, Fp.ORDER)],
    ['has a coordinate above the modulus', withWords(5, (1n << 256n) - 1n)],
    ['has B off the twist', withWords(2, 1n, 2n, 3n, 4n)],
  ])('are none when it %s', (_, bytes) => {
    expect(parseGroth16Proof(bytes)).toBeUndefined();
  });

  it('are invalid if a coordinate is written with the modulus added', () => {
    const bytes = circuit.prove(SIGNALS, 'seed');
    const x = BigInt(`0x${Buffer.from(bytes.subarray(0, 32)).toString('hex')}`);
    expect(parseGroth16Proof(bytes)).toBeDefined();
    expect(parseGroth16Proof(withWords(0, x + Fp.ORDER))).toBeUndefined();
  });

  it('are invalid if B is on the twist but outside of the subgroup', () => {
    const point = pointOfTwist({ c0: 1n, c1: 0n });
    const { x, y } = point.toAffine();
    expect(() => point.assertValidity()).toThrow();
    expect(parseGroth16Proof(withWords(2, x.c1, x.c0, y.c1, y.c0))).toBeUndefined();
  });

  it('are read with the imaginary part first', () => {
    const { x, y } = pointsOf(circuit.prove(SIGNALS, 'seed')).b;
    expect(parseGroth16Proof(withWords(2, x.c1, x.c0, y.c1, y.c0))).toBeDefined();
    expect(parseGroth16Proof(withWords(2, x.c0, x.c1, y.c0, y.c1))).toBeUndefined();
  });
});

describe('a G2 point in the Miller loop', () => {
  const coordinate = fc.bigInt({ min: 0n, max: Fp.ORDER - 1n });
  const twist = fc.record({ c0: coordinate, c1: coordinate }).map(pointOfTwist);
  // The cofactor 2p − r; 10069 · 5864401 · 1875725156269 · a prime of 177 bits.
  const cofactor = 2n * Fp.ORDER - r;
  const smallOrders = [10069n, 5864401n, 1875725156269n];

  it('is in the subgroup exactly when noble’s own test says so', () => {
    fc.assert(
      fc.property(twist, signal, fc.constantFrom(...smallOrders), (point, k, order) => {
        const inside = times(point, cofactor);
        const outside = times(point, r);
        const small = times(outside, cofactor / order);
        for (const candidate of [
          inside,
          times(inside, k),
          point,
          outside,
          small,
          inside.add(small),
          small.double(),
        ]) {
          if (candidate.is0()) continue;
          const isInside = times(candidate, r).is0();
          expect(candidate.isTorsionFree()).toBe(isInside);
          expect(prepareG2(candidate) !== undefined).toBe(isInside);
        }
      }),
      { numRuns: 3 },
    );
  });

  it('has the lines that noble computes', () => {
    fc.assert(
      fc.property(twist, (point) => {
        const inside = times(point, cofactor);
        expect(prepareG2(inside)).toEqual(bn254.utils.calcPairingPrecomputes(inside));
      }),
      { numRuns: 2 },
    );
  });

  it('is in the subgroup exactly when the loop ends in this way', () => {
    // 6x + 2 + ψ − ψ² + ψ³ modulo ψ² − tψ + p is aψ + b. Its norm maps every point to zero that the sum maps to zero.
    const x = 4965661367192848881n;
    const [p, t] = [Fp.ORDER, 6n * x * x + 1n];
    const [a, b] = [1n - t + t * t - p, 6n * x + 2n + p - t * p];
    const norm = b * b + a * b * t + a * a * p;
    const divisor = (one: bigint, other: bigint): bigint =>
      other === 0n ? one : divisor(other, one % other);
    expect(divisor(norm, cofactor * r)).toBe(r);
    expect(smallOrders.map((order) => cofactor % order)).toEqual([0n, 0n, 0n]);
  });
});

describe('a public signal', () => {
  it('is every integer below r, and none at r or above', () => {
    fc.assert(fc.property(signal, (value) => expect(parseSignal(be32(value))).toBe(value)));
    const above = fc.bigInt({ min: SCALAR_FIELD_ORDER, max: (1n << 256n) - 1n });
    fc.assert(fc.property(above, (value) => expect(parseSignal(be32(value))).toBeUndefined()));
    expect(parseSignal(new Uint8Array(31))).toBeUndefined();
  });
});

describe('a verification key', () => {
  const json = circuit.verificationKey as Record<string, unknown>;
  const ic = json['IC'] as string[][];

  it.each([
    [{ ...json, protocol: 'plonk' }, 'protocol'],
    [{ ...json, curve: 'bls12381' }, 'curve'],
    [{ ...json, nPublic: 6 }, 'nPublic'],
    [{ ...json, IC: [] }, 'IC'],
    [{ ...json, IC: ic.with(3, ['1', '1', '1']) }, 'IC[3]'],
    [{ ...json, IC: ic.with(2, [...ic[2]!.slice(0, 2), '2']) }, 'IC[2]'],
    [{ ...json, vk_alpha_1: ['1', '2'] }, 'vk_alpha_1'],
    [{ ...json, vk_alpha_1: [1, 2, 1] }, 'vk_alpha_1'],
    [{ ...json, vk_alpha_1: [String(Fp.ORDER + 1n), '2', '1'] }, 'vk_alpha_1'],
    [{ ...json, vk_delta_2: json['vk_alpha_1'] }, 'vk_delta_2'],
    [null, 'The key'],
  ])('is refused with the place of what is wrong: %#', (value, member) => {
    expect(() => parseVerificationKey(value)).toThrow(expect.objectContaining({ member }));
  });
});

/** A point of the twist that is almost never in the subgroup: the first one from this x on. */
function pointOfTwist({ c0, c1 }: { readonly c0: bigint; readonly c1: bigint }): G2 {
  const { b } = G2.CURVE();
  for (let real = c0; ; real += 1n) {
    const x = Fp2.create({ c0: real, c1 });
    try {
      return G2.fromAffine({ x, y: Fp2.sqrt(Fp2.add(Fp2.mul(Fp2.sqr(x), x), b)) });
    } catch {
      // x³ + b has no root: try the next x.
    }
  }
}

/** kP for any k: noble's multiplication refuses numbers above the order of the subgroup. */
function times(point: G2, k: bigint): G2 {
  if (k === 0n) return G2.ZERO;
  const half = times(point, k >> 1n).double();
  return k & 1n ? half.add(point) : half;
}

/** The points of a proof, parsed by noble. */
function pointsOf(bytes: Uint8Array) {
  const [ax, ay, x1, x0, y1, y0, cx, cy] = Array.from({ length: 8 }, (_, at) =>
    BigInt(`0x${Buffer.from(bytes.subarray(32 * at, 32 * at + 32)).toString('hex')}`),
  ) as [bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint];
  const { Point } = bn254.G1;
  const b = G2.fromAffine({ x: { c0: x0, c1: x1 }, y: { c0: y0, c1: y1 } });
  return { a: Point.fromAffine({ x: ax, y: ay }), b, c: Point.fromAffine({ x: cx, y: cy }) };
}
