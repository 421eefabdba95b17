import { approveCaseRequest, createCaseRequest, type CaseRecord } from '../../../src/domain/cases/index.js';
import { operatorOf, type UserPrincipal } from '../../../src/domain/access/index.js';
import { createAsset } from '../../../src/domain/assets/create-asset.js';
import { inviteMember } from '../../../src/domain/organizations/invitations/invite-member.js';
import { randomAddress, seedAsset } from '../../kit/ledger/confidential-records.js';
import { seedApiKey, seedMember } from '../../kit/seed.js';
import type { Permission } from '../authorization/table.js';
import { DECIDERS, type Request, type Room, TWO_PERSONS } from '../second-person/second-person-rows.js';

const foreignId = 'payments';
const reason = 'Too late';
const DOOR = { origin: () => 'https://lucarne.example', mailer: undefined };

type Variables = Readonly<Record<string, unknown>>;

/** How to call a mutation so that it would succeed. */
export interface Row {
  /** Prepares what all callers of a room share, and returns the variables for one caller. */
  readonly prepare: (room: Room) => Request | Promise<Request>;
  /** Whether the caller proved a second factor just before. */
  readonly hasFactor?: boolean;
  /** Permissions that the caller also needs. */
  readonly also?: readonly Permission[];
  /** Each permission that the caller can lose. Default: those that the table of authorization names for the mutation. */
  readonly loses?: readonly Permission[];
}

const ask =
  (input: Variables): Row['prepare'] =>
  () =>
  () => ({ input });

const someone = async ({ foundation, home }: Room) =>
  (await seedMember(foundation, home.organization.id)).principal.userId;

function request({ foundation, third }: Room, caller: UserPrincipal, auditorIds: readonly string[] = []) {
  return createCaseRequest(foundation, caller, {
    ...{ foreignId, reason, periodFrom: '2026-01-01', periodTo: '2026-01-31', accessDays: 3 },
    ...{ disclosureFlags: {}, auditorIds: [third.principal.userId, ...auditorIds] },
  });
}

async function openCase(room: Room, auditorIds: readonly string[]): Promise<CaseRecord> {
  const { id } = await request(room, room.first.principal, auditorIds);
  return approveCaseRequest(room.foundation, room.second.principal, { foreignId, id });
}

const ofOwnCase =
  (input: Variables): Row['prepare'] =>
  (room) =>
  async ({ userId }) => ({
    input: { foreignId, caseId: (await openCase(room, [userId])).id, ...input },
  });

const aboutCase =
  (input: (room: Room) => Variables): Row['prepare'] =>
  async (room) => {
    const { id } = await openCase(room, [await someoneAuditing(room)]);
    return () => ({ input: { foreignId, id, reason, ...input(room) } });
  };

const someoneAuditing = async ({ foundation, home }: Room) => {
  const permissions = { applications: [{ foreignId, auditor: ['cases:create'] }] };
  return (await seedMember(foundation, home.organization.id, permissions)).principal.userId;
};

const unboundAsset = async ({ foundation, home }: Room) =>
  (await createAsset(foundation, home.apiKey.principal, { name: 'A', symbol: 'A', decimals: 2 })).id;

const ASKS_ABOUT_ANOTHER_MEMBER: Row = {
  prepare: (room) => async () => ({ memberId: await someone(room) }),
};
const PENDING_REQUEST: Row['prepare'] = async (room) => {
  const { id } = await request(room, room.first.principal);
  return () => ({ input: { foreignId, id, reason } });
};
const ADDRESS = { foreignId, network: 'solana', address: randomAddress(), reason };

/**
 * Every mutation that needs a permission. A second row of a mutation, with what it is about after `of`, takes another way
 * through it.
 */
