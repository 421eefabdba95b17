import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import {
  aliasedColumnsOf,
  type Foundation,
  query,
  type Reader,
  type RowOf,
  type Transaction,
} from '../../../platform/database/index.js';
import { invalidMember } from '../../../platform/kernel/errors.js';
import type { JsonObject } from '../../../platform/kernel/encoding/json.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { type ChallengePurpose, isOwnChallenge, newChallenge, useChallenge } from './challenge.js';
import { PasskeyEntity } from './passkey.entity.js';
import type { RelyingParty } from './relying-party.js';

// EdDSA, ES256, RS256 (RFC 9053, RFC 8812): the algorithms of common authenticators.
const ALGORITHMS = [-8, -7, -257];

/** Loaded when it is first needed: its hundreds of modules would delay each command. */
const webAuthn = () => import('@simplewebauthn/server');

export type Passkey = RowOf<typeof PasskeyEntity>;

/** A new passkey that is not assigned yet. */
export type NewPasskey = Pick<Passkey, 'credentialId' | 'publicKey' | 'signCount' | 'transports'> & {
  readonly challenge: string;
};

/** The options with which a browser creates a passkey (`PublicKeyCredentialCreationOptionsJSON`). */
export async function creationOptions(
  foundation: Foundation,
  party: RelyingParty,
  purpose: ChallengePurpose,
  person: { readonly email: string; readonly name: string; readonly userHandle: Uint8Array },
  existing: readonly Passkey[],
): Promise<JsonObject> {
  const { generateRegistrationOptions } = await webAuthn();
  const options = await generateRegistrationOptions({
    rpName: 'Lucarne',
    rpID: party.id,
    userName: person.email,
    userDisplayName: person.name,
    userID: Uint8Array.from(person.userHandle),
    challenge: newChallenge(foundation, purpose),
    attestationType: 'none',
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: existing.map(descriptorOf),
  });
  return options as unknown as JsonObject;
}

/** The `PublicKeyCredentialRequestOptionsJSON` of a browser that uses any passkey of this gateway, or one of `among`. */
export async function requestOptions(
  foundation: Foundation,
  party: RelyingParty,
  purpose: ChallengePurpose,
  among: readonly Passkey[] = [],
): Promise<JsonObject> {
  const { generateAuthenticationOptions } = await webAuthn();
  const options = await generateAuthenticationOptions({
    rpID: party.id,
    challenge: newChallenge(foundation, purpose),
    userVerification: 'required',
    allowCredentials: among.map(descriptorOf),
  });
  return options as unknown as JsonObject;
}

const descriptorOf = ({ credentialId, transports }: Passkey) => ({
  id: Buffer.from(credentialId).toString('base64url'),
  transports: [...transports],
});

/** Checks an authenticator's registration (WebAuthn section 7.1). Any defect is `BAD_USER_INPUT`. */
export async function verifyNewPasskey(
  foundation: Foundation,
  party: RelyingParty,
  purpose: ChallengePurpose,
  response: JsonObject,
  member: string,
): Promise<NewPasskey> {
  const made = response as unknown as RegistrationResponseJSON;
  try {
    const challenge = await requireOwnPage(made.response.clientDataJSON);
    const { verifyRegistrationResponse } = await webAuthn();
    const { registrationInfo } = await verifyRegistrationResponse({
      response: made,
      expectedChallenge: (text) => isOwnChallenge(foundation, text, purpose),
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!registrationInfo) throw new Error('The registration is not verified.');
    const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
    return {
      credentialId: Buffer.from(id, 'base64url'),
      publicKey,
      signCount: counter,
      transports: transports.filter((name) => /^[a-z-]{1,20}$/.test(name)).slice(0, 8),
      challenge,
    };
  } catch (thrown) {
    throw invalidMember(member, 'is not a valid answer of an authenticator to this gateway’s challenge', {
      cause: thrown,
    });
  }
}

/** A passkey with a valid signature. It counts only after {@link usePasskey}. */
export interface ProvenPasskey {
  readonly passkey: Passkey;
  readonly challenge: string;
  readonly signCount: number;
}

/** Checks a signature by a passkey (WebAuthn section 7.2). Returns `undefined` for any defect. */
export async function provePasskey(
  foundation: Foundation,
  party: RelyingParty,
  purpose: ChallengePurpose,
  response: JsonObject,
): Promise<ProvenPasskey | undefined> {
  const signed = response as unknown as AuthenticationResponseJSON;
  try {
    const challenge = await requireOwnPage(signed.response.clientDataJSON);
    const passkey = await findByCredential(foundation.database, signed.rawId);
    if (!passkey) return undefined;
    const handle = signed.response.userHandle;
    if (handle && handle !== Buffer.from(passkey.userHandle).toString('base64url')) return undefined;
    const { verifyAuthenticationResponse } = await webAuthn();
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: signed,
      expectedChallenge: (text) => isOwnChallenge(foundation, text, purpose),
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      credential: {
        id: signed.rawId,
        publicKey: Uint8Array.from(passkey.publicKey),
        counter: passkey.signCount,
      },
    });
    return verified ? { passkey, challenge, signCount: authenticationInfo.newCounter } : undefined;
  } catch (thrown) {
    foundation.log.info({ err: thrown }, 'A passkey was refused.');
    return undefined;
  }
}

/** Consumes the challenge and advances the counter. Returns whether both were unchanged since the signature was checked. */
export async function usePasskey(
  transaction: Transaction,
  { passkey, challenge, signCount }: ProvenPasskey,
  at: Date,
): Promise<boolean> {
  if (!(await useChallenge(transaction, challenge, at))) return false;
  const used = await transaction.rows(
    query
      .updateTable('passkeys')
      .set({ sign_count: signCount, last_used_at: at })
      .where('id', '=', passkey.id)
      .where('sign_count', '=', passkey.signCount)
      .returning('id'),
  );
  return used.length > 0;
}

export function passkeysOf(reader: Reader, accountId: Id<'acc'>): Promise<Passkey[]> {
  return reader.rows(
    query
      .selectFrom('passkeys as p')
      .select(aliasedColumnsOf('p', PasskeyEntity))
      .where('account_id', '=', accountId)
      .orderBy('id'),
  );
}

async function findByCredential(reader: Reader, rawId: string): Promise<Passkey | undefined> {
  const [passkey] = await reader.rows(
    query
      .selectFrom('passkeys as p')
      .select(aliasedColumnsOf('p', PasskeyEntity))
      .where('credential_id', '=', Buffer.from(rawId, 'base64url')),
  );
  return passkey;
}

/** The challenge of the client data. A frame in a page of any other origin is refused. */
async function requireOwnPage(clientDataJson: string): Promise<string> {
  const { decodeClientDataJSON } = await import('@simplewebauthn/server/helpers');
  const { challenge, crossOrigin } = decodeClientDataJSON(clientDataJson);
  if (crossOrigin) throw new Error('The page was a frame of another origin.');
  return challenge;
}
