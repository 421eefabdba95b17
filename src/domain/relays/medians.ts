/**
 * The middle of what several providers say, the lower one of two: with one liar among three it is between two honest
 * answers, and with two providers it is the lower answer. `undefined` without an answer.
 */
export function lowMedian(values: readonly number[]): number | undefined {
  return values.toSorted((one, other) => one - other)[Math.floor((values.length - 1) / 2)];
}

/** The same with the higher one of two. */
export function highMedian(values: readonly number[]): number | undefined {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
}
