import { describe, expect, it } from '@jest/globals';
import { changePassword, signIn } from '../../../../src/domain/organizations/index.js';
import type { LucarneError } from '../../../../src/platform/kernel/errors.js';
import { SEED_PASSWORD } from '../../../kit/seed.js';
import { signInStories } from './sign-in-stories.js';

/** More than may wait at a time. */
const GUESSES = 100;

describe('a flood of password guesses from many addresses', () => {
  const stories = signInStories();

  /** Guesses for a different unknown account each, all at once. Reports how many are answered at a moment, and the results. */
  function flood() {
    const codes: string[] = [];
    const all = Array.from({ length: GUESSES }, async (_, guess) => {
      const input = { email: `nobody-${guess}@example.test`, password: 'a wrong password' };
      const refused = await signIn(stories.foundation, input, `203.0.113.${guess}`).then(
        () => undefined,
        (error: unknown) => error as LucarneError,
      );
      codes.push(refused?.code ?? 'SIGNED_IN');
      return refused;
    });
    return { codes, end: () => Promise.all(all) };
  }

  it('is refused beyond the queue limit, with the time to retry', async () => {
    const refused = await flood().end();
    const tooMany = refused.filter((error) => error?.code === 'TOO_MANY_REQUESTS');
    expect(refused.filter((error) => error?.code === 'UNAUTHENTICATED')).toHaveLength(
      GUESSES - tooMany.length,
    );
    expect(tooMany.length).toBeGreaterThan(0);
    for (const error of tooMany) expect(error).toMatchObject({ retryAfterSeconds: 5 });
  });

  it('does not block people with a known browser or a session', async () => {
    const member = await stories.newMember();
    const credentials = { email: member.email, password: SEED_PASSWORD };
    const { deviceToken } = await signIn(stories.foundation, credentials, stories.address);
    const { codes, end } = flood();
    // The queue of unknown accounts is full once one of them was refused.
    while (!codes.includes('TOO_MANY_REQUESTS')) await new Promise(setImmediate);
    const { principal } = await signIn(
      stories.foundation,
      credentials,
      stories.address,
      undefined,
      deviceToken,
    );
    expect(principal.email).toBe(member.email);
    const change = { currentPassword: SEED_PASSWORD, newPassword: 'a new and longer one' };
    await changePassword(stories.foundation, member.principal, change, stories.address);
    // They arrived after the flood and were processed before most of it.
    expect(codes.filter((code) => code === 'UNAUTHENTICATED').length).toBeLessThan(32);
    await end();
  });
});

describe('guesses from the client address of a member who is signed in', () => {
  const stories = signInStories();

  it('do not keep the member from proving who it is: colleagues share an address', async () => {
    const { email, principal } = await stories.newMember();
    const guess = (guessed: string) => stories.refusal({ email: guessed, password: 'a wrong password' });
    for (let failure = 0; failure < 5; failure += 1) await guess(email);
    // All that the address may try in a minute.
    for (let attempt = 0; attempt < 60; attempt += 1) await guess('nobody@example.test');
    expect(await guess('nobody-else@example.test')).toMatchObject({ code: 'TOO_MANY_REQUESTS' });
    const change = { currentPassword: SEED_PASSWORD, newPassword: 'a new and longer one' };
    await changePassword(stories.foundation, principal, change, stories.address);
  });
});
