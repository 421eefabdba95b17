/** Whether so many are more than half of the configured providers: at least one of them is honest if most are. */
export const isMajority = (count: number, configured: number) => 2 * count > configured;

/** The value that more than half of the configured providers give. */
export function majorityValue<Value>(values: readonly Value[], configured: number): Value | undefined {
  return values.find((value) => isMajority(values.filter((other) => other === value).length, configured));
}
