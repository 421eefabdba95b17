/**
 * The median; the lower of the two middle values. With one wrong answer among three, the result lies between two honest
 * answers. With two answers, it is the lower one. `undefined` without an answer.
 */
export function lowMedian(values: readonly number[]): number | undefined {
  return values.toSorted((one, other) => one - other)[Math.floor((values.length - 1) / 2)];
}

/** The median; the higher of the two middle values. */
export function highMedian(values: readonly number[]): number | undefined {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
}
