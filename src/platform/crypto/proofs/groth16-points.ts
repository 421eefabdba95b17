import { blsBasic, type BlsPostPrecomputeFn } from '@noble/curves/abstract/bls.js';
import { psiFrobenius } from '@noble/curves/abstract/tower.js';
import { bn254 } from '@noble/curves/bn254.js';
import { attempt } from '../../kernel/encoding/attempt.js';

/** A point of the curve y² = x³ + 3 over F_p (alt_bn128, EIP-196). */
export type G1 = InstanceType<typeof bn254.G1.Point>;
/** A point of the twist over F_p² (EIP-197). */
export type G2 = InstanceType<typeof bn254.G2.Point>;

export const G1 = bn254.G1.Point;
export const G2 = bn254.G2.Point;
const { Fp, Fp2 } = bn254.fields;
export const { Fp12, Fr } = bn254.fields;

const COORDINATE = 32;
export const G1_LENGTH = 2 * COORDINATE;
export const G2_LENGTH = 4 * COORDINATE;

/** A point of the subgroup of G2 after one Miller loop: the coefficients of its lines. */
export type PreparedG2 = ReturnType<typeof bn254.utils.calcPairingPrecomputes>;

/**
 * The lines of a point on the twist; `undefined` outside of the subgroup of order r.
 *
 * The loop of the optimal ate pairing ends at [6x+2]Q + ψ(Q) − ψ²(Q) (ePrint 2008/096). In the subgroup, where ψ(Q) = [p]Q,
 * this is −ψ³(Q). It is so nowhere else: ψ² − [t]ψ + [p] = 0 on the twist, and the resultant of this polynomial with 6x + 2 + ψ
 * − ψ² + ψ³ shares no factor except r with the number of points (ePrint 2022/348, section 3).
 */
export function prepareG2(point: G2): PreparedG2 | undefined {
  try {
    return utils.calcPairingPrecomputes(point);
  } catch (thrown) {
    if (thrown === OUTSIDE) return undefined;
    throw thrown;
  }
}

const OUTSIDE = new Error('The point is not in the subgroup of order r.');
const { psi } = psiFrobenius(Fp, Fp2, Fp2.NONRESIDUE);

/** Throws if the loop does not end as it does in the subgroup. */
const requireEnd: BlsPostPrecomputeFn = (Rx, Ry, Rz, Qx, Qy, pointAdd) => {
  let end = { Rx, Ry, Rz };
  let last = { x: Qx, y: Qy };
  bn254.params.postPrecompute!(Rx, Ry, Rz, Qx, Qy, (...operands) => {
    last = { x: operands[3], y: operands[4] };
    return (end = pointAdd(...operands));
  });
  // The last addend is −ψ²(Q).
  const [x, y] = psi(last.x, last.y);
  const isThere = Fp2.eql(end.Rx, Fp2.mul(x, end.Rz)) && Fp2.eql(end.Ry, Fp2.mul(y, end.Rz));
  // The formulas of the loop are incomplete: after a step that they do not cover, Z stays zero.
  if (Fp2.is0(end.Rz) || !isThere) throw OUTSIDE;
};

const { utils } = blsBasic(bn254.fields, G1, G2, { ...bn254.params, postPrecompute: requireEnd });

/** Two coordinates, big-endian, in the format of EIP-196 and Solana's alt_bn128 calls. `undefined`: not a point. */
export function parseG1(bytes: Uint8Array): G1 | undefined {
  const [x, y] = coordinates(bytes);
  if (x === undefined || y === undefined) return undefined;
  return g1Of(x, y);
}

/**
 * Four coordinates, the imaginary part first (EIP-197), as a point that is prepared for pairing. `undefined`: not a point of
 * the subgroup of order r.
 */
export function parseG2(bytes: Uint8Array): PreparedG2 | undefined {
  const [x1, x0, y1, y0] = coordinates(bytes);
  if (x0 === undefined || x1 === undefined || y0 === undefined || y1 === undefined) return undefined;
  const x = { c0: x0, c1: x1 };
  const y = { c0: y0, c1: y1 };
  const isOnTwist = Fp2.eql(Fp2.sqr(y), Fp2.add(Fp2.mul(Fp2.sqr(x), x), G2.CURVE().b));
  // The point at infinity, encoded as zeros, is not on the twist.
  return isOnTwist ? prepareG2(G2.fromAffine({ x, y })) : undefined;
}

/** Returns `undefined` for coordinates at the modulus or above, off the curve, and for the point at infinity. */
export function g1Of(x: bigint, y: bigint): G1 | undefined {
  return valid(() => G1.fromAffine({ x, y }));
}

/** Like {@link g1Of}, and `undefined` outside of the subgroup. Coordinates are (real, imaginary). */
export function g2Of(x: readonly [bigint, bigint], y: readonly [bigint, bigint]): G2 | undefined {
  return valid(() =>
    G2.fromAffine({ x: Fp2.create({ c0: x[0], c1: x[1] }), y: Fp2.create({ c0: y[0], c1: y[1] }) }),
  );
}

function valid<Point extends G1 | G2>(make: () => Point): Point | undefined {
  return attempt(() => {
    const point = make();
    if (point.is0()) return undefined;
    point.assertValidity();
    return point;
  });
}

/** Field elements of F_p; `undefined` for an element that is not reduced, which would be another encoding of the same point. */
function coordinates(bytes: Uint8Array): (bigint | undefined)[] {
  return Array.from({ length: bytes.length / COORDINATE }, (_, at) => {
    const value = unsigned(bytes.subarray(at * COORDINATE, (at + 1) * COORDINATE));
    return value < Fp.ORDER ? value : undefined;
  });
}

/** The value as a big-endian integer. */
export function unsigned(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`);
}

/** The encoding for {@link parseG1}. */
export function bytesOfG1(point: G1): Buffer {
  const { x, y } = point.toAffine();
  return Buffer.concat([x, y].map(bigEndian));
}

/** The encoding for {@link parseG2}. */
export function bytesOfG2(point: G2): Buffer {
  const { x, y } = point.toAffine();
  return Buffer.concat([x.c1, x.c0, y.c1, y.c0].map(bigEndian));
}

const bigEndian = (value: bigint): Buffer =>
  Buffer.from(value.toString(16).padStart(2 * COORDINATE, '0'), 'hex');
