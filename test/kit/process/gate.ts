/**
 * Holds callers that wait for `until()`. `arrived` resolves when the first caller waits; `release` lets all of them continue,
 * and so does the end of a story that opens the gate with `using`, so that a failed one leaves nobody waiting.
 */
export function openGate() {
  const arrived = Promise.withResolvers<undefined>();
  const released = Promise.withResolvers<undefined>();
  const release = () => released.resolve(undefined);
  return {
    until: () => {
      arrived.resolve(undefined);
      return released.promise;
    },
    arrived: arrived.promise,
    release,
    [Symbol.dispose]: release,
  };
}
