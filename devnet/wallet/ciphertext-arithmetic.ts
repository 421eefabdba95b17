import { ristretto255 } from '@noble/curves/ed25519.js';

// A twisted ElGamal ciphertext is a Pedersen commitment and a decrypt handle, 32 bytes each; both are additive.
const POINT_BYTES = 32;
/** The low part of an amount has 16 bits: amount = low + high · 2^16. */
const LOW_BITS = 16n;
const LOW_SCALE = 1n << LOW_BITS;

type Bytes = Uint8Array | { readonly length: number; slice(start: number, end: number): Uint8Array };
type Point = InstanceType<typeof ristretto255.Point>;

export function splitAmount(amount: bigint): { readonly low: bigint; readonly high: bigint } {
  return { low: amount & (LOW_SCALE - 1n), high: amount >> LOW_BITS };
}

/** The ciphertext for one recipient of a grouped ciphertext: commitment, then a handle for each. */
export function ciphertextFor(grouped: Uint8Array, recipient: number): Uint8Array {
  const handle = POINT_BYTES * (1 + recipient);
  return concatenate(grouped.slice(0, POINT_BYTES), grouped.slice(handle, handle + POINT_BYTES));
}

/** `left` plus the amount of which `low` and `high` are the parts. */
export function addParts(left: Bytes, low: Uint8Array, high: Uint8Array): Uint8Array {
  return combine(left, low, high, (a, b) => a.add(b));
}

export function subtractParts(left: Bytes, low: Uint8Array, high: Uint8Array): Uint8Array {
  return combine(left, low, high, (a, b) => a.subtract(b));
}

/** Takes a public amount off: its commitment with opening zero is amount · G, and its handle the identity. */
export function subtractAmount(ciphertext: Bytes, amount: bigint): Uint8Array {
  const [commitment, handle] = points(ciphertext);
  const taken = amount === 0n ? ristretto255.Point.ZERO : ristretto255.Point.BASE.multiply(amount);
  return concatenate(commitment.subtract(taken).toBytes(), handle.toBytes());
}

function combine(left: Bytes, low: Uint8Array, high: Uint8Array, operation: (a: Point, b: Point) => Point) {
  const base = points(left);
  const lows = points(low);
  const highs = points(high);
  const parts = [0, 1].map((index) =>
    operation(base[index]!, lows[index]!.add(highs[index]!.multiply(LOW_SCALE))).toBytes(),
  );
  return concatenate(parts[0]!, parts[1]!);
}

function points(ciphertext: Bytes): [Point, Point] {
  const read = (start: number) =>
    ristretto255.Point.fromBytes(Uint8Array.from(ciphertext.slice(start, start + POINT_BYTES)));
  return [read(0), read(POINT_BYTES)];
}

function concatenate(left: Uint8Array, right: Uint8Array): Uint8Array {
  const joined = new Uint8Array(left.length + right.length);
  joined.set(left);
  joined.set(right, left.length);
  return joined;
}
