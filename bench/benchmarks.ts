import type { Benchmark } from './kit/benchmark.ts';

/** All benchmarks, by their names on the command line. Each runs in a separate process. */
export const benchmarks: Readonly<Record<string, () => Promise<Benchmark>>> = {
  rest: async () => (await import('./rest-reads.ts')).benchmark,
  graphql: async () => (await import('./graphql-page.ts')).benchmark,
  'row-security': async () => (await import('./row-security.ts')).benchmark,
  'activity-log': async () => (await import('./activity-log/activity-log.ts')).benchmark,
  decryption: async () => (await import('./decryption.ts')).benchmark,
  proofs: async () => (await import('./proofs.ts')).benchmark,
  indexing: async () => (await import('./indexing.ts')).benchmark,
  'relay-admission': async () => (await import('./relay-admission.ts')).benchmark,
  'relay-providers': async () => (await import('./relays/providers.ts')).benchmark,
  'relay-payers': async () => (await import('./relays/payers.ts')).benchmark,
  subscribers: async () => (await import('./subscribers.ts')).benchmark,
  growth: async () => (await import('./growth/growth.ts')).benchmark,
  parts: async () => (await import('./parts.ts')).benchmark,
  report: async () => (await import('./report.ts')).benchmark,
  liveness: async () => (await import('./liveness/liveness.ts')).benchmark,
  keys: async () => (await import('./keys/stores.ts')).benchmark,
  organizations: async () => (await import('./organizations.ts')).benchmark,
  rotations: async () => (await import('./keys/rotations.ts')).benchmark,
};
