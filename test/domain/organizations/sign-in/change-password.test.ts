import { describe, expect, it } from '@jest/globals';
import { changePassword, type Mail, signIn, signOut } from '../../../../src/domain/organizations/index.js';
import {
  requestPasswordReset,
  resetPassword,
} from '../../../../src/domain/organizations/invitations/reset-password.js';
import { sql } from '../../../../src/platform/database/index.js';
import { overtakenBy } from '../../../kit/database/overtaken.js';
import { SEED_PASSWORD } from '../../../kit/seed.js';
import { signInStories } from './sign-in-stories.js';

describe('a password change', () => {
  const stories = signInStories();
  const { newMember, authenticate, refusal } = stories;

  /** A mail server that keeps the letters. */
  const mailbox = () => {
    const mails: Mail[] = [];
    const mailer = { send: (mail: Mail) => Promise.resolve(void mails.push(mail)) };
    const site = { origin: () => 'https://lucarne.example', mailer };
    return {
      mails,
      ask: (email: string) => requestPasswordReset(stories.foundation, site, { email }, stories.address),
      tokenTo: async (email: string): Promise<string> => {
        for (;;) {
          const mail = mails.find(({ to }) => to === email);
          if (mail) return /#([\w-]{43})/.exec(mail.text)![1]!;
          await new Promise(setImmediate);
        }
      },
    };
  };

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
    const overtaken = overtakenBy(stories.foundation, () =>
      changePassword(stories.foundation, principal, change, stories.address),
    );
    expect(await refusal({ email, password: SEED_PASSWORD }, stories.address, overtaken)).toMatchObject({
      code: 'UNAUTHENTICATED',
    });
    const open = await stories.database.rows(sql`
      select id from sessions where user_id = ${principal.userId} and ended_at is null`);
    expect(open).toEqual([]);
  });

  it('changes nothing if the session of the request has ended in the meantime', async () => {
    const { email, principal } = await newMember();
    const change = { currentPassword: SEED_PASSWORD, newPassword: 'a new and longer one' };
    const late = overtakenBy(stories.foundation, () => signOut(stories.foundation, principal));
    await expect(changePassword(late, principal, change, stories.address)).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    });
    expect(await refusal({ email, password: change.newPassword })).toMatchObject({ code: 'UNAUTHENTICATED' });
    await signIn(stories.foundation, { email, password: SEED_PASSWORD }, stories.address);
  });

  it('makes a mailed link for another password invalid', async () => {
    const { email, principal } = await newMember();
    const { ask, tokenTo } = mailbox();
    await ask(email);
    const token = await tokenTo(email);
    const newPassword = 'known to the person alone';
    await changePassword(
      stories.foundation,
      principal,
      { currentPassword: SEED_PASSWORD, newPassword },
      stories.address,
    );
    const reset = resetPassword(stories.foundation, { token, newPassword: 'known to a reader of the mail' });
    await expect(reset).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await signIn(stories.foundation, { email, password: newPassword }, stories.address);
  });

  it('is not offered by mail to a person who signs in only with the identity provider', async () => {
    const linked = await newMember();
    await stories.database.rows(sql`
      update accounts set password_hash = null, oidc_subject = 'https://id.example 1'
      where id = ${linked.principal.accountId}`);
    const other = await newMember();
    const { ask, tokenTo, mails } = mailbox();
    await ask(linked.email);
    // Requested later, and mailed after the earlier request was processed.
    await ask(other.email);
    await tokenTo(other.email);
    expect(mails.map(({ to }) => to)).toEqual([other.email]);
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
