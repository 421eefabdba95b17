/** Ends every `switch` over a union: a member that was forgotten does not compile, and fails loudly at run time. */
export function unreachable(value: never): never {
  throw new Error(`Unreachable: ${JSON.stringify(value)}`);
}
