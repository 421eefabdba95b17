/** The shape of a circuit: how many notes a transaction spends, and how many it creates. */
export interface CircuitShape {
  readonly inputs: number;
  readonly outputs: number;
}

/** Signals before the nullifiers and commitments: root, publicAmount, extDataHash. */
export const LEADING_SIGNALS = 3;

/** Number of signals of a circuit of this shape. */
export const signalCountOf = ({ inputs, outputs }: CircuitShape) => LEADING_SIGNALS + inputs + outputs;
