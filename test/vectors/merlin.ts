/** The tests of Merlin's Rust crate 3.0.0 (`equivalence_simple`) and of its Go port (`TestComplexTranscript`). */
export const MERLIN_SIMPLE = {
  protocol: 'test protocol',
  label: 'some label',
  message: 'some data',
  challenge: 'd5a21972d0d5fe320c0d263fac7fffb8145aa640af6e9bca177c03c7efcf0615',
} as const;

/**
 * 32 rounds, each of which takes a challenge, then appends 1024 bytes of 99 and the challenge. The vector is the last
 * challenge.
 */
export const MERLIN_COMPLEX = {
  protocol: 'test protocol',
  first: { label: 'step1', message: 'some data' },
  rounds: 32,
  lastChallenge: 'a8c933f54fae76e3f9bea93648c1308e7dfa2152dd51674ff3ca438351cf003c',
} as const;
