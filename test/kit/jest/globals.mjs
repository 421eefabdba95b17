// The module that test files import as `@jest/globals`. Files of the kit stay loaded from one test file to the next, so each
// name and each member of it is looked up when it is called, in the globals of the test file that is running.
let current = {};

/** Called by the runtime before each test file. */
export function useGlobals(globals) {
  current = globals;
}

const lookedUp = (names) =>
  new Proxy(function () {}, {
    apply: (_target, _self, values) => {
      const owner = names.slice(0, -1).reduce((value, name) => value[name], current);
      return owner[names.at(-1)](...values);
    },
    get: (_target, name) => lookedUp([...names, name]),
  });

export const afterAll = lookedUp(['afterAll']);
export const afterEach = lookedUp(['afterEach']);
export const beforeAll = lookedUp(['beforeAll']);
export const beforeEach = lookedUp(['beforeEach']);
export const describe = lookedUp(['describe']);
export const expect = lookedUp(['expect']);
export const it = lookedUp(['it']);
export const jest = lookedUp(['jest']);
