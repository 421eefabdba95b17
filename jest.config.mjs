/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', { swcrc: true }] },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  setupFiles: ['reflect-metadata'],
  globalSetup: '<rootDir>/test/kit/global-setup.mjs',
  globalTeardown: '<rootDir>/test/kit/global-teardown.mjs',
  testTimeout: 120_000,
  // Modules of every file stay in the memory of its process: a worker that has grown is replaced.
  maxWorkers: 2,
  workerIdleMemoryLimit: '800MB',
};
