import {
  parseVerificationKey,
  SCALAR_FIELD_ORDER,
  type VerificationKey,
} from '../../src/platform/crypto/index.js';
import { LOCAL_POOL_CIRCUIT } from './local-pool.js';

type G1 = VerificationKey['alpha'];
type G2 = VerificationKey['beta'];

/** The C header with the verification key that the pool program holds. Points are written as EIP-197 takes them. */
export function localPoolKeyHeader(): string {
  const key = parseVerificationKey(LOCAL_POOL_CIRCUIT.verificationKey);
  const constants: [string, bigint[]][] = [
    ['FIELD_ORDER[32]', [SCALAR_FIELD_ORDER]],
    ['KEY_NEGATED_ALPHA[64]', g1(key.alpha.negate())],
    ['KEY_BETA[128]', g2(key.beta)],
    ['KEY_NEGATED_GAMMA[128]', g2(key.gamma.negate())],
    ['KEY_NEGATED_DELTA[128]', g2(key.delta.negate())],
  ];
  const lines = constants.map(([name, words]) => `static const u8 ${name} = ${array(words)};\n`);
  const ic = key.ic.map((point) => `  ${array(g1(point))}`).join(',\n');
  return `${lines.join('')}static const u8 KEY_IC[${key.ic.length}][64] = {\n${ic}\n};\n`;
}

function g1(point: G1): bigint[] {
  const { x, y } = point.toAffine();
  return [x, y];
}

function g2(point: G2): bigint[] {
  const { x, y } = point.toAffine();
  return [x.c1, x.c0, y.c1, y.c0];
}

const array = (words: readonly bigint[]) =>
  `{${words.flatMap((word) => [...Buffer.from(word.toString(16).padStart(64, '0'), 'hex')]).join(',')}}`;
