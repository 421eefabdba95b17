import { invalidMember, type ErrorReason } from '../../../platform/kernel/errors.js';
import { type CircuitShape, LEADING_SIGNALS, signalCountOf } from '../pools/circuit-shape.js';
import type { RelayPackage } from './relay-package.js';

/** The public signals of a package, by the circuit's numbers of inputs and outputs. */
export interface RelaySignals {
  readonly root: bigint;
  /** The amount that leaves the pool, or r minus the amount that enters it. */
  readonly publicAmount: bigint;
  readonly extDataHash: bigint;
  /** One for each input. Together with the pool they identify a request. */
  readonly nullifiers: readonly bigint[];
  /** One for each output. */
  readonly commitments: readonly bigint[];
}

/** A nullifier as it is stored: 32 bytes, big-endian. */
export const nullifierBytes = (nullifier: bigint) =>
  new Uint8Array(Buffer.from(nullifier.toString(16).padStart(64, '0'), 'hex'));

/** The first nullifier. Its position is the same for every shape of circuit. */
export function firstNullifierOf({ signals }: RelayPackage): Uint8Array | undefined {
  const first = signals[LEADING_SIGNALS];
  return first === undefined ? undefined : nullifierBytes(first);
}

/**
 * Reads the signals in the order root, publicAmount, extDataHash, nullifiers, commitments.
 * @throws {LucarneError} BAD_USER_INPUT, `unsupported_signal_shape`: the number of signals is wrong, or a nullifier occurs
 *   twice, which would spend one note twice. `invalid_package`: there is a public amount but no recipient.
 */
export function relaySignals({ signals, recipient }: RelayPackage, shape: CircuitShape): RelaySignals {
  const count = signalCountOf(shape);
  if (signals.length !== count)
    throw refused(
      'unsupported_signal_shape',
      'publicSignals',
      `must be ${count} field elements for this circuit`,
    );
  const [root = 0n, publicAmount = 0n, extDataHash = 0n, ...rest] = signals;
  const nullifiers = rest.slice(0, shape.inputs);
  if (new Set(nullifiers).size !== nullifiers.length)
    throw refused('unsupported_signal_shape', 'publicSignals', 'must not contain a nullifier twice');
  if (publicAmount !== 0n && recipient === null)
    throw refused('invalid_package', 'recipient', 'is required when the public amount is not zero');
  return { root, publicAmount, extDataHash, nullifiers, commitments: rest.slice(shape.inputs) };
}

const refused = (reason: ErrorReason, member: string, problem: string) =>
  invalidMember(member, problem, { reason });
