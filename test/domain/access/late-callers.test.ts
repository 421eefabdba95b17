import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { operatorOf, type Principal } from '../../../src/domain/access/index.js';
import { bindMint } from '../../../src/domain/assets/bind-mint.js';
import { createAsset } from '../../../src/domain/assets/create-asset.js';
import { disableAsset } from '../../../src/domain/assets/disable-asset.js';
import { createCaseRequest, withdrawCaseRequest } from '../../../src/domain/cases/index.js';
import { removeCaseAuditor } from '../../../src/domain/cases/running/change-case-auditors.js';
import { endCase } from '../../../src/domain/cases/running/end-case.js';
import { setAddressStatus } from '../../../src/domain/checks/addresses/set-address-status.js';
import { createFulfilment, requestDisclosure } from '../../../src/domain/disclosures/index.js';
import { createApplication } from '../../../src/domain/organizations/applications/create-application.js';
import { inviteMember } from '../../../src/domain/organizations/invitations/invite-member.js';
import { revokeInvitation } from '../../../src/domain/organizations/invitations/revoke-invitation.js';
import { revokeApiKey } from '../../../src/domain/organizations/keys/revoke-api-key.js';
import { removeMember } from '../../../src/domain/organizations/members/remove-member.js';
import { setPermissions } from '../../../src/domain/organizations/members/set-permissions.js';
import { placeLegalHold } from '../../../src/domain/organizations/retention/place-legal-hold.js';
import { endMemberSessions } from '../../../src/domain/organizations/members/end-member-sessions.js';
import { type Database, type Foundation, sql } from '../../../src/platform/database/index.js';
import type { PermissionSetInput } from '../../../src/domain/access/permissions/permission-set.js';
import { base58 } from '../../../src/platform/kernel/encoding/bytes.js';
import type { Id } from '../../../src/platform/kernel/ids.js';
import { type CaseOffice, EVERY_FLAG, openOffice } from '../cases/kit.js';
import { inlinePool } from '../../kit/inline-pool.js';
import { createTestDatabase } from '../../kit/database.js';
import { overtakenBy } from '../../kit/overtaken.js';
import { seedApiKey, seedMember, testFoundation } from '../../kit/seed.js';

const ADDRESS = '11111111111111111111111111111112';
/** Of a mint that exists nowhere. */
const newAddress = () => base58.encode(randomBytes(32));
const FOREIGN_ID = 'payments';
const REASON = 'Too late';

/** A mutation, called with what its caller needs. */
type Call = (foundation: Foundation, caller: Principal) => Promise<unknown>;

