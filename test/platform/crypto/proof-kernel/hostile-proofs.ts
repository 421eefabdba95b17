import { bn254 } from '@noble/curves/bn254.js';
import { fc } from '../../../kit/properties.js';
import { bytesOfG1, bytesOfG2, G1, G2 } from '../../../../src/platform/crypto/proofs/groth16-points.js';
import type { ProofBytes } from '../../../../src/platform/crypto/proofs/proof-verifier.js';
import { trapdoorCircuit } from '../../../../devnet/pool/trapdoor-circuit.js';

const { Fp, Fp2, Fr } = bn254.fields;
const [p, r] = [Fp.ORDER, Fr.ORDER];

/** The circuit of the hostile proofs. */
export const circuit = trapdoorCircuit('hostile', 3);

/** Changes a proof: its bytes and its signals, depending on a number. */
type Change = (proof: Buffer, signals: bigint[], n: bigint) => void;

const word = (proof: Buffer, at: number): bigint =>
  BigInt(`0x${proof.toString('hex', 32 * at, 32 * at + 32)}`);
const setWord = (proof: Buffer, at: number, value: bigint): void => {
  Buffer.from(BigInt.asUintN(256, value).toString(16).padStart(64, '0'), 'hex').copy(proof, 32 * at);
};
const pick = <T>(list: readonly T[], n: bigint): T => list[Number(n % BigInt(list.length))]!;

const g1At = (proof: Buffer, at: number) => G1.fromAffine({ x: word(proof, at), y: word(proof, at + 1) });
const b = (proof: Buffer): G2 =>
  G2.fromAffine({
    x: { c0: word(proof, 3), c1: word(proof, 2) },
    y: { c0: word(proof, 5), c1: word(proof, 4) },
  });
const A = 0;
const C = 6;
const setG1 = (proof: Buffer, at: number, point: G1): void => {
  bytesOfG1(point).copy(proof, 32 * at);
};
const setB = (proof: Buffer, point: G2): void => {
  bytesOfG2(point).copy(proof, 64);
};

