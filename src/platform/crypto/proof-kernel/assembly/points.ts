// Points in the format of EIP-196 and EIP-197: coordinates of 32 bytes, big-endian, the imaginary part first.

import { P51, THREES, TO_MONTGOMERY, TWIST_B } from './constants';
import { CHECKED, setMultiple } from './checked';
import { isZero, scratch, spread, subtract, swap } from './element';
import { multiply, multiplyLanes, normalize, square } from './field';

const MASK: u64 = 0x7ffffffffffff;

/** Reads a coordinate into a lane, as limbs from 0 to 2^51. Returns false for the modulus or more, a second encoding. */
function readCoordinate(out: usize, lane: usize, bytes: usize): bool {
  const w3 = bswap<u64>(load<u64>(bytes)), w2 = bswap<u64>(load<u64>(bytes, 8));
  const w1 = bswap<u64>(load<u64>(bytes, 16)), w0 = bswap<u64>(load<u64>(bytes, 24));
  const l0 = w0 & MASK, l1 = ((w0 >> 51) | (w1 << 13)) & MASK, l2 = ((w1 >> 38) | (w2 << 26)) & MASK;
  const l3 = ((w2 >> 25) | (w3 << 39)) & MASK, l4 = w3 >> 12;
  const at = out + lane * 8;
  store<f64>(at, <f64>l0);
  store<f64>(at, <f64>l1, 16);
  store<f64>(at, <f64>l2, 32);
  store<f64>(at, <f64>l3, 48);
  store<f64>(at, <f64>l4, 64);
  if (l4 != load<u64>(P51, 32)) return l4 < load<u64>(P51, 32);
  if (l3 != load<u64>(P51, 24)) return l3 < load<u64>(P51, 24);
  if (l2 != load<u64>(P51, 16)) return l2 < load<u64>(P51, 16);
  if (l1 != load<u64>(P51, 8)) return l1 < load<u64>(P51, 8);
  return l0 < load<u64>(P51);
}

/** Reads two coordinates into the lanes of an element. */
function readCoordinates(out: usize, low: usize, high: usize): bool {
  if (!readCoordinate(out, 0, low) || !readCoordinate(out, 1, high)) return false;
  // Limbs below 2^51 and a value below p are within the bounds of a sum of two elements.
  if (CHECKED) setMultiple(out, 2);
  multiplyLanes(out, out, TO_MONTGOMERY);
  return true;
}

/** Reads (x, y) into the lanes of one element. Returns false if it is not a point of y² = x³ + 3; (0, 0) is not. */
export function readG1(out: usize, bytes: usize): bool {
  if (!readCoordinates(out, bytes, bytes + 32)) return false;
  const squares = scratch(2), cubes = scratch(3), rest = scratch(4);
  multiplyLanes(squares, out, out);
  multiplyLanes(cubes, squares, out);
  swap(rest, squares);
  subtract(rest, rest, cubes);
  subtract(rest, rest, THREES);
  // Low: y² − x³ − 3.
  spread(rest, rest, 0);
  normalize(rest, rest);
  return isZero(rest);
}

/** Reads x and y in F_p², one element each. Returns false if it is not a point of the twist y² = x³ + 3/ξ; (0, 0) is not. */
export function readG2(out: usize, bytes: usize): bool {
  if (!readCoordinates(out, bytes + 32, bytes)) return false;
  if (!readCoordinates(out + 80, bytes + 96, bytes + 64)) return false;
  const cube = scratch(2), rest = scratch(3);
  square(cube, out);
  multiply(cube, cube, out);
  square(rest, out + 80);
  subtract(rest, rest, cube);
  subtract(rest, rest, TWIST_B);
  normalize(rest, rest);
  return isZero(rest);
}
