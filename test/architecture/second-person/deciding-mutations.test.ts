import { describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { buildSchema } from 'graphql';
import { NEEDS_FRESH_FACTOR, UNDER_SECOND_PERSON_RULE } from '../../../src/domain/access/index.js';

/** Why a mutation needs only one person, and why a second factor that was proven earlier in the session is enough. */
interface Exemption {
  readonly onePerson: string;
  /** Absent if the mutation needs a fresh factor. */
  readonly earlierFactor?: string;
}

const both = (reason: string): Exemption => ({ onePerson: reason, earlierFactor: reason });

const EXEMPT: Readonly<Record<string, Exemption>> = {
  // Sign-in and the caller's own account: it decides nothing for others.
  signInAsDemoUser: both('opens the caller’s own session'),
  signIn: both('opens the caller’s own session'),
  signOut: both('ends the caller’s own session'),
  startOidcSignIn: both('opens the caller’s own session'),
  completeOidcSignIn: both('opens the caller’s own session'),
  switchOrganization: both('moves the caller’s own session'),
  acceptInvitation: {
    onePerson: 'the permissions of the invitation are held to the rule when it is accepted',
    earlierFactor: 'opens a session',
  },
  requestPasswordReset: { onePerson: 'about the caller’s own account', earlierFactor: 'needs no session' },
  resetPassword: {
    onePerson: 'about the caller’s own account; a second factor stays',
    earlierFactor: 'needs no session; a second factor stays',
  },
  changePassword: {
    onePerson: 'about the caller’s own account',
    earlierFactor:
      'asks for the password, and where there is a factor for a fresh one, whatever the organization requires',
  },
  proposeTotp: { onePerson: 'about the caller’s own account', earlierFactor: 'changes nothing' },
  enableTotp: {
    onePerson: 'about the caller’s own account',
    earlierFactor: 'asks for a fresh factor or the password, whatever the organization requires',
  },
  disableTotp: { onePerson: 'about the caller’s own account', earlierFactor: 'asks for a code' },
  proposePasskeySignIn: both('opens nothing'),
  prepareAuditorKeyImport: both('changes nothing: it makes what a keypair is encrypted to'),
  signInWithPasskey: both('opens the caller’s own session'),
  proposeInvitationPasskey: both('opens nothing'),
  proposePasskey: { onePerson: 'about the caller’s own account', earlierFactor: 'changes nothing' },
  addPasskey: {
    onePerson: 'about the caller’s own account',
    earlierFactor: 'asks for a fresh factor or the password, whatever the organization requires',
  },
  removePasskey: {
    onePerson: 'about the caller’s own account',
    earlierFactor: 'asks for a fresh factor, whatever the organization requires',
  },
  createRecoveryCodes: {
    onePerson: 'about the caller’s own account',
    earlierFactor: 'asks for a fresh factor, whatever the organization requires',
  },
  proposeStepUp: { onePerson: 'about the caller’s own session', earlierFactor: 'proves the factor' },
  stepUp: { onePerson: 'about the caller’s own session', earlierFactor: 'proves the factor' },
  revokeSession: both('ends the caller’s own sessions'),
  revokeOtherSessions: both('ends the caller’s own sessions'),

  // Removes access and grants none.
  endMemberSessions: both('takes access away'),
  removeMember: { onePerson: 'takes access away' },
  revokeInvitation: both('takes access away'),
  revokeApiKey: both('takes access away, at once: a key that leaked is used meanwhile'),
  revokeAddress: both('takes an approval away'),
  closeCaseRequest: { onePerson: 'refuses access' },
  endCase: both('takes access away'),
  removeCaseAuditor: both('takes access away'),
  withdrawCaseRequest: both('takes back the caller’s own request'),
  withdrawProposal: both('takes back the caller’s own proposal'),
  placeLegalHold: both('keeps what would be deleted, and shows nothing to anyone'),

  // Only requests: another operation decides.
  createCaseRequest: both('asks; approveCaseRequest decides'),
  requestDisclosure: both('asks; decideDisclosure or a policy decides'),
  checkAddress: both('asks; the application’s lists decide'),
  submitRelayRequest: both('asks; the pool’s rules decide'),
  retryRelayRequest: both('asks; the pool’s rules decide'),

  // Registers and configures: it gives no new access.
  createApplication: both('opens nothing'),
  createAsset: both('opens nothing'),
  bindMint: both('opens nothing: the ledger shows whose key it is'),
  disableAsset: both('opens nothing'),

  // Reads what the caller may read, and is logged.
  exportActivityLog: both('reads what the caller may read'),
  startLogExport: both('reads what the caller may read'),
  generateCaseReport: both('reads what an approved case allows'),
  generateLogReport: both('reads what the caller may read'),
};

const mutationsOfSchema = async () => {
  const schema = buildSchema(await readFile('schema/schema.graphql', 'utf8'));
  return Object.keys(schema.getMutationType()!.getFields()).sort();
};

describe('the second-person rule', () => {
  it('is stated for every mutation of the schema, with a reason where it does not apply', async () => {
    const known = [...Object.keys(UNDER_SECOND_PERSON_RULE), ...Object.keys(EXEMPT)].sort();
    expect(known).toEqual(await mutationsOfSchema());
  });
});

describe('the rule that decisions require a fresh second factor', () => {
  it('is stated for every mutation of the schema, with a reason where it does not apply', async () => {
    const exempt = Object.keys(EXEMPT).filter((name) => EXEMPT[name]!.earlierFactor !== undefined);
    expect([...NEEDS_FRESH_FACTOR, ...exempt].sort()).toEqual(await mutationsOfSchema());
  });

  it('applies to everything that requires a second person', () => {
    expect(NEEDS_FRESH_FACTOR).toEqual(expect.arrayContaining(Object.keys(UNDER_SECOND_PERSON_RULE)));
  });
});
