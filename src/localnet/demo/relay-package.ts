import { randomBytes } from 'node:crypto';
import { SCALAR_FIELD_ORDER } from '../../crypto/index.js';
import { LOCAL_POOL_CIRCUIT } from '../pool/local-pool.js';

/** What a wallet of the local pool hands to a relayer, and the nullifiers that it spends (32 bytes each). */
export interface PreparedPackage {
  readonly body: object;
  readonly nullifiers: readonly Uint8Array[];
}

export interface PackagePlan {
  readonly poolSelector: string;
  readonly applicationIdHints: readonly string[];
  /** Those of another package, to spend the same notes; drawn when left out. */
  readonly nullifiers?: readonly bigint[];
}

/**
 * A package for the local test pool: two notes in, two out, nothing that leaves the pool. Its proof is simulated with the
 * pool's public trapdoor: it verifies, and proves nothing. A real pool's wallet would prove it.
 */
export function prepareLocalPackage(
  plan: PackagePlan,
): PreparedPackage & { readonly spends: readonly bigint[] } {
  const spends = plan.nullifiers ?? [fieldElement(), fieldElement()];
  const signals = [fieldElement(), 0n, fieldElement(), ...spends, fieldElement(), fieldElement()];
  const proof = LOCAL_POOL_CIRCUIT.prove(signals, randomBytes(32).toString('hex'));
  const body = {
    version: 1,
    poolSelector: plan.poolSelector,
    zkConfigNonce: '3',
    proofBytes: Buffer.from(proof).toString('hex'),
    publicSignals: signals.map((signal) => bigEndian(signal).toString('hex')),
    applicationIdHints: plan.applicationIdHints,
  };
  return { body, spends, nullifiers: spends.map((nullifier) => new Uint8Array(bigEndian(nullifier))) };
}

/** The same package with a proof of something else. */
export function withWrongProof({ body }: PreparedPackage): object {
  const other = prepareLocalPackage({ poolSelector: '', applicationIdHints: [] }).body as {
    proofBytes: string;
  };
  return { ...body, proofBytes: other.proofBytes };
}

const fieldElement = () => BigInt(`0x${randomBytes(48).toString('hex')}`) % SCALAR_FIELD_ORDER;
const bigEndian = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