describe('a caller who loses the permission after the request was admitted', () => {
  let database: Database;
  let foundation: Foundation;
  let office: CaseOffice;
  let organizationId: Id<'org'>;

  beforeAll(async () => {
    database = await createTestDatabase();
    foundation = testFoundation(database);
    office = await openOffice(foundation, FOREIGN_ID);
    organizationId = office.organization.id;
  });
  afterAll(async () => database[Symbol.asyncDispose]());

  const operator = () => operatorOf(organizationId);
  const pending = () =>
    createAsset(foundation, office.apiKey.principal, { name: 'A', symbol: 'A', decimals: 2 });
  const entries = async (actorId: string) => {
    const [row] = await database.rows(
      sql<{
        count: number;
      }>`select count(*)::integer as count from activity_entries where actor_id = ${actorId}`,
    );
    return row!.count;
  };
  const caseRequest = () => ({
    ...{
      foreignId: FOREIGN_ID,
      reason: REASON,
      periodFrom: '2026-01-01',
      periodTo: '2026-01-31',
      accessDays: 3,
    },
    ...{ disclosureFlags: EVERY_FLAG, auditorIds: [office.ana.principal.userId] },
  });
  const createsAsset: Call = (late, caller) =>
    createAsset(late, caller, { name: 'Late', symbol: 'L', decimals: 2 });
  const bindsMint = async (): Promise<Call> => {
    const { id } = await pending();
    return (late, caller) => bindMint(late, caller, { assetId: id, mintAddress: newAddress() });
  };
  const revokesAddress: Call = (late, caller) => {
    const input = { foreignId: FOREIGN_ID, network: 'solana', address: ADDRESS, reason: REASON };
    return setAddressStatus(late, caller, input, 'revoked');
  };
  const requestsDisclosure: Call = (late, caller) =>
    requestDisclosure(late, createFulfilment(late, inlinePool()), caller, {
      ...{ assetId: office.asset.id, purpose: REASON, format: 'json' },
      scope: { account: ADDRESS, fields: ['amount'] },
    });

  const owner = (...permissions: string[]): PermissionSetInput => ({ owner: permissions });
  const member = (bucket: string, ...permissions: string[]): PermissionSetInput => ({
    applications: [{ foreignId: FOREIGN_ID, [bucket]: permissions }],
  });

  const OF_MEMBERS: Record<string, readonly [PermissionSetInput, () => Call | Promise<Call>]> = {
    createAsset: [owner('applications:create'), () => createsAsset],
    bindMint: [owner('applications:create'), bindsMint],
    requestDisclosure: [owner('disclosures:decide'), () => requestsDisclosure],
    disableAsset: [
      owner('applications:create'),
      async () => {
        const { id } = await pending();
        return (late, caller) => disableAsset(late, caller, { assetId: id, reason: REASON });
      },
    ],
    createApplication: [
      owner('applications:create'),
      () => (late, caller) => createApplication(late, caller, { foreignId: 'late', name: 'Late' }),
    ],
    placeLegalHold: [
      owner('policies:manage'),
      () => (late, caller) => placeLegalHold(late, caller, { reason: REASON }),
    ],
    revokeApiKey: [
      owner('api_keys:manage'),
      async () => {
        const { apiKey } = await seedApiKey(foundation, organizationId);
        return (late, caller) => revokeApiKey(late, caller, apiKey.id);
      },
    ],
    revokeInvitation: [
      owner('members:manage'),
      async () => {
        const input = { email: 'invited@example.test', name: 'Invited' };
        const { invitation } = await inviteMember(
          foundation,
          { origin: () => 'https://lucarne.example', mailer: undefined },
          operator(),
          input,
        );
        return (late, caller) => revokeInvitation(late, caller, invitation.id);
      },
    ],
    endMemberSessions: [
      owner('members:manage'),
      async () => {
        const { principal } = await seedMember(foundation, organizationId);
        return (late, caller) => endMemberSessions(late, caller, principal.userId);
      },
    ],
    revokeAddress: [owner('addresses:manage'), () => revokesAddress],
    'revokeAddress of an administrator': [member('administrator', 'addresses:manage'), () => revokesAddress],
    createCaseRequest: [
      member('auditor', 'cases:create'),
      () => (late, caller) => createCaseRequest(late, caller, caseRequest()),
    ],
    endCase: [
      member('administrator', 'cases:approve_creation'),
      async () => {
        const { id } = await office.open();
        return (late, caller) => endCase(late, caller, { foreignId: FOREIGN_ID, id, reason: REASON });
      },
    ],
    removeCaseAuditor: [
      member('administrator', 'cases:approve_creation'),
      async () => {
        const auditors = [office.ana.principal.userId, office.abel.principal.userId];
        const { id } = await office.open({ auditorIds: auditors });
        return (late, caller) =>
          removeCaseAuditor(late, caller, {
            foreignId: FOREIGN_ID,
            id,
            auditorId: auditors[0]!,
            reason: REASON,
          });
      },
    ],
  };

  describe.each([
    ['is removed', (id: string) => removeMember(foundation, operator(), id)],
    [
      'keeps only another permission',
      (memberId: string) =>
        setPermissions(foundation, operator(), { memberId, permissions: owner('reports:list') }),
    ],
  ])('and %s', (_, lose) => {
    it.each(Object.entries(OF_MEMBERS))('changes nothing by %s', async (_name, [permissions, prepare]) => {
      const call = await prepare();
      const { principal } = await seedMember(foundation, organizationId, permissions);
      const before = await entries(principal.userId);
      const late = overtakenBy(foundation, () => lose(principal.userId));
      await expect(call(late, principal)).rejects.toMatchObject({ code: 'FORBIDDEN' });
      expect(await entries(principal.userId)).toBe(before);
    });
  });

  it('withdraws no request', async () => {
    const permissions = ['cases:create', 'cases:withdraw_pending_request'];
    const { principal } = await seedMember(foundation, organizationId, member('auditor', ...permissions));
    const { id } = await createCaseRequest(foundation, principal, caseRequest());
    const before = await entries(principal.userId);
    const late = overtakenBy(foundation, () => removeMember(foundation, operator(), principal.userId));
    await expect(withdrawCaseRequest(late, principal, { foreignId: FOREIGN_ID, id })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    expect(await entries(principal.userId)).toBe(before);
  });

  it.each([
    ['createAsset', () => createsAsset],
    ['bindMint', bindsMint],
    ['requestDisclosure', () => requestsDisclosure],
  ])('changes nothing by %s with a key that was revoked', async (_name, prepare) => {
    const call = await prepare();
    const { principal } = await seedApiKey(foundation, organizationId);
    const late = overtakenBy(foundation, () => revokeApiKey(foundation, operator(), principal.apiKeyId));
    await expect(call(late, principal)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(await entries(principal.apiKeyId)).toBe(0);
  });
});
