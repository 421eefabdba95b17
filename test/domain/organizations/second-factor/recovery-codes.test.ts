import { describe, expect, it } from '@jest/globals';
import type { UserPrincipal } from '../../../../src/domain/access/index.js';
import { findSessions } from '../../../../src/domain/access/authentication/find-sessions.js';
import { hashSessionToken } from '../../../../src/domain/access/authentication/session-lifetime.js';
import {
  addPasskey,
  proposePasskey,
  removePasskey,
} from '../../../../src/domain/organizations/second-factor/own-passkeys.js';
import { factorsOf } from '../../../../src/domain/organizations/second-factor/factors-of-account.js';
import { createRecoveryCodes } from '../../../../src/domain/organizations/second-factor/recovery-codes.js';
import { SoftAuthenticator } from '../../../kit/browser/authenticator.js';
import { overtakenBy } from '../../../kit/database/overtaken.js';
import { SEED_PASSWORD, seedMember, seedOrganization, openTestFoundation } from '../../../kit/seed.js';

const ORIGIN = 'https://lucarne.example';
const DOOR = { origin: () => ORIGIN };
const ADDRESS = '198.51.100.61';

const { database, foundation } = await openTestFoundation();

describe('recovery codes', () => {
  /** A member with a passkey, and the session from then on. */
  async function enrolled(): Promise<{ readonly principal: UserPrincipal; readonly passkeyId: string }> {
    const home = await seedOrganization(foundation);
    const member = await seedMember(foundation, home.organization.id);
    const device = new SoftAuthenticator(ORIGIN);
    const response = device.create(await proposePasskey(foundation, DOOR, member.principal));
    const input = { name: 'Key', response, password: SEED_PASSWORD };
    const { id } = await addPasskey(foundation, DOOR, member.principal, input, ADDRESS);
    const [session] = await findSessions(database, [hashSessionToken(member.sessionToken)]);
    return { principal: session!.principal, passkeyId: id };
  }
  const left = async ({ accountId }: UserPrincipal) => (await factorsOf(database, accountId)).recoveryCodes;

  it('are ten, even if they are created twice concurrently', async () => {
    const { principal } = await enrolled();
    await createRecoveryCodes(foundation, principal);
    await Promise.all([
      createRecoveryCodes(foundation, principal),
      createRecoveryCodes(foundation, principal),
    ]);
    expect(await left(principal)).toBe(10);
  });

  it('are removed with the last factor, so that they give no access to people who know them', async () => {
    const { principal, passkeyId } = await enrolled();
    await createRecoveryCodes(foundation, principal);
    await removePasskey(foundation, principal, passkeyId);
    expect(await left(principal)).toBe(0);
  });

  it('are not created for a factor that is removed at the same time', async () => {
    const { principal, passkeyId } = await enrolled();
    const late = overtakenBy(foundation, () => removePasskey(foundation, principal, passkeyId));
    await expect(createRecoveryCodes(late, principal)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await left(principal)).toBe(0);
  });
});
