import { isJsonObject, type JsonObject, type JsonValue } from '../../kernel/encoding/json.js';
import { bn254 } from '@noble/curves/bn254.js';
import { g1Of, g2Of, type G1, type G2 } from './groth16-points.js';

/** A verification key of a circuit (Groth16, ePrint 2016/260, section 3.2) over alt_bn128. */
export interface VerificationKey {
  readonly alpha: G1;
  readonly beta: G2;
  readonly gamma: G2;
  readonly delta: G2;
  /** One more point than there are public signals. */
  readonly ic: readonly G1[];
}

/** The problem of a key, and its member. */
export class InvalidVerificationKey extends Error {
  override readonly name = 'InvalidVerificationKey';

  constructor(
    /** For example, `IC[3]`. */
    readonly member: string,
    what: string,
  ) {
    super(`${member} ${what}.`);
  }
}

/**
 * Parses the JSON of snarkjs (`verification_key.json`): decimal coordinates, projective with z = 1.
 * @throws {InvalidVerificationKey}
 */
export function parseVerificationKey(value: unknown): VerificationKey {
  if (!isJsonObject(value)) throw new InvalidVerificationKey('The key', 'must be a JSON object');
  if (value['protocol'] !== 'groth16') throw new InvalidVerificationKey('protocol', 'must be "groth16"');
  if (value['curve'] !== 'bn128') throw new InvalidVerificationKey('curve', 'must be "bn128"');
  const ic = value['IC'];
  if (!Array.isArray(ic) || ic.length < 1) throw new InvalidVerificationKey('IC', 'must be a list of points');
  if (value['nPublic'] !== ic.length - 1)
    throw new InvalidVerificationKey('nPublic', 'must be the number of points of IC without the first');
  return {
    alpha: pointOfG1('vk_alpha_1', value['vk_alpha_1']),
    beta: pointOfG2('vk_beta_2', value['vk_beta_2']),
    gamma: pointOfG2('vk_gamma_2', value['vk_gamma_2']),
    delta: pointOfG2('vk_delta_2', value['vk_delta_2']),
    ic: ic.map((point, at) => pointOfG1(`IC[${at}]`, point)),
  };
}

function pointOfG1(member: string, value: unknown): G1 {
  const [x, y, z] = list(member, value, 3).map((coordinate) => decimal(member, coordinate));
  const point = z === 1n ? g1Of(x!, y!) : undefined;
  if (!point) throw new InvalidVerificationKey(member, 'must be a point of the curve, with z = 1');
  return point;
}

function pointOfG2(member: string, value: unknown): G2 {
  const [x, y, z] = list(member, value, 3).map((coordinate) => {
    const [real, imaginary] = list(member, coordinate, 2).map((part) => decimal(member, part));
    return [real!, imaginary!] as const;
  });
  const point = z![0] === 1n && z![1] === 0n ? g2Of(x!, y!) : undefined;
  if (!point) throw new InvalidVerificationKey(member, 'must be a point of the subgroup, with z = 1');
  return point;
}

function list(member: string, value: unknown, length: number): readonly unknown[] {
  if (!Array.isArray(value) || value.length !== length)
    throw new InvalidVerificationKey(member, `must be a list of ${length}`);
  return value;
}

/** A coordinate below the modulus of the base field, as decimal text. */
function decimal(member: string, value: unknown): bigint {
  // 254 bits have 77 digits.
  if (typeof value !== 'string' || !/^(0|[1-9]\d{0,76})$/.test(value))
    throw new InvalidVerificationKey(member, 'must have its coordinates as decimal strings');
  const number = BigInt(value);
  if (number >= bn254.fields.Fp.ORDER)
    throw new InvalidVerificationKey(member, 'must have its coordinates below the modulus of the field');
  return number;
}

/** The key in the form of {@link parseVerificationKey}: plain JSON, which can be sent to a thread. */
export function verificationKeyJson({ alpha, beta, gamma, delta, ic }: VerificationKey): JsonObject {
  return {
    protocol: 'groth16',
    curve: 'bn128',
    nPublic: ic.length - 1,
    vk_alpha_1: textOfG1(alpha),
    vk_beta_2: textOfG2(beta),
    vk_gamma_2: textOfG2(gamma),
    vk_delta_2: textOfG2(delta),
    IC: ic.map(textOfG1),
  };
}

function textOfG1(point: G1): JsonValue {
  const { x, y } = point.toAffine();
  return [String(x), String(y), '1'];
}

function textOfG2(point: G2): JsonValue {
  const { x, y } = point.toAffine();
  return [
    [String(x.c0), String(x.c1)],
    [String(y.c0), String(y.c1)],
    ['1', '0'],
  ];
}
