/** Whether `count` is more than half of the configured providers. If most providers are honest, at least one of them is. */
export const isMajority = (count: number, configured: number) => 2 * count > configured;

/** The value that more than half of the configured providers return. */
export function majorityValue<Value>(values: readonly Value[], configured: number): Value | undefined {
  return values.find((value) => isMajority(values.filter((other) => other === value).length, configured));
}

/**
 * A number that at least one honest provider returned, or a larger one, if at most half of the providers lie. `undefined` if so few
 * answered that all of them may lie.
 */
export const honestBound = (values: readonly number[], configured: number): number | undefined =>
  values.toSorted((one, other) => one - other)[Math.floor(configured / 2)];
