import { badUserInput } from '../kernel/errors.js';
import type { RelayPackage } from './relay-package.js';

/** What the public signals of a package say, for a circuit with its numbers of inputs and outputs. */
export interface RelaySignals {
  readonly root: bigint;
  /** What leaves the pool, or enters it as r minus the amount. */
  readonly publicAmount: bigint;
  readonly extDataHash: bigint;
  /** One for each input. Together with the pool they are the identity of a request. */
  readonly nullifiers: readonly bigint[];
  /** One for each output. */
  readonly commitments: readonly bigint[];
}

export interface CircuitShape {
  readonly inputs: number;
  readonly outputs: number;
}

const LEADING = 3;

/** Signals of a circuit of this shape. */
export const signalCountOf = ({ inputs, outputs }: CircuitShape) => LEADING + inputs + outputs;

/**
 * Reads the signals in the order root, publicAmount, extDataHash, nullifiers, commitments.
 * @throws {LucarneError} BAD_USER_INPUT, `unsupported_signal_shape`: another number of them, or a nullifier twice, which
 *   would spend one note as two. `invalid_package`: an amount that leaves or enters, and nobody it goes to.
 */
export function relaySignals({ signals, recipient }: RelayPackage, shape: CircuitShape): RelaySignals {
  const count = signalCountOf(shape);
  if (signals.length !== count)
    throw refused(
      'unsupported_signal_shape',
      `publicSignals must be ${count} field elements for this circuit.`,
    );
  const [root = 0n, publicAmount = 0n, extDataHash = 0n, ...rest] = signals;
  const nullifiers = rest.slice(0, shape.inputs);
  if (new Set(nullifiers).size !== nullifiers.length)
    throw refused('unsupported_signal_shape', 'publicSignals must not have a nullifier twice.');
  if (publicAmount !== 0n && recipient === null)
    throw refused('invalid_package', 'recipient is required when the public amount is not zero.');
  return { root, publicAmount, extDataHash, nullifiers, commitments: rest.slice(shape.inputs) };
}

const refused = (reason: string, message: string) => badUserInput(message, { reason });