/** A point of the twist that is almost never in the subgroup: the first one from this x on. */
export function pointOfTwist(n: bigint): G2 {
  for (let real = n; ; real += 1n) {
    const x = Fp2.fromBigTuple([real % p, (n * n) % p]);
    try {
      return G2.fromAffine({ x, y: Fp2.sqrt(Fp2.add(Fp2.mul(Fp2.sqr(x), x), G2.CURVE().b)) });
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

/** Points of the twist with these orders. 2p − r = 10069 · 5864401 · 1875725156269 · a prime of 177 bits. */
export const SMALL_POINTS = [10_069n, 5_864_401n, 1_875_725_156_269n].map((order) => {
  for (let n = 1n; ; n += 1n) {
    const point = times(pointOfTwist(n), ((2n * p - r) / order) * r);
    if (!point.is0()) return point;
  }
});

export const CHANGES: Readonly<Record<string, Change>> = {
  none: () => {},
  'another signal': (_, signals, n) => void (signals[Number(n % 3n)] = n % r),
  'a signal one higher': (_, signals, n) => {
    signals[Number(n % 3n)] = Fr.add(signals[Number(n % 3n)]!, 1n);
  },
  'A negated': (proof) => setWord(proof, 1, p - word(proof, 1)),
  'B negated': (proof) => {
    setWord(proof, 4, (p - word(proof, 4)) % p);
    setWord(proof, 5, (p - word(proof, 5)) % p);
  },
  'A and B negated': (proof) => {
    setG1(proof, A, g1At(proof, A).negate());
    setB(proof, b(proof).negate());
  },
  'k·A and B/k': (proof, _, n) => {
    const k = (n % (r - 1n)) + 1n;
    setG1(proof, A, g1At(proof, A).multiply(k));
    setB(proof, b(proof).multiply(Fr.inv(k)));
  },
  'k·A and B': (proof, _, n) => setG1(proof, A, g1At(proof, A).multiply((n % (r - 1n)) + 1n)),
  'A and C exchanged': (proof) => {
    const [a, c] = [g1At(proof, A), g1At(proof, C)];
    setG1(proof, A, c);
    setG1(proof, C, a);
  },
  'C plus a point': (proof) => setG1(proof, C, g1At(proof, C).add(G1.BASE)),
  'C less a point': (proof) => setG1(proof, C, g1At(proof, C).subtract(G1.BASE)),
  'A and C the generator': (proof) => {
    setG1(proof, A, G1.BASE);
    setG1(proof, C, G1.BASE);
  },
  'B outside of the subgroup': (proof, _, n) => setB(proof, pointOfTwist(n)),
  'B of small order': (proof, _, n) => setB(proof, pick(SMALL_POINTS, n).multiplyUnsafe((n % 9999n) + 1n)),
  'B plus a point of small order': (proof, _, n) => setB(proof, b(proof).add(pick(SMALL_POINTS, n))),
  'a point at infinity': (proof, _, n) =>
    void proof.fill(
      0,
      ...pick<[number, number]>(
        [
          [0, 64],
          [64, 192],
          [192, 256],
        ],
        n,
      ),
    ),
  'half of a point at infinity': (proof, _, n) => setWord(proof, Number(n % 8n), 0n),
  'a coordinate p higher': (proof, _, n) => {
    const at = Number(n % 8n);
    setWord(proof, at, word(proof, at) + p * ((n >> 3n) % 5n));
  },
  'a coordinate near p': (proof, _, n) => {
    setWord(proof, Number(n % 8n), pick([p - 1n, p, p + 1n, 2n * p, 2n ** 256n - 1n, 2n ** 255n], n >> 3n));
  },
  'real and imaginary parts exchanged': (proof) => {
    const words = [3, 2, 5, 4].map((at) => word(proof, at));
    words.forEach((value, at) => setWord(proof, 2 + at, value));
  },
  'a bit flipped': (proof, _, n) => void (proof[Number(n % 256n)]! ^= 1 << Number((n >> 8n) % 8n)),
  'random bytes': (proof, _, n) => {
    for (let at = 0; at < 8; at += 1) setWord(proof, at, n * BigInt(at + 3) ** 61n);
  },
};

export interface HostileProof extends ProofBytes {
  readonly change: string;
}

const EDGES = [0n, 1n, 2n, r - 1n, (r - 1n) / 2n, 2n ** 128n, 2n ** 253n];

/** Any proof with these changes; equal for equal numbers. */
export const hostileProof = (changes: readonly string[]): fc.Arbitrary<HostileProof> =>
  fc
    .record({
      change: fc.constantFrom(...changes),
      signals: fc.tuple(...Array<fc.Arbitrary<bigint>>(3).fill(anySignal())),
      // Few seeds, so that some proofs of a batch are equal or have equal points.
      seed: fc.nat(40),
      n: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
    })
    .map(({ change, signals, seed, n }) => {
      const proof = Buffer.from(circuit.prove(signals, String(seed)));
      const changed = [...signals];
      CHANGES[change]!(proof, changed, n);
      return { change, proof, signals: changed };
    });

function anySignal(): fc.Arbitrary<bigint> {
  return fc.oneof(fc.constantFrom(...EDGES), fc.bigInt({ min: 0n, max: r - 1n }));
}

/** Batches of all sizes: all valid, one or two changed, and all changed. */
export function hostileBatches(maxLength: number): fc.Arbitrary<readonly HostileProof[]> {
  const any = hostileProof(Object.keys(CHANGES));
  const good = hostileProof(['none', 'k·A and B/k', 'A and B negated']);
  const mostlyGood = fc
    .tuple(fc.array(good, { maxLength: maxLength - 2 }), fc.array(any, { maxLength: 2 }), fc.nat())
    .map(([goods, others, at]) => goods.toSpliced(at % (goods.length + 1), 0, ...others));
  return fc.oneof(fc.array(any, { maxLength }), fc.array(good, { maxLength }), mostlyGood);
}
