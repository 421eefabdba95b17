import { Secret, TOTP } from 'otpauth';
import type { UserPrincipal } from '../../../src/domain/access/index.js';
import { addPasskey, proposePasskey } from '../../../src/domain/organizations/second-factor/own-passkeys.js';
import { proposeStepUp } from '../../../src/domain/organizations/second-factor/step-up.js';
import { enableTotp, proposeTotp } from '../../../src/domain/organizations/second-factor/authenticator.js';
import { proposalId } from '../../../src/domain/organizations/second-person/open-proposals.js';
import { type Foundation, sql } from '../../../src/platform/database/index.js';
import { SoftAuthenticator } from '../../kit/browser/authenticator.js';
import { SEED_PASSWORD, type SeededUser, seedSession } from '../../kit/seed.js';
import type { Room } from '../second-person/second-person-rows.js';

const ORIGIN = 'http://localhost';
const DOOR = { origin: () => ORIGIN };
const ADDRESS = '192.0.2.7';
const TOTP_STEP_MS = 30_000;

type Variables = Readonly<Record<string, unknown>>;

/** The session that calls a mutation, and its variables. */
interface OwnCall {
  readonly caller: UserPrincipal;
  readonly input: Variables;
}

/** A mutation of the caller’s own account. */
export type OwnRow = (room: Room, caller: SeededUser) => OwnCall | Promise<OwnCall>;

const codeOf = (secret: string, at: number) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at });

const sessionOf = async ({ foundation }: Room, { principal, email }: SeededUser) => {
  const { userId: id, name, organizationId } = principal;
  return (await seedSession(foundation, organizationId, { id, name, email })).principal;
};

/** As after a step-up just now. */
const proven = (caller: UserPrincipal, { clock }: Foundation): UserPrincipal => ({
  ...caller,
  factorAt: clock.now(),
});

async function withTotp(room: Room, user: SeededUser) {
  const { foundation } = room;
  const { secret } = proposeTotp(foundation, user.principal);
  const now = foundation.clock.now().getTime();
  const input = { password: SEED_PASSWORD, secret, totp: codeOf(secret, now) };
  await enableTotp(foundation, user.principal, input, ADDRESS);
  // The code of the next step, because one counts once. It is accepted early.
  return { caller: await sessionOf(room, user), totp: codeOf(secret, now + TOTP_STEP_MS) };
}

const device = () => new SoftAuthenticator(ORIGIN);

async function withPasskey({ foundation }: Room, { principal }: SeededUser, authenticator = device()) {
  const response = authenticator.create(await proposePasskey(foundation, DOOR, principal));
  const input = { name: 'Laptop', response, password: SEED_PASSWORD };
  const passkey = await addPasskey(foundation, DOOR, principal, input, ADDRESS);
  return { caller: proven(principal, foundation), passkey };
}

const PROPOSED_INPUT = new Uint8Array(32);
const NEW_PASSWORD = 'a later battery staple horse';

/** Every mutation of the caller's own account that changes something. */
export const OWN_ROWS: Readonly<Record<string, OwnRow>> = {
  changePassword: (_room, { principal }) => ({
    caller: principal,
    input: { input: { currentPassword: SEED_PASSWORD, newPassword: NEW_PASSWORD } },
  }),
  enableTotp: ({ foundation }, { principal }) => {
    const { secret } = proposeTotp(foundation, principal);
    const totp = codeOf(secret, foundation.clock.now().getTime());
    return { caller: principal, input: { input: { password: SEED_PASSWORD, secret, totp } } };
  },
  disableTotp: async (room, user) => {
    const { caller, totp } = await withTotp(room, user);
    return { caller, input: { input: { password: SEED_PASSWORD, totp } } };
  },
  addPasskey: async ({ foundation }, { principal }) => {
    const response = device().create(await proposePasskey(foundation, DOOR, principal));
    return { caller: principal, input: { input: { name: 'Late', response, password: SEED_PASSWORD } } };
  },
  removePasskey: async (room, user) => {
    const { caller, passkey } = await withPasskey(room, user);
    return { caller, input: { id: passkey.id } };
  },
  createRecoveryCodes: async (room, user) => {
    const { caller } = await withPasskey(room, user);
    return { caller, input: {} };
  },
  stepUp: async (room, user) => {
    const authenticator = device();
    const { caller } = await withPasskey(room, user, authenticator);
    const passkey = authenticator.get(await proposeStepUp(room.foundation, DOOR, caller));
    return { caller, input: { input: { passkey } } };
  },
  revokeSession: async (room, user) => {
    const { sessionId } = await sessionOf(room, user);
    return { caller: user.principal, input: { id: sessionId } };
  },
  withdrawProposal: async ({ foundation, home }, { principal }) => {
    const [row] = await foundation.database.rows(sql<{ proposedAt: Date }>`
      insert into proposed_operations (organization_id, operation, input_digest, input, proposed_by, proposed_at, expires_at)
      values (${home.organization.id}, 'updateOrganization', ${PROPOSED_INPUT}, '{}', ${principal.userId}, now(),
        now() + interval '1 hour')
      on conflict (organization_id, operation, input_digest) do update set proposed_by = excluded.proposed_by
      returning proposed_at as "proposedAt"`);
    const proposal = { operation: 'updateOrganization', inputDigest: PROPOSED_INPUT, ...row! } as const;
    return { caller: principal, input: { id: proposalId(proposal) } };
  },
  revokeOtherSessions: async (room, user) => {
    await sessionOf(room, user);
    return { caller: user.principal, input: {} };
  },
  switchOrganization: (_room, { principal }) => ({
    caller: principal,
    input: { organizationId: principal.organizationId },
  }),
};

/** Mutations of the caller's own account that do not check again, and why. */
export const OWN_CHECK_ONCE: Readonly<Record<string, string>> = {
  proposeTotp: 'changes nothing: enableTotp checks again',
  proposePasskey: 'gives no access: addPasskey checks again',
  proposeStepUp: 'gives no access: stepUp checks again',
};
