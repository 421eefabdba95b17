import { describe, expect, it } from '@jest/globals';
import { fc } from '../../../kit/properties.js';
import { MerlinTranscript } from '../../../../src/platform/crypto/proofs/merlin.js';
import { MERLIN_COMPLEX, MERLIN_SIMPLE } from '../../../vectors/merlin.js';

const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const shortText = () => fc.string({ maxLength: 20 });

describe('a Merlin transcript', () => {
  it('gives the challenge of the published simple test', () => {
    const transcript = new MerlinTranscript(MERLIN_SIMPLE.protocol);
    transcript.append(MERLIN_SIMPLE.label, MERLIN_SIMPLE.message);
    expect(toHex(transcript.challenge('challenge', 32))).toBe(MERLIN_SIMPLE.challenge);
  });

  it('gives the last challenge of the published multi-block test', () => {
    const transcript = new MerlinTranscript(MERLIN_COMPLEX.protocol);
    transcript.append(MERLIN_COMPLEX.first.label, MERLIN_COMPLEX.first.message);
    let challenge = new Uint8Array();
    for (let round = 0; round < MERLIN_COMPLEX.rounds; round += 1) {
      challenge = Uint8Array.from(transcript.challenge('challenge', 32));
      transcript.append('bigdata', new Uint8Array(1024).fill(99));
      transcript.append('challengedata', challenge);
    }
    expect(toHex(challenge)).toBe(MERLIN_COMPLEX.lastChallenge);
  });

  it('depends on every label and message, and on their boundaries', () => {
    const challengeOf = (protocol: string, label: string, message: string) => {
      const transcript = new MerlinTranscript(protocol);
      transcript.append(label, message);
      return toHex(transcript.challenge('c', 32));
    };
    const triple = () => fc.tuple(shortText(), shortText(), shortText());
    fc.assert(
      fc.property(triple(), triple(), (one, other) => {
        fc.pre(one.some((text, index) => text !== other[index]));
        expect(challengeOf(...one)).not.toBe(challengeOf(...other));
      }),
    );
    expect(challengeOf('p', 'ab', 'c')).not.toBe(challengeOf('p', 'a', 'bc'));
  });
});
