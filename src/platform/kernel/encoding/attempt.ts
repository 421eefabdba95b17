/** The result of `work`, or `undefined` if it throws. For parsers and checks whose errors all mean “no”. */
export function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
