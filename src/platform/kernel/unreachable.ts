/** Ends every `switch` over a union: a missing member does not compile, and throws at run time. */
export function unreachable(value: never): never {
  throw new Error(`Unreachable: ${JSON.stringify(value)}`);
}
