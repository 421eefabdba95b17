/** @type {import('jest').Config} */
export default {
  runtime: '<rootDir>/test/kit/jest/runtime.mjs',
  testEnvironment: '<rootDir>/test/kit/jest/environment.mjs',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  testSequencer: '<rootDir>/test/kit/jest/sequencer.mjs',
  transform: {},
  globalSetup: '<rootDir>/test/kit/global-setup.mjs',
  globalTeardown: '<rootDir>/test/kit/global-teardown.mjs',
  testTimeout: 240_000,
  // More than CI's two cores: many files wait for processes, browsers, and loops of the product.
  maxWorkers: 3,
  // Databases and ledgers of many files leave memory that is slow to be freed: a worker that has grown is replaced.
  workerIdleMemoryLimit: '1200MB',
};
