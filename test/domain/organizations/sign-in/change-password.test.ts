import { describe, expect, it } from '@jest/globals';
import { changePassword, signIn } from '../../../../src/domain/organizations/index.js';
import { type Foundation, sql } from '../../../../src/platform/database/index.js';
import { SEED_PASSWORD } from '../../../kit/seed.js';
import { signInStories } from './sign-in-stories.js';

describe('a password change', () => {
  const stories = signInStories();
  const { newMember, authenticate, refusal } = stories;

  it('ends all sessions of the user, and only the new password works', async () => {
    const { email, principal, sessionToken } = await newMember();
    const elsewhere = await signIn(stories.foundation, { email, password: SEED_PASSWORD }, stories.address);
    const bystander = await newMember();
    const change = { currentPassword: SEED_PASSWORD, newPassword: 'a new and longer one' };
    await changePassword(stories.foundation, principal, change, stories.address);
    expect(await authenticate(sessionToken)).toBeUndefined();
    expect(await authenticate(elsewhere.token)).toBeUndefined();
    expect(await authenticate(bystander.sessionToken)).toBeDefined();
    expect(await refusal({ email, password: SEED_PASSWORD })).toMatchObject({ code: 'UNAUTHENTICATED' });
    await signIn(stories.foundation, { email, password: change.newPassword }, stories.address);
  });

  it('requires the current one, and counts a wrong one as a failed sign-in', async () => {
    const { email, principal, sessionToken } = await newMember();
    const wrong = { currentPassword: 'a wrong password', newPassword: 'a new and longer one' };
    for (let failure = 0; failure < 5; failure += 1) {
      await expect(
        changePassword(stories.foundation, principal, wrong, stories.address),
      ).rejects.toMatchObject({
        code: 'BAD_USER_INPUT',
        message: 'currentPassword is wrong.',
      });
    }
    await expect(
      changePassword(
        stories.foundation,
        principal,
        { ...wrong, currentPassword: SEED_PASSWORD },
        stories.address,
      ),
    ).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' });
    expect(await refusal({ email, password: SEED_PASSWORD })).toMatchObject({ code: 'TOO_MANY_REQUESTS' });
    expect(await authenticate(sessionToken)).toBeDefined();
  });

  it('leaves no session of a sign-in that was compared with the old password', async () => {
    const { email, principal } = await newMember();
    const change = { currentPassword: SEED_PASSWORD, newPassword: 'a new and longer one' };
    // The password changes between the comparison and the session, and the transaction detects it.
    let changed = false;
    const overtaken: Foundation = {
      ...stories.foundation,
      database: {
        ...stories.database,
        transaction: async (work) => {
          if (!changed) {
            changed = true;
            await changePassword(stories.foundation, principal, change, stories.address);
          }
          return stories.database.transaction(work);
        },
      },
    };
    expect(await refusal({ email, password: SEED_PASSWORD }, stories.address, overtaken)).toMatchObject({
      code: 'UNAUTHENTICATED',
    });
    const open = await stories.database.rows(sql`
      select id from sessions where user_id = ${principal.userId} and ended_at is null`);
    expect(open).toEqual([]);
  });

  it('refuses a new password that is too short', async () => {
    const { principal } = await newMember();
    await expect(
      changePassword(
        stories.foundation,
        principal,
        { currentPassword: SEED_PASSWORD, newPassword: 'short' },
        stories.address,
      ),
    ).rejects.toThrow('newPassword');
  });
});
