/**
 * Holds callers that wait for `until()`. `arrived` resolves when the first caller waits; `release` lets all of them continue.
 */
export function openGate() {
  const arrived = Promise.withResolvers<undefined>();
  const released = Promise.withResolvers<undefined>();
  return {
    until: () => {
      arrived.resolve(undefined);
      return released.promise;
    },
    arrived: arrived.promise,
    release: () => released.resolve(undefined),
  };
}
