import { beforeEach, describe, expect, it } from '@jest/globals';
import { sql, type Foundation } from '../../../src/platform/database/index.js';
import {
  forbidden,
  isLucarneError,
  notFound,
  unauthenticated,
  type LucarneError,
} from '../../../src/platform/kernel/errors.js';
import { newId } from '../../../src/platform/kernel/ids.js';
import { silentLog } from '../../../src/platform/kernel/log.js';
import {
  changePassword,
  createSecurityLog,
  type Mail,
  signIn,
} from '../../../src/domain/organizations/index.js';
import type { UserPrincipal } from '../../../src/domain/access/index.js';
import { acceptInvitation } from '../../../src/domain/organizations/invitations/accept-invitation.js';
import { inviteMember } from '../../../src/domain/organizations/invitations/invite-member.js';
import {
  requestPasswordReset,
  resetPassword,
} from '../../../src/domain/organizations/invitations/reset-password.js';
import type { PublicSite } from '../../../src/domain/organizations/public-site.js';
import { listSecurityEvents } from '../../../src/domain/organizations/security-log/list-security-events.js';
import {
  MAX_NOTES,
  MAX_NOTES_PER_NETWORK,
} from '../../../src/domain/organizations/security-log/note-bounds.js';
import { sweepSecurityEvents } from '../../../src/domain/organizations/security-log/sweep-security-events.js';
import type { RefusedRequest } from '../../../src/domain/organizations/security-log/security-log.js';
import { seedMember, seedOrganization, openTestFoundation, type SeededOrganization } from '../../kit/seed.js';

const site = { origin: () => 'https://lucarne.example' };
const ADDRESS = '198.51.100.7';
const DAY = 24 * 60 * 60_000;

let instant = Date.parse('2126-11-21T10:00:00.000Z');
let lines: string[] = [];
const warn = (members: object) =>
  void lines.push(
    JSON.stringify(members, (_key, value: unknown) => (value instanceof Error ? value.message : value)),
  );
const log = { ...silentLog, warn };
const { database, foundation } = await openTestFoundation({ now: () => new Date(instant) }, log);
const seed = await seedOrganization(foundation);
const other = await seedOrganization(foundation, { name: 'Other', foreignId: 'other' });

