import { bn254 } from '@noble/curves/bn254.js';
import { sha256 } from '../../src/platform/crypto/index.js';

// A Groth16 key whose trapdoor anyone can compute: with it, a proof of anything can be simulated (ePrint 2016/260,
// section 3.2). It replaces a real circuit on the local ledger only, where nothing has a value.

const { G1, G2 } = bn254;
const { Fr } = bn254.fields;

export interface TrapdoorCircuit {
  readonly name: string;
  readonly signalCount: number;
  /** As snarkjs writes a `verification_key.json`. Computed each time. */
  readonly verificationKey: object;
  /** Simulates a proof of these signals: 256 bytes, A | B | C as EIP-197 takes them. Another one for each seed. */
  prove(signals: readonly bigint[], seed: string): Uint8Array;
}

/** A circuit whose key follows from its name. */
export function trapdoorCircuit(name: string, signalCount: number): TrapdoorCircuit {
  const secret = (part: string) => scalarOf(`${name}/${part}`);
  const [alpha, beta, gamma, delta] = ['alpha', 'beta', 'gamma', 'delta'].map(secret) as [
    bigint,
    bigint,
    bigint,
    bigint,
  ];
  const ic = Array.from({ length: signalCount + 1 }, (_, at) => secret(`ic/${at}`));
  return {
    name,
    signalCount,
    get verificationKey() {
      return {
        protocol: 'groth16',
        curve: 'bn128',
        nPublic: signalCount,
        vk_alpha_1: g1Text(G1.Point.BASE.multiply(alpha)),
        vk_beta_2: g2Text(G2.Point.BASE.multiply(beta)),
        vk_gamma_2: g2Text(G2.Point.BASE.multiply(gamma)),
        vk_delta_2: g2Text(G2.Point.BASE.multiply(delta)),
        IC: ic.map((scalar) => g1Text(G1.Point.BASE.multiply(scalar))),
      };
    },
    prove(signals, seed) {
      if (signals.length !== signalCount) throw new RangeError(`The circuit has ${signalCount} signals.`);
      const [a, b] = [scalarOf(`${seed}/a`), scalarOf(`${seed}/b`)];
      const public_ = signals.reduce((sum, signal, at) => Fr.add(sum, Fr.mul(signal, ic[at + 1]!)), ic[0]!);
      // a·b = α·β + γ·Σ + δ·c, solved for c.
      const rest = Fr.sub(Fr.sub(Fr.mul(a, b), Fr.mul(alpha, beta)), Fr.mul(gamma, public_));
      const c = Fr.div(rest, delta);
      return Uint8Array.from([
        ...g1Bytes(G1.Point.BASE.multiply(a)),
        ...g2Bytes(G2.Point.BASE.multiply(b)),
        ...g1Bytes(G1.Point.BASE.multiply(c)),
      ]);
    },
  };
}

/** Two hashes wide, so that the reduction favors no scalar. */
function scalarOf(text: string): bigint {
  const wide = Buffer.concat([sha256(`${text}/0`), sha256(`${text}/1`)]);
  return (BigInt(`0x${wide.toString('hex')}`) % (Fr.ORDER - 1n)) + 1n;
}

type G1Point = typeof G1.Point.BASE;
type G2Point = typeof G2.Point.BASE;

function g1Text(point: G1Point): string[] {
  const { x, y } = point.toAffine();
  return [String(x), String(y), '1'];
}

function g2Text(point: G2Point): string[][] {
  const { x, y } = point.toAffine();
  return [
    [String(x.c0), String(x.c1)],
    [String(y.c0), String(y.c1)],
    ['1', '0'],
  ];
}

function g1Bytes(point: G1Point): number[] {
  const { x, y } = point.toAffine();
  return [x, y].flatMap(bigEndian);
}

/** EIP-197: the imaginary part first. */
function g2Bytes(point: G2Point): number[] {
  const { x, y } = point.toAffine();
  return [x.c1, x.c0, y.c1, y.c0].flatMap(bigEndian);
}

const bigEndian = (value: bigint): number[] => [...Buffer.from(value.toString(16).padStart(64, '0'), 'hex')];
