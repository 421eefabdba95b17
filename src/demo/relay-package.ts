import { randomBytes } from 'node:crypto';
import { SCALAR_FIELD_ORDER } from '../platform/crypto/index.js';
import { LOCAL_POOL_CIRCUIT } from '../../devnet/index.js';

/** A package as a wallet of the local pool submits it, and the nullifiers it spends (32 bytes each). */
export interface PreparedPackage {
  readonly body: object;
  readonly nullifiers: readonly Uint8Array[];
}

export interface PackagePlan {
  readonly poolSelector: string;
  readonly applicationIdHints: readonly string[];
  /** Nullifiers of another package, to spend the same notes. Random by default. */
  readonly nullifiers?: readonly bigint[];
  /** Who is paid (base58), where the pool screens it. */
  readonly recipient?: string;
}

/**
 * A package for the local test pool with two inputs and two outputs; no value leaves the pool. The proof is simulated with
 * the pool's public trapdoor: it is valid but proves nothing. A wallet of a real pool would make a real proof.
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
    ...(plan.recipient === undefined ? {} : { recipient: plan.recipient }),
  };
  return { body, spends, nullifiers: spends.map((nullifier) => new Uint8Array(bigEndian(nullifier))) };
}

/** The same package with a proof of other signals. */
export function withWrongProof({ body }: PreparedPackage): object {
  const other = prepareLocalPackage({ poolSelector: '', applicationIdHints: [] }).body as {
    proofBytes: string;
  };
  return { ...body, proofBytes: other.proofBytes };
}

const fieldElement = () => BigInt(`0x${randomBytes(48).toString('hex')}`) % SCALAR_FIELD_ORDER;
const bigEndian = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
