import { expect } from '@jest/globals';
import { armor, Encrypter, generateIdentity, identityToRecipient } from 'age-encryption';
import { PERMISSIONS, type ProposedOperation, type UserPrincipal } from '../../../src/domain/access/index.js';
import { approveCaseRequest, createCaseRequest } from '../../../src/domain/cases/index.js';
import { prepareAuditorKeyImport } from '../../../src/domain/assets/auditor-keys/import-encrypted-auditor-key.js';
import { removeMember, setPermissions } from '../../../src/domain/organizations/index.js';
import { listPendingGrants } from '../../../src/domain/organizations/members/confirm-permission-grant.js';
import { placeLegalHold } from '../../../src/domain/organizations/retention/place-legal-hold.js';
import { rotateSigningKey } from '../../../src/domain/organizations/signing-keys/rotate-signing-key.js';
import { formatElGamalKeypair, generateElGamalKeypair } from '../../../src/platform/crypto/index.js';
import { type Foundation, sql } from '../../../src/platform/database/index.js';
import { randomAddress, seedAsset, type SeededAsset } from '../../kit/ledger/confidential-records.js';
import {
  seedApiKey,
  type SeededOrganization,
  type SeededUser,
  seedMember,
  seedOrganization,
} from '../../kit/seed.js';
import { sequenceAll } from '../../kit/sequence-all.js';
import { disclosureDesk, seedTransfers } from '../../domain/disclosures/kit.js';

const foreignId = 'payments';
const reason = 'The regulator asked for it';

/** An organization that requires a second person: two users with all permissions, and one whom an operation may concern. */
export interface Room {
  readonly foundation: Foundation;
  readonly home: SeededOrganization;
  readonly first: SeededUser;
  readonly second: SeededUser;
  readonly third: SeededUser;
  readonly asset: SeededAsset;
}

export async function openRoom(foundation: Foundation): Promise<Room> {
  const home = await seedOrganization(foundation, { foreignId });
  const { id } = home.organization;
  const { owner, administrator, auditor } = PERMISSIONS;
  const everything = { owner, applications: [{ foreignId, administrator, auditor }] };
  const first = await seedMember(foundation, id, everything, 'Fay First');
  const second = await seedMember(foundation, id, everything, 'Sue Second');
  const third = await seedMember(foundation, id, { applications: [{ foreignId, auditor }] }, 'Theo Third');
  const asset = await seedAsset(foundation, id);
  await foundation.database.transaction((transaction) =>
    transaction.rows(sql`update organizations set require_second_person = true where id = ${id}`),
  );
  return { foundation, home, first, second, third, asset };
}

type Variables = Readonly<Record<string, unknown>>;

/** What each person requests, one after another. */
export type Request = (caller: UserPrincipal) => Variables | Promise<Variables>;

export interface Row {
  /** Prepares the object of the operation, and returns the request. */
  readonly prepare: (room: Room) => Promise<Request> | Request;
  /** The log entry, and where else the effect is visible, once the operation took effect. */
  readonly entry: string;
  readonly changes?: string;
}

export const sequence = (foundation: Foundation) => {
  const metrics = { entriesSequenced: () => undefined, sequencingFailed: () => undefined };
  return sequenceAll({ foundation, publicHost: 'lucarne.example', metrics });
};

const ask =
  (input: Variables): Row['prepare'] =>
  () =>
  () => ({ input });

const requestCase = ({ foundation, first, third }: Room, asset: SeededAsset) =>
  createCaseRequest(foundation, first.principal, {
    foreignId,
    reason,
    periodFrom: '2026-01-01',
    periodTo: '2026-01-31',
    accessDays: 30,
    disclosureFlags: {},
    auditorIds: [third.principal.userId],
    assetIds: [asset.id],
  });

const ofApplication = ({ foundation, home }: Room) =>
  seedAsset(foundation, home.organization.id, { applicationId: home.application.id });