export const ROWS: Readonly<Record<string, Row>> = {
  ...TWO_PERSONS,
  ...DECIDERS,
  // A decision of an administrator, too, needs an asset of the application.
  decideDisclosure: { ...DECIDERS.decideDisclosure, loses: ['owner disclosures:decide'] },

  // The same operations, when one person is enough.
  'updateOrganization of the second factor': {
    hasFactor: true,
    prepare: ask({ requireSecondFactor: true }),
  },
  'createDisclosurePolicy of reviews': {
    prepare: ask({
      ...{ key: 'reviewed', name: 'Reviewed', inside: 'review', outside: 'reject' },
      ...{ allowedFields: ['amount'], allowedFormats: ['json'] },
    }),
  },
  'setAddressDefault of nothing': { prepare: ask({ foreignId, approvedByDefault: false, reason }) },
  'assignAsset of no application': {
    prepare: async ({ foundation, home }) => {
      const asset = await seedAsset(foundation, home.organization.id, { applicationId: home.application.id });
      return () => ({ input: { assetId: asset.id, foreignId: null } });
    },
  },

  // Members
  inviteMember: {
    prepare: ask({ email: 'late@example.test', name: 'Late', permissions: { owner: ['reports:list'] } }),
  },
  setPermissions: {
    prepare: (room) => async () => ({
      input: { memberId: await someone(room), permissions: { owner: ['reports:list'] } },
    }),
  },
  resetMemberSignIn: ASKS_ABOUT_ANOTHER_MEMBER,
  removeMember: ASKS_ABOUT_ANOTHER_MEMBER,
  endMemberSessions: ASKS_ABOUT_ANOTHER_MEMBER,
  revokeInvitation: {
    prepare: async ({ foundation, home }) => {
      const input = { email: 'invited@example.test', name: 'Invited' };
      const { invitation } = await inviteMember(foundation, DOOR, operatorOf(home.organization.id), input);
      return () => ({ id: invitation.id });
    },
  },
  revokeApiKey: {
    prepare: async ({ foundation, home }) => {
      const { apiKey } = await seedApiKey(foundation, home.organization.id);
      return () => ({ id: apiKey.id });
    },
  },
  createApplication: { prepare: ask({ foreignId: 'late', name: 'Late' }) },
  placeLegalHold: { prepare: ask({ reason }) },

  // Assets, disclosures and checks
  createAsset: { prepare: ask({ name: 'Late', symbol: 'L', decimals: 2 }) },
  bindMint: {
    prepare: async (room) => {
      const assetId = await unboundAsset(room);
      return () => ({ input: { assetId, mintAddress: randomAddress() } });
    },
  },
  disableAsset: {
    prepare: async (room) => {
      const assetId = await unboundAsset(room);
      return () => ({ input: { assetId, reason } });
    },
  },
  requestDisclosure: {
    prepare:
      ({ asset }) =>
      () => ({
        input: {
          ...{ assetId: asset.id, purpose: reason, format: 'json' },
          scope: { account: randomAddress(), fields: ['amount'] },
        },
      }),
  },
  revokeAddress: { prepare: ask(ADDRESS) },

  // Cases
  createCaseRequest: {
    prepare: (room) => () => ({
      input: {
        ...{ foreignId, reason, periodFrom: '2026-01-01', periodTo: '2026-01-31', accessDays: 3 },
        ...{ disclosureFlags: {}, auditorIds: [room.third.principal.userId] },
      },
    }),
  },
  withdrawCaseRequest: {
    also: ['auditor cases:create'],
    prepare: (room) => async (caller) => {
      const { id } = await request(room, caller);
      return { input: { foreignId, id } };
    },
  },
  closeCaseRequest: { prepare: PENDING_REQUEST },
  endCase: { prepare: aboutCase(() => ({})) },
  removeCaseAuditor: { prepare: aboutCase(({ third }) => ({ auditorId: third.principal.userId })) },

  // Reports and exports
  generateCaseReport: { prepare: ofOwnCase({ reportType: 'transaction_detail', wait: true }) },
  generateLogReport: { prepare: ask({ wait: true }) },
  'generateLogReport of an application': {
    loses: ['auditor reports:create', 'common logs:view_activity'],
    prepare: ask({ foreignId, wait: true }),
  },
  'generateLogReport of a case': {
    loses: ['auditor reports:create', 'auditor reports:view_transactions'],
    prepare: ofOwnCase({ wait: true }),
  },
  exportActivityLog: { loses: ['owner logs:view_activity'], prepare: ask({}) },
  'exportActivityLog of an application': {
    loses: ['common logs:view_activity'],
    prepare: ask({ foreignId }),
  },
  startLogExport: { loses: ['owner logs:view_activity'], prepare: ask({}) },
  'startLogExport of an application': { loses: ['common logs:view_activity'], prepare: ask({ foreignId }) },
};

/** Mutations that need a permission and do not check it again, and why. */
export const CHECK_ONCE: Readonly<Record<string, string>> = {
  prepareAuditorKeyImport: 'waits for nothing and changes nothing: importAuditorKey checks again',
};
