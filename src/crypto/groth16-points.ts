import { bn254 } from '@noble/curves/bn254.js';

/** A point of the curve y² = x³ + 3 over F_p (alt_bn128, EIP-196). */
export type G1 = InstanceType<typeof bn254.G1.Point>;
/** A point of the twist over F_p² (EIP-197). */
export type G2 = InstanceType<typeof bn254.G2.Point>;

export const G1 = bn254.G1.Point;
export const G2 = bn254.G2.Point;
export const Fr = bn254.fields.Fr;

const COORDINATE = 32;
export const G1_LENGTH = 2 * COORDINATE;
export const G2_LENGTH = 4 * COORDINATE;

/** Two coordinates, big-endian, as EIP-196 and Solana’s alt_bn128 calls take them. `undefined`: not a point. */
export function parseG1(bytes: Uint8Array): G1 | undefined {
  const [x, y] = coordinates(bytes);
  if (x === undefined || y === undefined) return undefined;
  return g1Of(x, y);
}

/** Four coordinates, the imaginary part first (EIP-197). `undefined`: not a point of the subgroup of order r. */
export function parseG2(bytes: Uint8Array): G2 | undefined {
  const [x1, x0, y1, y0] = coordinates(bytes);
  if (x0 === undefined || x1 === undefined || y0 === undefined || y1 === undefined) return undefined;
  return g2Of([x0, x1], [y0, y1]);
}

/** `undefined` for coordinates at the modulus or above, off the curve, and for the point at infinity. */
export function g1Of(x: bigint, y: bigint): G1 | undefined {
  return valid(() => G1.fromAffine({ x, y }));
}

/** As {@link g1Of}, and `undefined` outside of the subgroup. Coordinates as (real, imaginary). */
export function g2Of(x: readonly [bigint, bigint], y: readonly [bigint, bigint]): G2 | undefined {
  const { Fp2 } = bn254.fields;
  return valid(() =>
    G2.fromAffine({ x: Fp2.create({ c0: x[0], c1: x[1] }), y: Fp2.create({ c0: y[0], c1: y[1] }) }),
  );
}

function valid<Point extends G1 | G2>(make: () => Point): Point | undefined {
  try {
    const point = make();
    if (point.is0()) return undefined;
    point.assertValidity();
    return point;
  } catch {
    return undefined;
  }
}

/** Field elements of F_p; `undefined` in place of one that is not reduced: another text for the same point. */
function coordinates(bytes: Uint8Array): (bigint | undefined)[] {
  const { ORDER } = bn254.fields.Fp;
  return Array.from({ length: bytes.length / COORDINATE }, (_, at) => {
    const value = unsigned(bytes.subarray(at * COORDINATE, (at + 1) * COORDINATE));
    return value < ORDER ? value : undefined;
  });
}

/** The big-endian integer. */
export function unsigned(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`);
}