describe('the security log', () => {
  beforeEach(async () => {
    lines = [];
    instant += 60_000;
    await database.transaction((transaction) => transaction.rows(sql`delete from security_events`));
  });

  const nobody: RefusedRequest = {
    principal: undefined,
    clientAddress: ADDRESS,
    requestId: 'r-1',
    operation: 'signIn',
  };

  /** Notes refusals, and returns the rows once everything is written. */
  async function note(refusals: readonly (readonly [LucarneError | undefined, Partial<RefusedRequest>])[]) {
    const log = createSecurityLog(foundation);
    for (const [error, request] of refusals) log.refused(error, { ...nobody, ...request });
    await log[Symbol.asyncDispose]();
  }

  const refusalOf = (promise: Promise<unknown>): Promise<LucarneError> =>
    promise.then(
      () => Promise.reject(new Error('It was let through.')),
      (thrown: unknown) => (isLucarneError(thrown) ? thrown : Promise.reject(thrown as Error)),
    );
  const failSignIn = (email: string, password = 'a wrong password') =>
    refusalOf(signIn(foundation, { email, password }, ADDRESS));
  const tokenIn = (text: string) => /#([\w-]{43})/.exec(text)![1]!;
  /** A member who was invited. Anyone who has the link, from the mail or from the owner, chooses the password. */
  const acceptInvited = async (
    email: string,
    { owner }: SeededOrganization,
    mailer?: PublicSite['mailer'],
    mails: readonly Mail[] = [],
  ): Promise<UserPrincipal> => {
    const input = { email, name: 'Vic Victim' };
    const { link } = await inviteMember(
      foundation,
      mailer ? { ...site, mailer } : site,
      owner.principal,
      input,
    );
    const token = tokenIn(link ?? mails.at(-1)!.text);
    const accepted = { token, password: 'chosen with the link' };
    return (await acceptInvitation(foundation, accepted, undefined, ADDRESS)).principal;
  };
  const eventsOf = async ({ owner }: SeededOrganization) =>
    (await listSecurityEvents(foundation, owner.principal)).nodes;

  it('names the account of a wrong password and of a lockout, and none for an unknown address', async () => {
    const { email, principal } = await seedMember(foundation, seed.organization.id);
    const refusals = [await failSignIn('nobody@example.test')];
    for (let failure = 0; failure < 6; failure += 1) refusals.push(await failSignIn(email));
    await note(refusals.map((error) => [error, {}]));
    const events = await eventsOf(seed);
    expect(events.map(({ event }) => event)).toEqual([
      'sign_in.locked_out',
      ...Array.from({ length: 5 }, () => 'sign_in.refused'),
    ]);
    for (const event of events) {
      expect(event).toMatchObject({
        subjectId: principal.userId,
        operation: 'signIn',
        clientAddress: ADDRESS,
        requestId: 'r-1',
        accountDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
        createdAt: new Date(instant),
      });
    }
    expect(new Set(events.map(({ accountDigest }) => accountDigest)).size).toBe(1);
    const [unknown] = await database.rows(sql`
      select subject_id as subject from security_events where organization_id is null`);
    expect(unknown).toEqual({ subject: null });
  });

  it('shows the owners of an organization only its own events', async () => {
    const member = await seedMember(foundation, seed.organization.id);
    await note([
      [forbidden(), { principal: member.principal, operation: 'members' }],
      [forbidden(), { principal: other.apiKey.principal, operation: 'assets' }],
    ]);
    expect(await eventsOf(seed)).toMatchObject([
      { event: 'permission.refused', subjectId: member.principal.userId, operation: 'members' },
    ]);
    expect(await eventsOf(other)).toMatchObject([{ subjectId: other.apiKey.apiKey.id }]);
    await expect(listSecurityEvents(foundation, member.principal)).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
  });

  it('names the account that a member of another organization tried', async () => {
    const { email, principal } = await seedMember(foundation, seed.organization.id);
    await note([[await failSignIn(email), { principal: other.owner.principal }]]);
    expect(await eventsOf(seed)).toMatchObject([{ subjectId: principal.userId }]);
    expect(await eventsOf(other)).toEqual([]);
  });

  it('shows a failed sign-in to the owners of all organizations of the account, and to no others', async () => {
    const third = await seedOrganization(foundation, { name: 'Third', foreignId: 'third' });
    const { email, principal } = await seedMember(foundation, seed.organization.id);
    const there = newId('usr');
    await database.rows(sql`
      insert into users select joined.* from users, jsonb_populate_record(users,
        jsonb_build_object('id', ${there}::text, 'organization_id', ${other.organization.id}::text)) as joined
      where users.id = ${principal.userId}`);
    await note([[await failSignIn(email), {}]]);
    expect(await eventsOf(seed)).toMatchObject([{ subjectId: principal.userId, clientAddress: ADDRESS }]);
    expect(await eventsOf(other)).toMatchObject([{ subjectId: there, clientAddress: ADDRESS }]);
    expect(await eventsOf(third)).toEqual([]);
  });

  it('does not show a caller which addresses have an account elsewhere', async () => {
    const { email } = await seedMember(foundation, seed.organization.id);
    const { principal } = other.owner;
    for (const tried of [email, 'nobody@example.test']) {
      await note([[await failSignIn(tried), { principal }]]);
      expect(await eventsOf(other)).toEqual([]);
    }
  });

  it('shows a wrong password in a session to the organization of the session only', async () => {
    const { email, principal } = await seedMember(foundation, seed.organization.id);
    await acceptInvited(email, other);
    const input = { currentPassword: 'a wrong password', newPassword: 'another password' };
    const refusal = await refusalOf(changePassword(foundation, principal, input, ADDRESS));
    await note([[refusal, { principal, operation: 'changePassword' }]]);
    expect(await eventsOf(seed)).toMatchObject([{ subjectId: principal.userId, clientAddress: ADDRESS }]);
    expect(await eventsOf(other)).toEqual([]);
  });

  describe('of an organization that made an account for somebody else’s address', () => {
    const from = async (organization: SeededOrganization) =>
      (await eventsOf(organization)).map(({ subjectId, clientAddress }) => [subjectId, clientAddress]);

    it('does not show from where the person fails to sign in elsewhere', async () => {
      const { email, principal } = await seedMember(foundation, seed.organization.id);
      // The owner invites the person, and uses the link that is shown.
      const made = await acceptInvited(email, other);
      await note([[await failSignIn(email), {}]]);
      expect(await from(seed)).toEqual([[principal.userId, ADDRESS]]);
      expect(await from(other)).toEqual([[made.userId, null]]);
    });

    it('does not show either whether the person has an account elsewhere', async () => {
      const made = await acceptInvited('nowhere-else@example.test', other);
      await note([[await failSignIn('nowhere-else@example.test'), {}]]);
      expect(await from(other)).toEqual([[made.userId, null]]);
    });

    it.each<[string, (email: string) => Promise<UserPrincipal>]>([
      [
        'used the mailed link of the invitation',
        async (email) => {
          const mails: Mail[] = [];
          return acceptInvited(
            email,
            other,
            { send: (mail) => Promise.resolve(void mails.push(mail)) },
            mails,
          );
        },
      ],
      [
        'chose a new password with a mailed link',
        async (email) => {
          const mails: Mail[] = [];
          const mailer = { send: (mail: Mail) => Promise.resolve(void mails.push(mail)) };
          const made = await acceptInvited(email, other);
          await requestPasswordReset(foundation, { ...site, mailer }, { email }, ADDRESS);
          while (mails.length === 0) await new Promise(setImmediate);
          await resetPassword(foundation, {
            token: tokenIn(mails[0]!.text),
            newPassword: 'another good password',
          });
          return made;
        },
      ],
    ])('shows it if the person %s', async (_, prove) => {
      const email = `proven-${newId('usr')}@example.test`;
      const { userId } = await prove(email);
      await note([[await failSignIn(email), {}]]);
      expect(await from(other)).toEqual([[userId, ADDRESS]]);
    });

    it('does not show it if the mail server refused the letter, so that the owner saw the link', async () => {
      const email = `refused-${newId('usr')}@example.test`;
      const made = await acceptInvited(email, other, { send: () => Promise.reject(new Error('no route')) });
      await note([[await failSignIn(email), {}]]);
      expect(await from(other)).toEqual([[made.userId, null]]);
    });
  });

  it('records only denials: not missing objects, requests without credentials, or successes', async () => {
    await note([
      [notFound('asset'), {}],
      [unauthenticated(), {}],
      [undefined, {}],
    ]);
    expect(lines).toEqual([]);
    expect(await database.rows(sql`select 1 from security_events`)).toEqual([]);
  });

  it('records a wrong password in a password change', async () => {
    const { principal } = await seedMember(foundation, seed.organization.id);
    const input = { currentPassword: 'a wrong password', newPassword: 'another password' };
    const refusal = await refusalOf(changePassword(foundation, principal, input, ADDRESS));
    await note([[refusal, { principal, operation: 'changePassword' }]]);
    expect(await eventsOf(seed)).toMatchObject([{ event: 'password.refused', subjectId: principal.userId }]);
  });

  it('contains neither address nor password, in rows or log lines, and writes nothing to the activity log', async () => {
    const { email } = await seedMember(foundation, seed.organization.id);
    const entries = () => database.rows(sql`select count(*) from activity_entries`);
    const before = await entries();
    await note([[await failSignIn(email, 'a password of sorts'), {}]]);
    const rows = await database.rows(
      sql<{ text: string }>`select row_to_json(e)::text as text from security_events e`,
    );
    for (const text of [...rows.map(({ text }) => text), ...lines]) {
      expect(text).toContain('sign_in.refused');
      expect(text).not.toContain(email);
      expect(text).not.toContain('a password of sorts');
    }
    expect(lines).toHaveLength(1);
    expect(await entries()).toEqual(before);
  });

  it('records without a user an address that cannot be stored', async () => {
    const denial = { event: 'sign_in.refused', account: 'a\0b@example.test' } as const;
    await note([[unauthenticated('No.', { denial }), {}]]);
    expect(await database.rows(sql`select subject_id as id from security_events`)).toEqual([{ id: null }]);
  });

  it('is bounded per minute for each address and in total, and reports what was dropped', async () => {
    const addresses = Array.from({ length: 12 }, (_, index) => `192.0.2.${index}`);
    const log = createSecurityLog(foundation);
    for (const clientAddress of addresses) {
      for (let count = 0; count < MAX_NOTES_PER_NETWORK + 5; count += 1)
        log.refused(forbidden(), { ...nobody, clientAddress });
    }
    instant += 60_000;
    log.refused(forbidden(), nobody);
    await log[Symbol.asyncDispose]();
    const counts = await database.rows(sql<{ count: number }>`
      select count(*)::int as count from security_events where client_address <> ${ADDRESS} group by client_address`);
    expect(Math.max(...counts.map(({ count }) => count))).toBe(MAX_NOTES_PER_NETWORK);
    expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(MAX_NOTES);
    expect(lines.filter((line) => line === JSON.stringify({ dropped: 12 * 65 - MAX_NOTES }))).toHaveLength(1);
  });

  it('continues when the clock is set back after a flood', async () => {
    const securityLog = createSecurityLog(foundation);
    const refusal = await failSignIn('nobody@example.test');
    const refuse = (operation: string) => securityLog.refused(refusal, { ...nobody, operation });
    const begin = instant;
    for (let count = 0; count < MAX_NOTES_PER_NETWORK + 5; count += 1) refuse('before');
    instant = begin - DAY;
    refuse('after');
    await securityLog[Symbol.asyncDispose]();
    instant = begin;
    const rows = await database.rows(sql<{ count: number }>`
      select count(*)::integer as count from security_events where operation = 'after'`);
    expect(rows).toEqual([{ count: 1 }]);
  });

  it('still records members during a flood of unknown addresses', async () => {
    const { principal } = seed.owner;
    const flood = Array.from({ length: MAX_NOTES + 1 }, (_, index) => ({
      clientAddress: `192.0.2.${index % 20}`,
    }));
    await note([...flood, { principal }].map((request) => [forbidden(), request]));
    expect(await eventsOf(seed)).toHaveLength(1);
  });

  it('still names a revoked key during a flood of unknown addresses, and members during a flood of that key', async () => {
    const {
      principal,
      principal: { organizationId },
    } = seed.owner;
    const refused = unauthenticated(undefined, {
      denial: { event: 'api_key.refused', apiKey: { organizationId, id: newId('key') } },
    });
    const flood = (error: LucarneError) =>
      Array.from(
        { length: MAX_NOTES + 1 },
        (_, index) => [error, { clientAddress: `192.0.2.${index % 20}` }] as const,
      );
    await note([...flood(forbidden()), [refused, {}]]);
    expect(await eventsOf(seed)).toMatchObject([{ event: 'api_key.refused' }]);
    instant += 60_000;
    await note([...flood(refused), [forbidden(), { principal }]]);
    expect((await eventsOf(seed))[0]).toMatchObject({ subjectId: seed.owner.principal.userId });
  });

  it('deletes events after 90 days, and the oldest ones beyond the maximum number', async () => {
    await note([[forbidden(), { operation: 'old' }]]);
    instant += 90 * DAY + 1;
    await note([1, 2, 3].map((number) => [forbidden(), { operation: `new ${number}` }]));
    const kept = async () =>
      (
        await database.rows(
          sql<{ operation: string }>`select operation from security_events order by sequence`,
        )
      ).map(({ operation }) => operation);
    await sweepSecurityEvents(foundation).sweep(10_000);
    expect(await kept()).toEqual(['new 1', 'new 2', 'new 3']);
    await sweepSecurityEvents(foundation, 2).sweep(10_000);
    expect(await kept()).toEqual(['new 2', 'new 3']);
  });

  it('is listed newest first, page by page', async () => {
    const { principal } = seed.owner;
    await note(['a', 'b', 'c'].map((operation) => [forbidden(), { principal, operation }]));
    const page = await listSecurityEvents(foundation, principal, { first: 2 });
    const rest = await listSecurityEvents(foundation, principal, { after: page.pageInfo.endCursor });
    expect([...page.nodes, ...rest.nodes].map(({ operation }) => operation)).toEqual(['c', 'b', 'a']);
  });

  it('does not fail a request when it cannot be written', async () => {
    const rows = () => Promise.reject(new Error('The database is gone.'));
    const broken: Foundation = { ...foundation, database: { ...database, transaction: rows } };
    const log = createSecurityLog(broken);
    log.refused(forbidden(), nobody);
    await log[Symbol.asyncDispose]();
    expect(lines.at(-1)).toContain('The database is gone.');
  });

  it('continues after a cursor that does not reveal how many refusals other organizations had', async () => {
    const { principal } = seed.owner;
    // A number that does not occur in random bytes by chance.
    await database.rows(sql`alter table security_events alter column sequence restart with 734512698`);
    await note(Array.from({ length: 3 }, () => [forbidden(), { principal }] as const));
    const first = await listSecurityEvents(foundation, principal, { first: 1 });
    const after = first.pageInfo.endCursor!;
    expect(Buffer.from(after, 'base64url').toString('latin1')).not.toContain('7345127');
    const rest = await listSecurityEvents(foundation, principal, { after });
    expect(rest.nodes).toHaveLength(2);
    await expect(listSecurityEvents(foundation, other.owner.principal, { after })).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
    });
  });
});
