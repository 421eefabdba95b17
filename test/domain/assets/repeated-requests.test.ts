import { describe, expect, it } from '@jest/globals';
import { operatorOf, type Principal } from '../../../src/domain/access/index.js';
import { createAsset } from '../../../src/domain/assets/index.js';
import { revokeApiKey } from '../../../src/domain/organizations/keys/revoke-api-key.js';
import { endMemberSessions } from '../../../src/domain/organizations/members/end-member-sessions.js';
import { removeMember, setPermissions } from '../../../src/domain/organizations/index.js';
import type { Foundation } from '../../../src/platform/database/index.js';
import { overtakenBy } from '../../kit/database/overtaken.js';
import { seedApiKey, seedMember } from '../../kit/seed.js';
import { openTwoOrganizations } from '../../kit/two-organizations.js';
import { AUTHORIZE_ALL, disclosureDesk, seedTransfers } from '../disclosures/kit.js';
import { EURO } from './kit.js';

const { foundation, acme } = await openTwoOrganizations();
const organizationId = acme.organization.id;
const operator = operatorOf(organizationId);
const OWNER = { owner: ['applications:create', 'disclosures:decide'] } as const;

const desk = disclosureDesk(foundation);
await desk.policy(acme.owner.principal, AUTHORIZE_ALL);
const { asset } = await seedTransfers(foundation, acme, [7n], AUTHORIZE_ALL.key);

/** The two operations with an idempotency key. Each returns the id of what it created. */
const OPERATIONS: Readonly<
  Record<string, (on: Foundation, principal: Principal, idempotencyKey: string) => Promise<string>>
> = {
  createAsset: async (on, principal, idempotencyKey) =>
    (await createAsset(on, principal, { ...EURO, idempotencyKey })).id,
  requestDisclosure: async (on, principal, idempotencyKey) => {
    const { id } = await disclosureDesk(on).request(principal, {
      ...{ assetId: asset.id, purpose: 'Audit', format: 'json', idempotencyKey },
      scope: { account: asset.mintAddress, fields: ['amount'] },
    });
    return id;
  },
};

describe.each(Object.entries(OPERATIONS))('a repeated %s', (name, send) => {
  const keyOf = (what: string) => `${name} ${what}`;

  it('returns the first answer to the same person, and to every API key of the organization with the scope', async () => {
    const { principal } = await seedMember(foundation, organizationId, OWNER);
    const first = await send(foundation, principal, keyOf('own'));
    expect(await send(foundation, principal, keyOf('own'))).toBe(first);
    const byKey = await send(foundation, acme.apiKey.principal, keyOf('backend'));
    const rotated = await seedApiKey(foundation, organizationId);
    expect(await send(foundation, rotated.principal, keyOf('backend'))).toBe(byKey);
  });

  it('is refused to another person: neither gets the other’s answer, or requests in the other’s name', async () => {
    const { principal: first } = await seedMember(foundation, organizationId, OWNER);
    const { principal: second } = await seedMember(foundation, organizationId, OWNER);
    const refused = expect.objectContaining({ code: 'CONFLICT' }) as unknown;
    await send(foundation, first, keyOf('guessed'));
    await expect(send(foundation, second, keyOf('guessed'))).rejects.toEqual(refused);
    await expect(send(foundation, acme.apiKey.principal, keyOf('guessed'))).rejects.toEqual(refused);
    await send(foundation, acme.apiKey.principal, keyOf('of a backend'));
    await expect(send(foundation, first, keyOf('of a backend'))).rejects.toEqual(refused);
  });

  it('returns nothing to a person who lost the right while it waited', async () => {
    const losses: Record<string, (memberId: string) => Promise<unknown>> = {
      removed: (memberId) => removeMember(foundation, operator, memberId),
      'signed out': (memberId) => endMemberSessions(foundation, operator, memberId),
      demoted: (memberId) =>
        setPermissions(foundation, operator, { memberId, permissions: { owner: ['reports:list'] } }),
    };
    for (const [how, lose] of Object.entries(losses)) {
      const { principal } = await seedMember(foundation, organizationId, OWNER);
      await send(foundation, principal, keyOf(how));
      const late = overtakenBy(foundation, () => lose(principal.userId));
      await expect(send(late, principal, keyOf(how))).rejects.toMatchObject({
        code: how === 'signed out' ? 'UNAUTHENTICATED' : 'FORBIDDEN',
      });
    }
  });

  it('returns nothing to an API key that was revoked while it waited', async () => {
    const { principal } = await seedApiKey(foundation, organizationId);
    await send(foundation, principal, keyOf('revoked'));
    const late = overtakenBy(foundation, () => revokeApiKey(foundation, operator, principal.apiKeyId));
    await expect(send(late, principal, keyOf('revoked'))).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });
});
