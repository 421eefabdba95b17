// Jest's environment for Node.js, for tests that run outside of its context: `expect` compares with the constructors of the
// tests, and its fake timers replace those of the tests.
import { ModernFakeTimers } from '@jest/fake-timers';
import { TestEnvironment } from 'jest-environment-node';

const isConstructor = (name) => /^[A-Z]/.test(name) && typeof globalThis[name] === 'function';

export default class Environment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    for (const name of Object.getOwnPropertyNames(globalThis).filter(isConstructor))
      Object.defineProperty(this.global, name, {
        value: globalThis[name],
        writable: true,
        configurable: true,
      });
    this.fakeTimersModern = new ModernFakeTimers({ config: config.projectConfig, global: globalThis });
  }
}