/** Each operation that one person proposes and that takes effect when a second person calls it. */
export const TWO_PERSONS: Readonly<Record<ProposedOperation, Row>> = {
  createDisclosurePolicy: {
    prepare: ask({
      ...{ key: 'open', name: 'Open', inside: 'authorize', outside: 'review' },
      ...{ allowedFields: ['amount'], allowedFormats: ['json'] },
    }),
    entry: 'policy.created',
    changes: 'disclosure_policies',
  },
  approveAddress: {
    prepare: ask({ foreignId, network: 'solana', address: randomAddress(), reason }),
    entry: 'address.approved',
    changes: 'application_addresses',
  },
  setAddressDefault: {
    prepare: ask({ foreignId, approvedByDefault: true, reason }),
    entry: 'application.updated',
    changes: 'address_policies',
  },
  createApiKey: {
    prepare: ask({ name: 'Backend', scopes: ['assets:read'] }),
    entry: 'api_key.created',
    changes: 'api_keys',
  },
  updateOrganization: {
    prepare: ask({ requireSecondPerson: false }),
    entry: 'organization.updated',
    changes: 'organizations',
  },
  addCaseAuditor: {
    prepare: async (room) => {
      const { foundation, home, second } = room;
      const { id } = await requestCase(room, await ofApplication(room));
      const running = await approveCaseRequest(foundation, second.principal, { foreignId, id });
      const { auditor } = PERMISSIONS;
      const added = await seedMember(foundation, home.organization.id, {
        applications: [{ foreignId, auditor }],
      });
      return () => ({ input: { foreignId, id: running.id, auditorId: added.principal.userId, reason } });
    },
    entry: 'case.auditors_changed',
    changes: 'case_auditors',
  },
  assignAsset: {
    prepare:
      ({ asset }) =>
      () => ({ input: { assetId: asset.id, foreignId } }),
    entry: 'asset.assigned',
    changes: 'assets',
  },
  unbindMint: {
    prepare:
      ({ asset }) =>
      () => ({ input: { assetId: asset.id, reason } }),
    entry: 'asset.mint_unbound',
    changes: 'assets',
  },
  rotateAuditorKey: { prepare: ask({ reason }), entry: 'auditor_key.rotated', changes: 'auditor_keys' },
  exportAuditorKey: {
    prepare: async () => {
      const recipients = [await identityToRecipient(await generateIdentity())];
      return () => ({ input: { epoch: 1, recipients, reason } });
    },
    entry: 'auditor_key.exported',
  },
  importAuditorKey: {
    prepare: ({ foundation }) => {
      const keypair = formatElGamalKeypair(generateElGamalKeypair());
      return async (caller) => {
        const { recipient, token } = await prepareAuditorKeyImport(foundation, caller);
        const encrypter = new Encrypter();
        encrypter.addRecipient(recipient);
        const ageFile = armor.encode(await encrypter.encrypt(keypair));
        return { input: { token, ageFile, reason } };
      };
    },
    entry: 'auditor_key.imported',
    changes: 'auditor_keys',
  },
  rotateSigningKey: {
    prepare: async ({ foundation }) => {
      await sequence(foundation);
      return () => ({ input: { reason } });
    },
    entry: 'signing_key.rotated',
    changes: 'signing_keys',
  },
  declareSigningKeyCompromised: {
    prepare: async ({ foundation, first, second }) => {
      await sequence(foundation);
      const rotation = { reason, overlapDays: 0 };
      await expect(rotateSigningKey(foundation, first.principal, rotation)).rejects.toThrow('Proposed');
      await rotateSigningKey(foundation, second.principal, rotation);
      return () => ({ input: { epoch: 1, fromIndex: 1, reason } });
    },
    entry: 'signing_key.compromised',
    changes: 'signing_keys',
  },
  declareSigningKeyLost: {
    prepare: ask({ epoch: 1, reason }),
    entry: 'signing_key.lost',
    changes: 'signing_keys',
  },
  setRetention: {
    prepare: ask({ kind: 'reports', years: 6, reason }),
    entry: 'retention.changed',
    changes: 'retention_settings',
  },
  releaseLegalHold: {
    prepare: async ({ foundation, first }) => {
      const { id } = await placeLegalHold(foundation, first.principal, { reason });
      return () => ({ input: { id, reason } });
    },
    entry: 'legal_hold.released',
    changes: 'legal_holds',
  },
  erasePersonalValues: {
    prepare: async ({ foundation, first, third }) => {
      const { userId } = third.principal;
      await removeMember(foundation, first.principal, userId);
      return () => ({ userId });
    },
    entry: 'member.erased',
    changes: 'users',
  },
};

type DecidedOperation = 'approveCaseRequest' | 'decideDisclosure' | 'confirmPermissionGrant';

/** Each operation that decides a request of the first person. */
export const DECIDERS: Readonly<Record<DecidedOperation, Row>> = {
  approveCaseRequest: {
    prepare: async (room) => {
      const { id } = await requestCase(room, await ofApplication(room));
      return () => ({ input: { foreignId, id } });
    },
    entry: 'case_request.approved',
    changes: 'cases',
  },
  decideDisclosure: {
    prepare: async ({ foundation, home, first }) => {
      // Requested with an API key whose secret the first person has.
      const { principal } = await seedApiKey(foundation, home.organization.id);
      await foundation.database.transaction((transaction) =>
        transaction.rows(sql`
          update api_keys set created_by = ${first.principal.userId} where id = ${principal.apiKeyId}`),
      );
      const { asset, ids } = await seedTransfers(foundation, home, [1_000n]);
      const scope = { transactionIds: ids, fields: ['amount'] };
      const input = { assetId: asset.id, purpose: reason, format: 'json', scope } as const;
      const disclosure = await disclosureDesk(foundation).request(principal, input);
      return () => ({ input: { id: disclosure.id, decision: 'authorize' } });
    },
    entry: 'disclosure.decided',
    changes: 'disclosures',
  },
  confirmPermissionGrant: {
    prepare: async ({ foundation, first, third }) => {
      const permissions = { owner: ['policies:manage'] };
      await setPermissions(foundation, first.principal, { memberId: third.principal.userId, permissions });
      const { nodes } = await listPendingGrants(foundation, first.principal, {});
      return () => ({ id: nodes[0]!.id });
    },
    entry: 'member.permissions_changed',
    changes: 'permission_grants',
  },
};
